package acpagent

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Model is one behind an endpoint that speaks the OpenAI API's chat completions.
type Model struct {
	// Endpoint is the address before "/chat/completions", with its version:
	// "https://api.example.com/v1".
	Endpoint string
	// Name is the model's, as the endpoint knows it.
	Name string
	// Key is sent to the endpoint, and told to nobody else. Empty sends none,
	// as a model on this machine wants it.
	Key string
}

// ModelError is a model that cannot be used as it is configured.
type ModelError struct {
	// Field is what is wrong: "endpoint", "model" or "key".
	Field string
	Err   error
}

// Error names the field and the reason, and never the key.
func (e *ModelError) Error() string { return fmt.Sprintf("the model's %s: %v", e.Field, e.Err) }

// Unwrap returns the reason.
func (e *ModelError) Unwrap() error { return e.Err }

// The reasons inside a [*ModelError].
var (
	ErrMissing    = errors.New("it is missing")
	ErrNotAddress = errors.New("it must be an http or https address without user, query or fragment")
	ErrWhitespace = errors.New("it holds white space")
)

// validate reports what is wrong with a model. Nil is no model, and fine.
func (m *Model) validate() error {
	if m == nil {
		return nil
	}
	switch address, err := url.Parse(m.Endpoint); {
	case m.Endpoint == "":
		return &ModelError{Field: "endpoint", Err: ErrMissing}
	case err != nil || !isAddress(address):
		return &ModelError{Field: "endpoint", Err: ErrNotAddress}
	case strings.TrimSpace(m.Name) == "":
		return &ModelError{Field: "model", Err: ErrMissing}
	case strings.ContainsAny(m.Key, " \t\r\n"):
		return &ModelError{Field: "key", Err: ErrWhitespace}
	}
	return nil
}

func isAddress(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

// host is the endpoint's name.
func (m *Model) host() string {
	address, err := url.Parse(m.Endpoint)
	if err != nil {
		return m.Endpoint
	}
	return address.Host
}
