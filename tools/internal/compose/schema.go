package compose

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	bashlocal "github.com/dsh-go/dsh/bash-local"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
)

// unconfinedShell is the module that runs commands and confines none.
const unconfinedShell = "bash-local"

// part is a role that a module plays.
type part struct {
	id      string
	modules []string // that can play it, the default first
	keys    []key
}

// key is one setting of a part.
type key struct {
	name string
	// sample is a value, and a remark if there is more to say. The value is the
	// default where there is one.
	sample string
	read   func(c *Composition, value *yaml.Node) error
	show   func(c *Composition) *yaml.Node // nil if it is not set
}

// set is a key that sets a field.
func set[T any](name, sample string, form form[T], field func(*Composition) *T) key {
	return key{
		name: name, sample: sample,
		read: func(c *Composition, value *yaml.Node) error {
			read, err := form.read(value)
			if err == nil {
				*field(c) = read
			}
			return err
		},
		show: func(c *Composition) *yaml.Node { return form.show(*field(c)) },
	}
}

// parts are those that there are, each built upon those before it.
var parts = []part{processes, confinement, policy, shell, agent}

var processes = part{"processes", []string{"subprocess-local"}, []key{
	set("keep-spills", "false", yesNo,
		func(c *Composition) *bool { return &c.Processes.KeepSpills }),
	set("spill-dirs", "[/var/tmp] # default: the user's cache directory; then others", paths,
		func(c *Composition) *[]string { return &c.Processes.SpillDirs }),
	set("spill-max-age", shortDuration(subprocesslocal.DefaultSpillMaxAge), duration(""),
		func(c *Composition) *time.Duration { return &c.Processes.SpillMaxAge }),
}}

var confinement = part{"sandbox", []string{"sandbox-local"}, []key{
	set("runners", "[bwrap, landlock] # default: those of this system", lines,
		func(c *Composition) *[]string { return &c.Sandbox.Runners }),
	set("runner-command", "[/opt/runner/bin/runner, --quiet] # takes bwrap's arguments; default: none", lines,
		func(c *Composition) *[]string { return &c.Sandbox.RunnerCommand }),
	set("runner-failure-signatures", `["runner: "] # in its own errors; needed with runner-command`, lines,
		func(c *Composition) *[]string { return &c.Sandbox.RunnerFailureSignatures }),
	set("probe-timeout", shortDuration(sandboxlocal.DefaultProbeTimeout), duration(""),
		func(c *Composition) *time.Duration { return &c.Sandbox.ProbeTimeout }),
	set("landlock-launcher", "/usr/local/bin/landlock-run # default: none where a thread can be confined", path,
		func(c *Composition) *string { return &c.Sandbox.LandlockLauncher }),
}}

var policy = part{"policy", []string{"sandbox-policy"}, []key{
	set("mode", string(sandbox.ReadOnly), modes,
		func(c *Composition) *sandbox.Mode { return &c.Policy.Mode }),
	set("workspace-root", "/home/me/project # default: the working directory", path,
		func(c *Composition) *string { return &c.Policy.WorkspaceRoot }),
}}

var shell = part{"shell", []string{"bash-sandbox", unconfinedShell}, []key{
	set("shell", bashlocal.DefaultShell, program,
		func(c *Composition) *string { return &c.Shell.Shell }),
	set("timeout", shortDuration(bashlocal.DefaultTimeout)+" # or none; default in dsh run: none", duration(unbounded),
		func(c *Composition) *time.Duration { return &c.Shell.Timeout }),
	set("max-timeout", shortDuration(bashlocal.DefaultMaxTimeout)+" # or none; default in dsh run: none", duration(unbounded),
		func(c *Composition) *time.Duration { return &c.Shell.MaxTimeout }),
	set("max-bytes", shortSize(bashlocal.DefaultMaxBytes)+" # of each stream, in memory", size[int](""),
		func(c *Composition) *int { return &c.Shell.MaxBytes }),
	set("spill-bytes", shortSize(bashlocal.DefaultSpillBytes)+" # of each stream, on disk; or none", size[int64](unbounded),
		func(c *Composition) *int64 { return &c.Shell.SpillBytes }),
	set("grace", shortDuration(bashlocal.DefaultGrace)+" # from the polite end to the other; or none", duration(unbounded),
		func(c *Composition) *time.Duration { return &c.Shell.Grace }),
	set("env", "{LANG: C.UTF-8} # default: none", table,
		func(c *Composition) *map[string]string { return &c.Shell.Env }),
}}

var agent = part{"agent", []string{"tools"}, []key{
	set("endpoint", "https://api.example.com/v1 # one that is compatible with that of OpenAI", form[string]{readEndpoint, showText},
		func(c *Composition) *string { return &c.Agent.Endpoint }),
	set("model", "name-of-the-model", text,
		func(c *Composition) *string { return &c.Agent.Model }),
	set("key-env", "MODEL_KEY # the variable that holds the key", form[string]{readVariable, showText},
		func(c *Composition) *string { return &c.Agent.KeyEnv }),
	set("key-file", "/home/me/.config/dsh/model.key # instead: the file, which only you can read", form[string]{readKeyFile, showText},
		func(c *Composition) *string { return &c.Agent.KeyFile }),
}}

// modes is the form of a mode.
var modes = form[sandbox.Mode]{
	read: func(node *yaml.Node) (sandbox.Mode, error) {
		value, err := text.read(node)
		if err != nil {
			return "", err
		}
		mode, err := sandbox.ParseMode(value)
		if err != nil {
			return "", at(node, "there is no mode %q (there are %s)", value, strings.Join(ModeNames(), ", "))
		}
		return mode, nil
	},
	show: func(mode sandbox.Mode) *yaml.Node { return showText(string(mode)) },
}

// program is the form of a name that is looked up in PATH, or a path.
var program = form[string]{
	read: func(node *yaml.Node) (string, error) {
		value, err := text.read(node)
		if err == nil && strings.Contains(value, "/") {
			return path.read(node)
		}
		return value, err
	},
	show: showText,
}

// ModeNames are the modes, the narrowest first.
func ModeNames() []string {
	names := []string{string(sandbox.ReadOnly)}
	for _, mode := range sandbox.ReadOnly.Wider() {
		names = append(names, string(mode))
	}
	return names
}

func partIDs() []string {
	ids := make([]string, len(parts))
	for i, p := range parts {
		ids[i] = p.id
	}
	return ids
}

func (p part) keyNames() []string {
	names := make([]string, len(p.keys))
	for i, k := range p.keys {
		names[i] = k.name
	}
	return names
}

// keyOf returns the key that stands for a field of a module's Config, which is
// the field's name in kebab case.
func keyOf(field string) string {
	var b strings.Builder
	for i, r := range field {
		if r >= 'A' && r <= 'Z' && i > 0 {
			b.WriteByte('-')
		}
		fmt.Fprintf(&b, "%c", r)
	}
	return strings.ToLower(b.String())
}
