package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/internal/builtin"
	"github.com/vatio-dev/vatio/internal/scaffold"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// question asks for a line; a blank answer is the proposal. What accept refuses
// is asked again.
func (a *app) question(ctx context.Context, text, proposal string, accept func(string) error) (string, error) {
	prompt := text + ": "
	if proposal != "" {
		prompt = fmt.Sprintf("%s [%s]: ", text, proposal)
	}
	for {
		line, err := a.ask(prompt, false, func(in io.Reader) (string, error) {
			line, err := bufio.NewReader(in).ReadString('\n')
			if err == io.EOF && line == "" {
				return "", errInterrupted // Ctrl-D leaves too
			}
			return line, err
		})
		if err == nil && ctx.Err() != nil { // between two questions
			err = errInterrupted
		}
		if err != nil {
			return "", err
		}
		answer := cmp.Or(strings.TrimSpace(line), proposal)
		if err := accept(answer); err == nil {
			return answer, nil
		} else {
			fmt.Fprintf(a.Err, "  %s\n", printableLines(err.Error()))
		}
	}
}

// interview asks what the workspace is to be.
func (o *initOptions) interview(ctx context.Context) error {
	fmt.Fprintf(o.Err, "A workspace in %s. Return takes what stands in brackets, Ctrl-C writes nothing.\n\n", diag.Printable(o.dir))
	var err error
	o.slug, err = o.question(ctx, "Its name", cmp.Or(o.slug, "my-shop"), func(s string) error {
		if !workspace.ValidSlug(s) {
			return fmt.Errorf("%s", badSlug(s))
		}
		return nil
	})
	if err != nil {
		return err
	}
	o.language, err = o.question(ctx, "Language of its files, en or es", o.language, func(s string) error {
		if !slices.Contains(scaffold.Languages[:], s) {
			return fmt.Errorf("it must be %s, not %q", diag.Quoted(scaffold.Languages[:]), s)
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprint(o.Err, "\nThe first tool can be made of an address of your backend that answers a GET, such as\nhttps://api.example.com/products?name=picker. Return writes a sample instead.\n")
	o.url, err = o.question(ctx, "Address", "", func(s string) error {
		if s == "" {
			return nil
		}
		var err error
		o.tool, err = scaffold.FromAddress(s)
		return err
	})
	if err != nil || o.tool == nil {
		return err
	}
	return o.interviewTool(ctx)
}

func (o *initOptions) interviewTool(ctx context.Context) error {
	description, whenToUse := o.tool.Describe(o.language)
	anything := func(string) error { return nil }
	var err error
	o.tool.Key, err = o.question(ctx, "Name of the tool", o.tool.Key, func(s string) error {
		if !tool.ValidKey(s) || slices.Contains(builtin.Names(), s) {
			return fmt.Errorf("a tool is named in a-z, 0-9, _ and -, beginning with a letter, and not like a built-in tool: not %q", s)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if o.tool.Description, err = o.question(ctx, "What it does", description, anything); err != nil {
		return err
	}
	if o.tool.WhenToUse, err = o.question(ctx, "When the agent should use it", whenToUse, anything); err != nil {
		return err
	}
	token, err := o.readHidden("Bearer token that the backend asks for, unseen (return: none): ")
	if err != nil {
		return err
	}
	if o.tool.Bearer = token != ""; o.tool.Bearer {
		o.secrets = append(o.secrets, secrets.Assignment{Key: scaffold.TokenSecret, Value: secrets.NewValue([]byte(token))})
	}
	o.collect()
	if _, ok := o.tool.Arguments(); !ok {
		return nil
	}
	call, err := o.confirm("Ask the address once, to learn what it answers?")
	if err != nil || !call {
		return err
	}
	return o.learn(ctx)
}

// try makes the call that the tool would make, and lets it learn from the
// answer. What came of it is for people; an error is only an interrupt.
func (o *initOptions) try(ctx context.Context) (said string, err error) {
	arguments, ok := o.tool.Arguments()
	if !ok {
		return "the address was not asked: a parameter of its path has no example", nil
	}
	loaded, faults := tool.LoadHTTP(diag.NewFile("tools/"+o.tool.Key+".yml", o.tool.YAML(o.language)))
	if n, _ := faults.Count(); n > 0 {
		return "the address was not asked: " + faults[0].Message, nil
	}
	client := executor.New(executor.Options{Version: buildInfo().Version})
	defer client.Close()
	outcome := client.Call(ctx, loaded, arguments, executor.Scope{Env: func(key string) (string, bool) {
		for _, s := range o.secrets {
			if s.Key == key {
				return s.Value.Reveal(), true
			}
		}
		return "", false
	}})
	if ctx.Err() != nil {
		return "", errInterrupted
	}
	t := outcome.Trace
	switch {
	case t == nil || t.Status == 0:
		message := jsondoc.Value{}
		if v, err := jsondoc.Parse([]byte(outcome.Content)); err == nil {
			message = v.Get("message")
		}
		return "there was no answer: " + diag.Printable(message.Text()), nil
	case t.Status < 200 || t.Status > 299:
		return fmt.Sprintf("GET %s answered HTTP %d: nothing was learnt from it", diag.Printable(t.URL), t.Status), nil
	}
	answer, err := jsondoc.Parse([]byte(t.ResponseBody))
	if err != nil || !o.tool.Learn(answer) {
		return fmt.Sprintf("GET %s answered HTTP %d, but no JSON object or list: nothing was learnt from it", diag.Printable(t.URL), t.Status), nil
	}
	return fmt.Sprintf("GET %s answered HTTP %d; respond.data takes %s", diag.Printable(t.URL), t.Status, diag.Printable(o.tool.Takes())), nil
}
