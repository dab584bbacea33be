package landlockrun

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dsh-go/dsh/sandbox-local/internal/landlock"
)

// options are a parsed command line.
type options struct {
	probe    bool
	grants   landlock.Grants
	readOnly bool
	setenv   []string // NAME=VALUE
	statusFD int      // -1: none
	argv     []string
}

var (
	errNoCommand = errors.New("no command: it follows a \"--\"")
	errNotAlone  = errors.New("--probe takes no other argument")
)

// parse reads the arguments after the program's name. Until it fails, opts is
// what was read, so that a failure can still be reported on the status
// descriptor.
func parse(args []string) (opts options, err error) {
	opts.statusFD = -1
	if len(args) > 0 && args[0] == "--probe" {
		if len(args) > 1 {
			return opts, errNotAlone
		}
		opts.probe = true
		return opts, nil
	}
	for len(args) > 0 && args[0] != "--" {
		if args, err = opts.take(args); err != nil {
			return opts, err
		}
	}
	if len(args) < 2 || args[1] == "" {
		return opts, errNoCommand
	}
	opts.argv = args[1:]
	return opts, nil
}

// take reads one option and returns what follows it.
func (o *options) take(args []string) (rest []string, err error) {
	operands := map[string]int{"--ro": 1, "--rw": 1, "--read-only": 0, "--setenv": 2, "--status-fd": 1}
	option := args[0]
	n, known := operands[option]
	if !known {
		return nil, fmt.Errorf("unknown option %q", option)
	}
	if len(args) <= n {
		return nil, fmt.Errorf("%s needs %d more", option, n)
	}
	operand := args[1 : 1+n]
	switch option {
	case "--ro":
		o.grants.Readable = append(o.grants.Readable, operand[0])
	case "--rw":
		o.grants.Writable = append(o.grants.Writable, operand[0])
	case "--read-only":
		o.readOnly = true
	case "--setenv":
		err = o.addEnv(operand[0], operand[1])
	case "--status-fd":
		err = o.setStatus(operand[0])
	}
	return args[1+n:], err
}

func (o *options) addEnv(name, value string) error {
	if name == "" || strings.Contains(name, "=") {
		return fmt.Errorf("--setenv: %q is not the name of a variable", name)
	}
	o.setenv = append(o.setenv, name+"="+value)
	return nil
}

// setStatus takes no descriptor that the command needs itself.
func (o *options) setStatus(number string) error {
	fd, err := strconv.Atoi(number)
	if err != nil || fd < 3 {
		return fmt.Errorf("--status-fd: %q is not a descriptor from 3 on", number)
	}
	o.statusFD = fd
	return nil
}

// valueOf returns the value of a variable in an environment.
func valueOf(env []string, name string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// environment returns base with the variables of --setenv.
func (o *options) environment(base []string) []string {
	set := make(map[string]bool)
	for _, entry := range o.setenv {
		name, _, _ := strings.Cut(entry, "=")
		set[name] = true
	}
	var env []string
	for _, entry := range base {
		if name, _, _ := strings.Cut(entry, "="); !set[name] {
			env = append(env, entry)
		}
	}
	return append(env, o.setenv...)
}
