package acpagent

import (
	"errors"
	"fmt"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/dsh-go/dsh/tools/internal/approval"
)

const (
	// maxBlank is how many lines without data an endpoint may send in a row:
	// some keep the connection alive that way while the model thinks.
	maxBlank = 100_000
	// maxFailure bounds, in runes, what is shown of an endpoint's own words.
	maxFailure = 500
)

// client is the endpoint's.
func (m *Model) client() *openai.Client {
	config := openai.DefaultConfig(m.Key)
	config.BaseURL = m.Endpoint
	config.EmptyMessagesLimit = maxBlank
	return openai.NewClientWithConfig(config)
}

func (m *Model) withoutKey(text string) string {
	if m.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, m.Key, "[key]")
}

// failure tells the user why the model did not answer: which endpoint, with
// which status, and what it said. The key is no part of it, whoever repeats it.
func (m *Model) failure(err error) string {
	status, said := "", err.Error()
	var answered *openai.APIError
	var refused *openai.RequestError
	switch {
	case errors.As(err, &answered):
		status, said = answered.HTTPStatus, answered.Message
	case errors.As(err, &refused):
		status, said = refused.HTTPStatus, string(refused.Body)
	}
	status, said = m.withoutKey(status), m.withoutKey(said)
	said = approval.Visible(approval.Shorten(strings.TrimSpace(said), maxFailure))
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s failed", inline(approval.Visible(m.Name)), inline(m.host()))
	if status != "" {
		fmt.Fprintf(&b, " (%s)", approval.Visible(status))
	}
	if said != "" {
		b.WriteString(": " + inline(said))
	}
	return b.String()
}
