package compose

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Agent is the model that dsh acp asks: one with an endpoint compatible with
// that of OpenAI.
type Agent struct {
	Endpoint string // its base URL
	Model    string // the model's name there
	// KeyEnv is the variable that holds the key, or KeyFile the file. Neither
	// means that there is no key, as for a model on this machine.
	KeyEnv, KeyFile string
}

// maxKey is the longest file that is taken for a key.
const maxKey = 16 << 10

// Key reads the model's key, which is empty if there is none. An error never
// holds it.
func (a Agent) Key() (string, error) {
	switch {
	case a.KeyEnv == "" && a.KeyFile == "":
		return "", nil
	case a.KeyEnv != "":
		key := strings.TrimSpace(os.Getenv(a.KeyEnv))
		if key == "" {
			return "", fmt.Errorf("key-env: the variable %s is not set; export it, or use key-file", a.KeyEnv)
		}
		return oneWord("key-env", a.KeyEnv, key)
	}
	data, err := readPrivate(a.KeyFile)
	if err != nil {
		return "", fmt.Errorf("key-file: %w", err)
	}
	return oneWord("key-file", a.KeyFile, strings.TrimSpace(string(data)))
}

// oneWord refuses a key that an HTTP header could not carry.
func oneWord(option, source, key string) (string, error) {
	if key == "" {
		return "", fmt.Errorf("%s: %s is empty", option, source)
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s: %s does not hold one key and nothing else", option, source)
	}
	return key, nil
}

// readPrivate reads a file that nobody else can read.
func readPrivate(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > maxKey:
		return nil, fmt.Errorf("%s is longer than %d bytes", name, maxKey)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("%s can be read or written by others (mode %04o); run chmod 600 %[1]s", name, info.Mode().Perm())
	}
	return os.ReadFile(name)
}

// validate is for what no single key can tell.
func (a Agent) validate() error {
	switch {
	case a.Endpoint == "":
		return errors.New("agent: endpoint is missing (endpoint: https://api.example.com/v1)")
	case a.Model == "":
		return errors.New("agent: model is missing")
	case a.KeyEnv != "" && a.KeyFile != "":
		return errors.New("agent: key-env and key-file are both here; one of them says where the key is")
	}
	return nil
}

// The errors of the next three do not repeat the value: it could be a key.

func readEndpoint(node *yaml.Node) (string, error) {
	value, err := text.read(node)
	if err != nil {
		return "", at(node, "must be text (https://api.example.com/v1)")
	}
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return "", at(node, "must be the URL of an API with https or http (https://api.example.com/v1)")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", at(node, "must be a URL without user, password, query and fragment; a key belongs into key-env or key-file")
	}
	return value, nil
}

func readVariable(node *yaml.Node) (string, error) {
	value, err := text.read(node)
	if err != nil || !isVariable(value) {
		return "", at(node, "must be the name of a variable, such as MODEL_KEY; the key itself does not belong in this file")
	}
	return value, nil
}

func readKeyFile(node *yaml.Node) (string, error) {
	value, err := text.read(node)
	if err != nil || !filepath.IsAbs(value) {
		return "", at(node, "must be the absolute path of a file that holds the key; the key itself does not belong in this file")
	}
	return value, nil
}

func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// namesSecret reports whether a key of the file is one that people write
// secrets under.
func namesSecret(key string) bool {
	switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(key)) {
	case "key", "apikey", "token", "apitoken", "secret", "password", "authorization":
		return true
	}
	return false
}
