package compose

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// form is how a value of one type is written in the file.
type form[T any] struct {
	read func(node *yaml.Node) (T, error)
	// show returns nil for the zero value, which stands for the default.
	show func(value T) *yaml.Node
}

// The forms that are read and shown as they stand.
var (
	text  = form[string]{readText, showText}
	path  = form[string]{readPath, showText}
	lines = form[[]string]{listOf(readText), showList}
	paths = form[[]string]{listOf(readPath), showList}
	yesNo = form[bool]{readBool, showBool}
	table = form[map[string]string]{readTable, showTable}
)

func scalar(value string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(value)
	if strings.ContainsAny(value, "\n\r") {
		node.Style = yaml.DoubleQuotedStyle // on one line
	}
	return node
}

func readText(node *yaml.Node) (string, error) {
	switch {
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str":
		if node.Value == "" {
			return "", at(node, "must not be empty; leave the key out for the default")
		}
		return node.Value, nil
	case node.Kind == yaml.ScalarNode && node.ShortTag() != "!!null":
		return "", at(node, "must be text, and is %s; put it in quotes: \"%s\"", kindOf(node), node.Value)
	default:
		return "", at(node, "must be text, and is %s", kindOf(node))
	}
}

func showText(value string) *yaml.Node {
	if value == "" {
		return nil
	}
	return scalar(value)
}

// readPath refuses a relative path. The file means the same wherever dsh is
// started, which may be where a command can write.
func readPath(node *yaml.Node) (string, error) {
	value, err := readText(node)
	switch {
	case err != nil:
		return "", err
	case filepath.IsAbs(value):
		return value, nil
	case strings.HasPrefix(value, "~"):
		return "", at(node, "%q is not an absolute path, and ~ is not expanded here; write it out (/home/me/…)", value)
	default:
		return "", at(node, "%q is not an absolute path; it would mean something else in every directory", value)
	}
}

func listOf(read func(*yaml.Node) (string, error)) func(*yaml.Node) ([]string, error) {
	return func(node *yaml.Node) ([]string, error) {
		if node.Kind != yaml.SequenceNode {
			return nil, at(node, "must be a list ([a, b]), and is %s", kindOf(node))
		}
		if len(node.Content) == 0 {
			return nil, at(node, "must not be empty; leave the key out for the default")
		}
		values := make([]string, len(node.Content))
		for i, item := range node.Content {
			var err error
			if values[i], err = read(item); err != nil {
				return nil, err
			}
		}
		return values, nil
	}
}

func showList(values []string) *yaml.Node {
	if len(values) == 0 {
		return nil
	}
	node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, value := range values {
		node.Content = append(node.Content, scalar(value))
	}
	return node
}

func readBool(node *yaml.Node) (bool, error) {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" {
		return false, at(node, "must be true or false, and is %s", kindOf(node))
	}
	return strings.EqualFold(node.Value, "true"), nil
}

func showBool(value bool) *yaml.Node {
	if !value {
		return nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"}
}

// readTable reads variables. Their values may be empty, and must be text all
// the same: whether 1.10 is the number 1.1 is not decided here.
func readTable(node *yaml.Node) (map[string]string, error) {
	entries, err := mapping("the value", node)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, nil
	}
	values := make(map[string]string, len(entries))
	for _, entry := range entries {
		value := ""
		if entry.value.Value != "" || entry.value.ShortTag() != "!!str" {
			if value, err = readText(entry.value); err != nil {
				return nil, named(entry.key.Value, err)
			}
		}
		values[entry.key.Value] = value
	}
	return values, nil
}

func showTable(values map[string]string) *yaml.Node {
	if len(values) == 0 {
		return nil
	}
	node := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		node.Content = append(node.Content, scalar(name), scalar(values[name]))
	}
	return node
}

// unbounded is the word for no bound, which the modules' Configs write as a
// negative value.
const unbounded = "none"

// duration is a positive duration; or none, if what is the word for it.
func duration(none string) form[time.Duration] {
	return form[time.Duration]{
		read: func(node *yaml.Node) (time.Duration, error) {
			if node.Kind != yaml.ScalarNode {
				return 0, at(node, "must be a duration (30s, 5m), and is %s", kindOf(node))
			}
			if none != "" && node.Value == none {
				return -1, nil
			}
			value, err := time.ParseDuration(node.Value)
			switch {
			case err != nil:
				return 0, at(node, "%q is not a duration (%s)", node.Value, orWord("30s, 5m and 1h30m are", none))
			case value <= 0:
				return 0, at(node, "%q is not positive (%s)", node.Value, orWord("leave the key out for the default", none))
			}
			return value, nil
		},
		show: func(value time.Duration) *yaml.Node {
			switch {
			case value == 0:
				return nil
			case value < 0:
				return scalar(none)
			}
			return scalar(shortDuration(value))
		},
	}
}

func orWord(advice, none string) string {
	if none == "" {
		return advice
	}
	return advice + "; " + none + " is for no bound"
}

// shortDuration leaves out the zeros at the end.
func shortDuration(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}

// units are those of sizes, the largest first.
var units = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}

// size is a positive number of bytes; or none, if that is the word for it.
func size[T int | int64](none string) form[T] {
	return form[T]{
		read: func(node *yaml.Node) (T, error) {
			if node.Kind != yaml.ScalarNode {
				return 0, at(node, "must be a size (64000, 64KiB), and is %s", kindOf(node))
			}
			if none != "" && node.Value == none {
				return -1, nil
			}
			value, ok := parseSize(node.Value)
			if !ok || int64(T(value)) != value {
				return 0, at(node, "%q is not a size (%s)", node.Value, orWord("64000, 64KiB, 64MiB and 1GiB are", none))
			}
			return T(value), nil
		},
		show: func(value T) *yaml.Node {
			switch {
			case value == 0:
				return nil
			case value < 0:
				return scalar(none)
			}
			return &yaml.Node{Kind: yaml.ScalarNode, Value: shortSize(int64(value))}
		},
	}
}

func parseSize(s string) (bytes int64, ok bool) {
	for _, unit := range units {
		number, found := strings.CutSuffix(s, unit.name)
		if !found {
			continue
		}
		count, err := strconv.ParseInt(number, 10, 64)
		return count * unit.bytes, err == nil && count > 0 && count <= math.MaxInt64/unit.bytes
	}
	return 0, false
}

func shortSize(bytes int64) string {
	for _, unit := range units {
		if bytes%unit.bytes == 0 {
			return fmt.Sprintf("%d%s", bytes/unit.bytes, unit.name)
		}
	}
	return ""
}
