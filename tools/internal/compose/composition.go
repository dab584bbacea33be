// Package compose reads the YAML file that says which parts dsh is put
// together from, and how each of them is configured:
//
//	# what commands may change
//	- id: policy
//	  name: sandbox-policy
//	  config:
//	    mode: workspace-write
//
// The id is the part's role, the name the directory of the module that plays
// it. The keys of a configuration are the fields of that module's Config, in
// kebab case. Whatever is not known is refused with its line: a key that was
// misspelled must not leave a default in force that nobody meant.
//
// The file decides what confines, so it is read from where a confined command
// cannot put it, and never from the working directory.
package compose

import (
	"fmt"
	"slices"

	bashlocal "github.com/dsh-go/dsh/bash-local"
	"github.com/dsh-go/dsh/sandbox"
	sandboxlocal "github.com/dsh-go/dsh/sandbox-local"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
	subprocesslocal "github.com/dsh-go/dsh/subprocess-local"
)

// Composition is which parts there are and how they are configured. Its zero
// value is the default composition.
type Composition struct {
	Processes subprocesslocal.Config
	Sandbox   sandboxlocal.Config
	Policy    sandboxpolicy.Config
	Shell     bashlocal.Config
	// Unconfined says that the shell is bash-local, which cannot confine.
	Unconfined bool
	// Agent is the model behind dsh acp. Nil means that there is none.
	Agent *Agent
	// File is what was read. Empty means that nothing was.
	File string

	lines map[string]int // by the part's id, or by the id, a dot and the key
}

// Where returns FILE:LINE of a key, or of the part itself if key is empty. It
// is empty if the file does not name it.
func (c Composition) Where(part, key string) string {
	line, ok := c.lines[place(part, key)]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s:%d", c.File, line)
}

// Mode returns the mode that is in force, also if it is the default.
func (c Composition) Mode() sandbox.Mode {
	if c.Policy.Mode == "" {
		return sandbox.ReadOnly
	}
	return c.Policy.Mode
}

// ShellModule returns the directory of the module that runs bash.
func (c Composition) ShellModule() string {
	if c.Unconfined {
		return unconfinedShell
	}
	return shell.modules[0]
}

// Only returns config with these runners as the candidates, or those of this
// system if there are none, and without a configured runner that is not among
// them.
func Only(config sandboxlocal.Config, runners ...string) sandboxlocal.Config {
	config.Runners = runners
	if !slices.Contains(runners, sandboxlocal.Custom) {
		config.RunnerCommand, config.RunnerFailureSignatures = nil, nil
	}
	return config
}

func (c Composition) names(part, key string) bool {
	_, ok := c.lines[place(part, key)]
	return ok
}

func place(part, key string) string {
	if key == "" {
		return part
	}
	return part + "." + key
}

// Error is a file that cannot be used.
type Error struct {
	File string
	Line int // from 1; 0 means the file as a whole
	Err  error
}

// Error begins with FILE:LINE, as editors read it.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the stable name of this kind of failure.
func (e *Error) Code() string { return "INVALID_CONFIG" }
