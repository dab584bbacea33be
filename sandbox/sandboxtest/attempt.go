package sandboxtest

import (
	"path/filepath"

	"github.com/dsh-go/dsh/sandbox"
)

// attempt is one way to have an effect.
type attempt struct {
	effect sandbox.Effect
	name   string // the system call, or the way in words
	// places are where it is made. Nil means on files of the suite in every
	// directory and, for an effect on an inode, on the machine's nodes too.
	places []sandbox.Place
	// targets are paths of the machine on which it is made instead. Such an
	// attempt must leave the value that it finds.
	targets []string
	// with names what it needs beside the file: see victim.populate.
	with   []string
	judged judging
	needed need
	via    via
	// alone gives it a sandbox of its own at all its places, because it may
	// change the sandbox for the others.
	alone bool
	// prepare, if set, makes what it needs on the host.
	prepare func(*ground, *trial) error
	// observe tells what the host looks like; nil means observeFiles.
	observe func(*ground, *trial) string
	// do makes the attempt, inside, and returns nil if as far as it can tell it
	// had the effect. Nil where the architecture lacks the call.
	do func(victim) error
}

// judging says what counts as having had the effect.
type judging int

const (
	// byHost is that the host looks different.
	byHost judging = iota
	// byBoth is that the host looks different and the attempt succeeded, for
	// an inode on which several attempts are made.
	byBoth
	// byResult is that the attempt succeeded, for a value that stays the same.
	byResult
)

// need says what an attempt must come to where the mode allows the effect.
type need int

const (
	// mustWork: a sandbox that refuses it is of no use.
	mustWork need = iota
	// mayWork: an ordinary command does without it.
	mayWork
	// mustFail: it reaches further than the place.
	mustFail
)

// via is the namespaces in which an attempt is made.
type via string

const (
	direct  via = ""
	inMount via = "mount namespace"
	inUser  via = "user namespace"
)

// String names the attempt.
func (a attempt) String() string {
	if a.via == direct {
		return a.name
	}
	return a.name + ", in a " + string(a.via)
}

// of returns the attempts as ways to have an effect.
func of(effect sandbox.Effect, attempts []attempt) []attempt {
	for i := range attempts {
		attempts[i].effect = effect
	}
	return attempts
}

// in returns the attempts with the namespaces in which they are to be made.
func in(v via, attempts []attempt) []attempt {
	var all []attempt
	for _, a := range attempts {
		// A namespace of its own is as good as a sandbox of its own.
		a.via, a.alone = v, false
		all = append(all, a)
	}
	return all
}

// trial is one attempt at one place, as the probe is told about it.
type trial struct {
	ID      int
	Attempt int // index in catalog()
	Place   sandbox.Place
	victim
	// Populate makes the victims inside where the sandbox hides the host's.
	Populate bool
}

// victim is what an attempt acts on.
type victim struct {
	// Prefix begins every path of the suite's own files; for a path of the
	// machine's it is that path.
	Prefix string
	// Fixed says that Prefix is a path of the machine's, whose values must
	// stay what they are.
	Fixed bool
	// Workspace is where something can be moved or linked to.
	Workspace string
	// The rest is set by an attempt's prepare.
	FD         int    `json:",omitempty"` // of the host's process
	Master     int    `json:",omitempty"` // of a terminal, likewise
	PID        int    `json:",omitempty"` // of the host's process
	Handle     []byte `json:",omitempty"`
	HandleType int32  `json:",omitempty"`
}

func (v victim) path(name string) string { return v.Prefix + name }

// file is the file on which to act.
func (v victim) file() string {
	if v.Fixed {
		return v.Prefix
	}
	return v.path("file")
}

// moved is a path in the workspace that does not exist.
func (v victim) moved() string { return filepath.Join(v.Workspace, "moved-"+filepath.Base(v.Prefix)) }

// parent is the directory in which the suite's own files lie.
func (v victim) parent() string { return filepath.Dir(v.Prefix + "x") }
