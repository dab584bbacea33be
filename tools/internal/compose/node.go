package compose

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// at is an error about a node.
func at(node *yaml.Node, format string, args ...any) error {
	return &Error{Line: node.Line, Err: fmt.Errorf(format, args...)}
}

// named puts the key in front of an error about its value.
func named(key string, err error) error {
	var bad *Error
	if errors.As(err, &bad) {
		return &Error{Line: bad.Line, Err: fmt.Errorf("%s: %w", key, bad.Err)}
	}
	return fmt.Errorf("%s: %w", key, err)
}

// plain refuses what makes a YAML file say something else than it seems to.
func plain(node *yaml.Node) error {
	switch {
	case node.Kind == yaml.AliasNode:
		return at(node, "*%s: aliases are not used here; write the value out", node.Value)
	case node.Anchor != "":
		return at(node, "&%s: anchors are not used here; write the value out", node.Anchor)
	case node.Style&yaml.TaggedStyle != 0:
		return at(node, "%s: tags are not used here", node.Tag)
	}
	for _, child := range node.Content {
		if err := plain(child); err != nil {
			return err
		}
	}
	return nil
}

// kindOf says what a node is, for a message.
func kindOf(node *yaml.Node) string {
	switch node.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a mapping"
	}
	switch node.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	case "!!str":
		return "text"
	default:
		return "a date"
	}
}

type field struct{ key, value *yaml.Node }

type fields []field

// mapping returns the entries of a node that must be a mapping from texts, each
// of them once.
func mapping(what string, node *yaml.Node) (fields, error) {
	if node.Kind != yaml.MappingNode {
		return nil, at(node, "%s must be a mapping (key: value), and is %s", what, kindOf(node))
	}
	var entries fields
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return nil, at(key, "%s has a key that is %s", what, kindOf(key))
		}
		if entries.value(key.Value) != nil {
			return nil, at(key, "%s: is here a second time", key.Value)
		}
		entries = append(entries, field{key, value})
	}
	return entries, nil
}

// value returns the value of a key, or nil.
func (f fields) value(key string) *yaml.Node {
	for _, entry := range f {
		if entry.key.Value == key {
			return entry.value
		}
	}
	return nil
}

func onlyKnown(what string, entries fields, known []string) error {
	for _, entry := range entries {
		if !slices.Contains(known, entry.key.Value) {
			return at(entry.key, "%s: %s has no such key (there are %s)", entry.key.Value, what, strings.Join(known, ", "))
		}
	}
	return nil
}

func required(item *yaml.Node, entries fields, key string) (*yaml.Node, error) {
	value := entries.value(key)
	if value == nil {
		return nil, at(item, "a part has no %s (- id: policy, name: sandbox-policy)", key)
	}
	return value, nil
}
