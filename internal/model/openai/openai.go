// Package openai is the model of any server that speaks OpenAI's chat
// completions: OpenAI itself, Ollama, vLLM, llama.cpp, OpenRouter and others.
//
// It promises what package remote does, and that the same conversation gives
// the same bytes of a request: members keep the order of the tool's file and
// numbers their digits. An answer counts only when the server has said why it
// ended; what the servers differ in (ids and indexes of calls that are missing
// or repeated, reasons, error objects) does not show.
package openai

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote"
)

const (
	provider = "openai"
	ownHost  = "api.openai.com"

	// KeyName is the variable, or secret, that holds the key.
	KeyName = "OPENAI_API_KEY"
)

// Options say which model of which server answers.
type Options struct {
	Key       string // "" where the server asks for none
	Name      string // the server's model
	BaseURL   string // as people write it; "" for OpenAI's own
	Version   string // of vatio, for the User-Agent
	Transport http.RoundTripper
}

// A Model is safe for concurrent use.
type Model struct {
	name   string
	client *remote.Client
	sdk    sdk.Client
	tools  remote.ToolMemory
}

var (
	_ chat.Model         = (*Model)(nil)
	_ chat.SchemaAdapter = (*Model)(nil)
)

// New returns the model. It sends nothing; the errors are about the options.
func New(o Options) (*Model, error) { return newModel(o, remote.Clock{}) }

func newModel(o Options, clock remote.Clock) (*Model, error) {
	if o.Name == "" {
		return nil, errors.New("the provider openai needs the name of a model: add --model, as in --model gpt-5-mini, or model.name in vatio.yml")
	}
	if err := remote.CheckKey(o.Key); err != nil {
		return nil, err
	}
	base, err := BaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	options := []option.RequestOption{
		option.WithBaseURL(base.String() + "/"),
		option.WithMaxRetries(0),
		option.WithHeader("Accept", "text/event-stream"),
	}
	if o.Key != "" {
		options = append(options, option.WithAPIKey(o.Key))
	}
	return &Model{
		name: o.Name,
		// Not sdk.NewClient, which takes keys, headers and addresses from the environment.
		sdk: sdk.Client{Options: options},
		client: remote.New(remote.Options{
			Provider: provider, KeyName: KeyName, Key: o.Key, Model: o.Name, BaseURL: base, Own: base.Hostname() == ownHost,
			Version: o.Version, Transport: o.Transport, Clock: clock,
		}),
	}, nil
}

// BaseURL reads the address of a server, with or without its /v1, or with the
// whole path of the endpoint; "" is OpenAI's own.
func BaseURL(text string) (*url.URL, error) {
	if strings.TrimSpace(text) == "" {
		text = "https://" + ownHost
	}
	base, err := remote.ParseBaseURL(text)
	if err != nil {
		return nil, err
	}
	base.Path = strings.TrimRight(strings.TrimSuffix(base.Path, "/chat/completions"), "/")
	if base.Path == "" {
		base.Path = "/v1"
	}
	base.RawPath = ""
	return base, nil
}

// Name returns "openai" and the model's name.
func (m *Model) Name() (string, string) { return provider, m.name }

// Adapt returns t as it travels, and what was changed for it.
func (m *Model) Adapt(t chat.Tool) (chat.Tool, []string) {
	a := adapt(t)
	return a.Tool, a.Changes
}

// Next asks the server for the next answer.
func (m *Model) Next(ctx context.Context, r chat.Request, delta func(text string)) (chat.Reply, error) {
	tools := m.toolSet(r.Tools)
	body := m.request(r, tools)
	var reply chat.Reply
	err := m.client.Ask(ctx, func(x *remote.Exchange) error {
		var response *http.Response
		if err := m.sdk.Post(ctx, "chat/completions", body, &response, option.WithHTTPClient(x)); err != nil {
			return err
		}
		a := answer{exchange: x, delta: delta}
		if err := a.read(); err != nil {
			return err
		}
		reply = a.reply(tools)
		return nil
	})
	if err != nil {
		return chat.Reply{}, err
	}
	return reply, nil
}
