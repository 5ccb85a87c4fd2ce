// Package anthropic is the model of any server that speaks Anthropic's Messages
// API: Anthropic itself, and gateways to it.
//
// It promises what package remote does, and that the same conversation gives
// the same bytes of a request: members keep the order of the tool's file and
// numbers their digits. Whatever a conversation holds is sent in a form that
// the API takes: turns that alternate, no text without words, results right
// behind their calls. An answer counts only when the server has said why it
// ended, and that it is whole.
//
// An answer may have MaxTokens tokens. The API wants a limit in each request;
// one that is reached is an error, and nothing of that answer is used.
package anthropic

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote"
)

const (
	provider = "anthropic"
	ownHost  = "api.anthropic.com"

	// KeyName is the variable, or secret, that holds the key.
	KeyName = "ANTHROPIC_API_KEY"

	// MaxTokens is the most that every model which is not retired takes, and
	// far more than an answer in a conversation has.
	MaxTokens = 8192
)

// Options say which model of which server answers.
type Options struct {
	Key       string // "" where the server asks for none
	Name      string // the server's model
	BaseURL   string // as people write it; "" for Anthropic's own
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
		return nil, errors.New("the provider anthropic needs the name of a model: add --model, as in --model claude-sonnet-4-5, or model.name in vatio.yml")
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
		// Not sdk.NewClient, which takes keys and addresses from the environment.
		sdk: sdk.Client{Options: options},
		client: remote.New(remote.Options{
			Provider: provider, KeyName: KeyName, Key: o.Key, Model: o.Name, BaseURL: base, Own: base.Hostname() == ownHost,
			Version: o.Version, Transport: o.Transport, Clock: clock,
		}),
	}, nil
}

// BaseURL reads the address of a server, with or without its /v1, or with the
// whole path of the endpoint; "" is Anthropic's own. The result ends in /v1.
func BaseURL(text string) (*url.URL, error) {
	if strings.TrimSpace(text) == "" {
		text = "https://" + ownHost
	}
	base, err := remote.ParseBaseURL(text)
	if err != nil {
		return nil, err
	}
	base.Path = strings.TrimRight(strings.TrimSuffix(base.Path, "/messages"), "/")
	if !strings.HasSuffix(base.Path, "/v1") {
		base.Path += "/v1"
	}
	base.RawPath = ""
	return base, nil
}

// Name returns "anthropic" and the model's name.
func (m *Model) Name() (string, string) { return provider, m.name }

// Adapt returns t as it travels, and what was changed for it.
func (m *Model) Adapt(t chat.Tool) (chat.Tool, []string) {
	a := remote.Adapt(provider, t)
	return a.Tool, a.Changes
}

// Next asks the server for the next answer.
func (m *Model) Next(ctx context.Context, r chat.Request, delta func(text string)) (chat.Reply, error) {
	tools := m.toolSet(r.Tools)
	body := m.request(r, tools)
	var reply chat.Reply
	err := m.client.Ask(ctx, func(x *remote.Exchange) error {
		var response *http.Response
		if err := m.sdk.Post(ctx, "messages", body, &response, option.WithHTTPClient(x)); err != nil {
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
