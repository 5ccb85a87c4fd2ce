package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/docs"
	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/internal/markdown"
	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/diag"
)

type docsOptions struct {
	*app
	language, save string
}

func (a *app) docsCommand() *cobra.Command {
	o := &docsOptions{app: a}
	cmd := &cobra.Command{
		Use:   "docs [TOPIC]",
		Short: "Read the reference: tools, placeholders, secrets, every diagnostic code",
		Long: `Read the reference for those who write tools. Without TOPIC the topics are listed;
a TOPIC may also be a diagnostic code, such as unknown-param. On a terminal the
page is rendered, elsewhere it is Markdown.

--save writes every page into a directory, which may not hold one of them yet.`,
		Example: `  vatio docs
  vatio docs placeholders
  vatio docs unknown-param --lang es
  vatio docs --save vatio-docs`,
		Args: argCount(0, 1, "at most one TOPIC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			language, err := a.language(cmd)
			if err != nil {
				return err
			}
			o.language = language
			switch {
			case cmd.Flags().Changed("save") && len(args) == 1:
				return usagef(cmd, "--save writes every page, so it does not go with a TOPIC")
			case cmd.Flags().Changed("save"):
				return o.saveAll(cmd)
			case len(args) == 0:
				return o.list()
			}
			return o.show(cmd, args[0])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return topicNames(docs.Languages[0]), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&o.language, "lang", "", "the `LANGUAGE`, en or es (default: what vatio config says, else your locale's)")
	cmd.Flags().StringVar(&o.save, "save", "", "write every page into the directory `DIR`")
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(docs.Languages[:], cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// topicNames lists what show takes.
func topicNames(language string) []string {
	var names []string
	for _, t := range docs.Topics(language) {
		names = append(names, t.Name)
	}
	for _, c := range check.Codes() {
		names = append(names, c.Name)
	}
	return names
}

func (o *docsOptions) list() error {
	rows := [][]string{}
	for _, t := range docs.Topics(o.language) {
		rows = append(rows, []string{t.Name, t.Title})
	}
	if err := writeTable(o.Out, rows); err != nil {
		return err
	}
	fmt.Fprintln(o.Err, map[string]string{
		"en": "\nvatio docs TOPIC shows a page; a diagnostic code, such as unknown-param, is one too",
		"es": "\nvatio docs TEMA muestra una página; un código de diagnóstico, como unknown-param, también lo es",
	}[o.language])
	return nil
}

func (o *docsOptions) show(cmd *cobra.Command, topic string) error {
	text, ok := docs.Page(o.language, topic)
	if !ok {
		text, ok = docs.Code(o.language, topic)
	}
	if !ok {
		err := usagef(cmd, "there is no page %q", topic)
		if near := diag.Nearest(topic, topicNames(o.language)); near != "" {
			return withHint(err, "did you mean %q?", near)
		}
		return withHint(err, "run: vatio docs")
	}
	if o.OutTerminal {
		text = markdown.Render(text, markdown.Options{Width: min(iox.Width(o.Out), 100), Palette: o.Colors()})
	}
	_, err := fmt.Fprint(o.Out, text)
	return err
}

func (o *docsOptions) saveAll(cmd *cobra.Command) error {
	if o.save == "" {
		return usagef(cmd, "--save needs a directory")
	}
	dir := o.save
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.Dir, dir)
	}
	list := docs.Topics(o.language)
	for _, t := range list {
		if _, err := os.Lstat(filepath.Join(dir, t.Name+".md")); !errors.Is(err, fs.ErrNotExist) {
			return withHint(fmt.Errorf("%s exists already and is not overwritten", filepath.Join(o.save, t.Name+".md")), "choose another directory")
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("the directory %s cannot be made", o.save)
	}
	for _, t := range list {
		text, _ := docs.Page(o.language, t.Name)
		if err := writeFile(filepath.Join(dir, t.Name+".md"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(o.Out, "wrote %s into %s\n", count(len(list), "page"), o.save)
	return err
}
