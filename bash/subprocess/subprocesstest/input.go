package subprocesstest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
)

var inputTests = []test{
	{"large input and large output do not wait for each other", largeInput},
	{"a command that does not want its input is not failed", unwantedInput},
	{"no input is the end of file", noInput},
	{"a file as input cannot be written through", inputIsCopied},
	{"a reader that blocks does not hold the outcome up", blockedInput},
	{"the caller's pipe breaks when the process has ended", brokenPipe},
}

func largeInput(f *fixture) {
	input := bytes.Repeat([]byte("x"), 4<<20)
	spec := shell(`cat | wc -c`)
	spec.Stdin = bytes.NewReader(input)
	if outcome, stdout, _ := f.run(spec); outcome.ExitCode != 0 || strings.TrimSpace(stdout) != "4194304" {
		f.Errorf("%+v, stdout %q", outcome, stdout)
	}
	spec = shell(`yes | head -c 300000; cat >/dev/null`)
	spec.Stdin = bytes.NewReader(input)
	spec.Stdout.MaxBytes = 1 << 20
	if outcome, stdout, _ := f.run(spec); outcome.ExitCode != 0 || len(stdout) != 300000 {
		f.Errorf("%+v, %d bytes", outcome, len(stdout))
	}
	spec = shell(`cat`)
	spec.Stdin = bytes.NewReader(input)
	spec.Stdout.MaxBytes = len(input)
	if _, stdout, _ := f.run(spec); stdout != string(input) {
		f.Errorf("cat printed %d bytes", len(stdout))
	}
}

func unwantedInput(f *fixture) {
	for script, want := range map[string]int{`exit 0`: 0, `exec <&-; sleep 0.2; exit 7`: 7} {
		spec := shell(script)
		spec.Stdin = bytes.NewReader(make([]byte, 4<<20))
		if outcome, _, _ := f.run(spec); outcome.ExitCode != want || outcome.Signal != "" {
			f.Errorf("%s: %+v", script, outcome)
		}
	}
}

func noInput(f *fixture) {
	for _, script := range []string{`cat; echo rc=$?`, `cat </dev/null; cat; echo rc=$?`} {
		if _, stdout, _ := f.run(shell(script)); stdout != "rc=0\n" {
			f.Errorf("%s: stdout %q", script, stdout)
		}
	}
}

func inputIsCopied(f *fixture) {
	path := f.TempDir() + "/input"
	if err := os.WriteFile(path, []byte("mine\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	spec := shell(`cat; echo theirs >/dev/stdin; exit 0`)
	spec.Stdin = file
	if _, stdout, _ := f.run(spec); !strings.HasPrefix(stdout, "mine\n") {
		f.Errorf("stdout %q", stdout)
	}
	if content, err := os.ReadFile(path); string(content) != "mine\n" {
		f.Errorf("the file now holds %q, %v", content, err)
	}
}

func blockedInput(f *fixture) {
	r, w := io.Pipe()
	defer w.Close()
	spec := shell(`exit 3`)
	spec.Stdin = r
	if outcome, _, _ := f.run(spec); outcome.ExitCode != 3 {
		f.Errorf("%+v", outcome)
	}
}

func brokenPipe(f *fixture) {
	spec := shell(`exit 0`)
	spec.StdinPipe = true
	handle := f.start(spec)
	f.finish(handle)
	if _, err := handle.Pipes().Stdin.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		f.Errorf("a write after the end: %v", err)
	}
	handle.Pipes().Stdin.Close()
}
