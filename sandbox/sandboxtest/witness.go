package sandboxtest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// witnessArg makes the test binary an ordinary command, whose doings are the
// same with and without a sandbox: "sandboxtest-witness JOB ARGUMENT...".
const witnessArg = "sandboxtest-witness"

// The jobs of a witness.
const (
	jobTell   = "tell"   // print what it finds around it, with the variables named
	jobChange = "change" // change what is in the directory named
	jobFail   = "fail"   // fail for a reason of its own
	jobAwait  = "await"  // print a line, wait for the polite signal, and print another one
)

// The exit codes of a witness.
const (
	codeDone    = 0
	codeRefused = 1
	codeUsage   = 2
	codeFailed  = 3
	codeHidden  = 4
)

// witnessMain does a job and returns the exit code.
func witnessMain(job string, args []string) int {
	switch {
	case job == jobTell:
		return tell(args)
	case job == jobChange && len(args) == 1:
		return change(args[0])
	case job == jobFail:
		_, err := os.Open("no-such-file")
		fmt.Fprintln(os.Stderr, err)
		return codeFailed
	case job == jobAwait:
		return await()
	}
	fmt.Fprintln(os.Stderr, witnessArg+": no such job")
	return codeUsage
}

// surroundings are what a command finds around it.
type surroundings struct {
	// Dir is the working directory, and Mark what the file of that name holds
	// there.
	Dir, Mark string
	// Env has the variables that are set.
	Env map[string][]byte
}

const markName = "mark"

func tell(names []string) int {
	found := surroundings{Env: map[string][]byte{}}
	for _, name := range names {
		if value, set := os.LookupEnv(name); set {
			found.Env[name] = []byte(value)
		}
	}
	os.Unsetenv("PWD") // on which os.Getwd would rely
	found.Dir, _ = os.Getwd()
	mark, _ := os.ReadFile(markName)
	found.Mark = string(mark)
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		return codeFailed
	}
	return codeDone
}

// toldBy reads what a witness told.
func toldBy(ended Ended) (found surroundings, told bool) {
	err := json.Unmarshal([]byte(ended.Stdout), &found)
	return found, err == nil && ended.ExitCode == codeDone
}

// changeable are the files of a directory that a witness is to change.
var changeable = map[string]string{"overwritten": content, "removed": content, "renamed": content}

// refusedPrefix begins a line about a change that was refused.
const refusedPrefix = "refused: "

// change makes ordinary changes, each on its own, in a directory with the
// changeable files. It says which were refused, as every program does: in the
// system's words. Where the directory is hidden, nothing is.
func change(dir string) int {
	if _, err := os.Lstat(dir); os.IsNotExist(err) {
		return codeHidden
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	code := codeDone
	for _, err := range []error{
		os.WriteFile(path("created"), nil, 0o644),
		os.WriteFile(path("overwritten"), nil, 0o644),
		os.Remove(path("removed")),
		os.Rename(path("renamed"), path("other")),
		os.Mkdir(path("dir"), 0o755),
	} {
		if err != nil {
			fmt.Fprintln(os.Stderr, refusedPrefix+err.Error())
			code = codeRefused
		}
	}
	return code
}

// What a witness prints while it waits, and when the signal came.
const (
	readyLine   = "ready\n"
	handledLine = "handled\n"
)

// patience is how long a witness waits for a signal that may never come.
const patience = 20 * time.Second

func await() int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	fmt.Print(readyLine)
	select {
	case <-signals:
		fmt.Print(handledLine)
		return codeDone
	case <-time.After(patience):
		return codeFailed
	}
}
