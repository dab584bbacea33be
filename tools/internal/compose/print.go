package compose

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML returns c as a file that Parse reads as c. What is left at its default is
// there as a comment. Where the model's key is, is said, and never the key.
func (c Composition) YAML() (string, error) {
	var b strings.Builder
	for _, p := range parts {
		if p.id == "sandbox" && c.Unconfined {
			continue // it would have nothing to confine
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if err := c.write(&b, p); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func (c Composition) write(b *strings.Builder, p part) error {
	module, mark := p.modules[0], ""
	switch {
	case p.id == "shell":
		module = c.ShellModule()
	case p.id == "agent" && c.Agent == nil:
		mark = "# "
		c.Agent = &Agent{}
	}
	fmt.Fprintf(b, "%s- id: %s\n%s  name: %s\n%s  config:\n", mark, p.id, mark, module, mark)
	for _, key := range p.keys {
		value := key.show(&c)
		if value == nil {
			fmt.Fprintf(b, "    # %s: %s\n", key.name, key.sample)
			continue
		}
		shown, err := inline(value)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "    %s: %s\n", key.name, shown)
	}
	return nil
}

// inline returns a value on one line.
func inline(value *yaml.Node) (string, error) {
	shown, err := yaml.Marshal(value)
	return string(bytes.TrimSpace(shown)), err
}
