package compose

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxSize is the longest file that is read.
const maxSize = 64 << 10

// Parse returns the composition that data describes; an empty file is the
// default one. Errors are *[Error] and name file, which is not opened.
func Parse(file string, data []byte) (Composition, error) {
	c := Composition{File: file, lines: make(map[string]int)}
	list, err := document(data)
	if err == nil && list != nil {
		err = c.readList(list)
	}
	if err == nil {
		err = c.validate()
	}
	var bad *Error
	switch {
	case err == nil:
		return c, nil
	case errors.As(err, &bad):
		return Composition{}, &Error{File: file, Line: bad.Line, Err: bad.Err}
	default:
		return Composition{}, &Error{File: file, Err: err}
	}
}

// document returns the only document of data, or nil if there is none.
func document(data []byte) (*yaml.Node, error) {
	if len(data) > maxSize {
		return nil, fmt.Errorf("is longer than %d bytes", maxSize)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("is not UTF-8")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, next yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntaxError(err)
	}
	switch err := decoder.Decode(&next); {
	case err == nil:
		return nil, at(&next, "there is a second document; one file holds one list of parts")
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(err)
	}
	list := document.Content[0]
	if list.Kind == yaml.ScalarNode && list.Value == "" && list.Style == 0 {
		return nil, nil // three dashes and nothing else
	}
	return list, plain(list)
}

// syntaxError returns what the parser says, with the line that it names.
func syntaxError(err error) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		number, what, _ := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); err == nil {
			return &Error{Line: line, Err: fmt.Errorf("not YAML: %s", what)}
		}
	}
	return &Error{Line: 1, Err: fmt.Errorf("not YAML: %s", message)} // it does not name the first
}

func (c *Composition) readList(list *yaml.Node) error {
	if list.Kind != yaml.SequenceNode {
		return at(list, "must be a list of parts, each with an id and a name (- id: policy), and is %s", kindOf(list))
	}
	for _, item := range list.Content {
		if err := c.readPart(item); err != nil {
			return err
		}
	}
	return nil
}

func (c *Composition) readPart(item *yaml.Node) error {
	fields, err := mapping("a part", item)
	if err != nil {
		return err
	}
	if err := onlyKnown("a part", fields, []string{"id", "name", "config"}); err != nil {
		return err
	}
	id, err := required(item, fields, "id")
	if err != nil {
		return err
	}
	part, err := partOf(id)
	if err != nil {
		return err
	}
	if c.names(part.id, "") {
		return at(id, "id: %q is here a second time, after line %d", part.id, c.lines[part.id])
	}
	c.lines[part.id] = id.Line
	name, err := required(item, fields, "name")
	if err != nil {
		return err
	}
	if err := part.take(c, name); err != nil {
		return err
	}
	return c.readConfig(part, fields.value("config"))
}

func partOf(id *yaml.Node) (part, error) {
	name, err := text.read(id)
	if err != nil {
		return part{}, named("id", err)
	}
	i := slices.IndexFunc(parts, func(p part) bool { return p.id == name })
	if i < 0 {
		return part{}, at(id, "id: there is no part %q (there are %s)", name, strings.Join(partIDs(), ", "))
	}
	return parts[i], nil
}

// take notes which module plays the part.
func (p part) take(c *Composition, name *yaml.Node) error {
	module, err := text.read(name)
	if err != nil {
		return named("name", err)
	}
	if !slices.Contains(p.modules, module) {
		return at(name, "name: %q cannot be the %s (%s can)", module, p.id, strings.Join(p.modules, ", "))
	}
	switch p.id {
	case "shell":
		c.Unconfined = module == unconfinedShell
	case "agent":
		c.Agent = &Agent{}
	}
	return nil
}

// readConfig reads a configuration; one that is missing or empty sets nothing.
func (c *Composition) readConfig(p part, config *yaml.Node) error {
	if config == nil || config.ShortTag() == "!!null" {
		return nil
	}
	fields, err := mapping("config", config)
	if err != nil {
		return err
	}
	for _, field := range fields {
		if p.id == "agent" && namesSecret(field.key.Value) {
			return at(field.key, "%s: a key does not belong in this file; name the variable that holds it (key-env: NAME), "+
				"or a file that only you can read (key-file: /home/me/model.key)", field.key.Value)
		}
	}
	if err := onlyKnown(p.id, fields, p.keyNames()); err != nil {
		return err
	}
	for _, key := range p.keys {
		value := fields.value(key.name)
		if value == nil {
			continue
		}
		if err := key.read(c, value); err != nil {
			return named(key.name, err)
		}
		c.lines[place(p.id, key.name)] = value.Line
	}
	return nil
}
