package cli

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/offline"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

func addModelFlags(cmd *cobra.Command) {
	cmd.Flags().String("provider", "", "which `PROVIDER` answers: offline")
	cmd.Flags().String("model", "", "the `NAME` of the provider's model")
	cmd.Flags().String("model-url", "", "the `URL` of the provider's API")
}

// modelConfig layers what says which model answers: flags, VATIO_MODEL_*,
// vatio.yml (added by modelOf), the user's config.yml.
func (a *app) modelConfig(cmd *cobra.Command) (*viper.Viper, error) {
	v := viper.New()
	for key, flag := range map[string]string{"model.provider": "provider", "model.name": "model", "model.base_url": "model-url"} {
		if cmd.Flags().Changed(flag) {
			value, err := cmd.Flags().GetString(flag)
			if err != nil {
				return nil, err
			}
			v.Set(key, value)
		} else if value := a.Getenv("VATIO_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))); value != "" {
			v.Set(key, value)
		}
	}
	home, err := secrets.HomeDir(a.Getenv, runtime.GOOS)
	if err != nil {
		return v, nil
	}
	v.SetConfigFile(filepath.Join(home, "config.yml"))
	if err := v.ReadInConfig(); err != nil && !isNotExist(err) {
		return nil, fmt.Errorf("the configuration %s cannot be read: %w", filepath.Join(home, "config.yml"), err)
	}
	return v, nil
}

// modelOf returns the model that answers in a workspace.
func modelOf(config *viper.Viper, w *workspace.Workspace, a *app) (chat.Model, error) {
	layered := viper.New()
	if err := layered.MergeConfigMap(config.AllSettings()); err != nil {
		return nil, err
	}
	own := map[string]string{"model.provider": w.Model.Provider, "model.name": w.Model.Name, "model.base_url": w.Model.BaseURL}
	for key, value := range own {
		// What the user's own file says gives way to the workspace, a flag or a variable does not.
		if value != "" && (!config.IsSet(key) || config.InConfig(key)) {
			layered.Set(key, value)
		}
	}
	switch provider := layered.GetString("model.provider"); provider {
	case "", "offline":
		return offline.New(offline.Options{Now: a.Now}), nil
	default:
		return nil, withHint(fmt.Errorf("this version has no model provider %q", provider), "run: vatio chat --provider offline")
	}
}
