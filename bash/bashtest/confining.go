package bashtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

// RunConfining runs the suite for an executor that confines: what [Run] tests
// holds for it as well, so an implementation runs both.
//
// Options.Dir must make directories outside of the temporary area, which a
// command may write to under workspace-write. The executor's own default
// policy does not matter: every scenario names one.
func RunConfining(t *testing.T, opts Options) {
	runAll(t, opts, confining, false)
}

var confining = []scenario{
	{"a write outside is denied, and said so", deniedOutside},
	{"the workspace is writable when the mode says so", writableWorkspace},
	{"the temporary area is writable when the mode says so", writableTemp},
	{"one wider call widens nothing else", oneWiderCall},
	{"full access has no facts but its mode", fullAccess},
	{"a denial's text alone is no denial", conservative},
	{"a denial is seen though the tail lost it", denialScrolledOut},
	{"a runner's words in the mouth of a command are only words", runnersWords},
	{"a command that kills its group dies its own death", groupDeath},
	{"a trap gets its grace", trapGrace},
	{"a large here-document is a denial, a small one is none", hereDocuments},
	{"what is missing besides the runner is not its fault", missingOthers},
	{"an invalid policy is the caller's", invalidPolicy},
	{"overlapping calls keep their own facts", overlapping},
}

// modes are the modes that confine.
var modes = []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite}

// room is a workspace, a directory beside it, and an executor that starts in
// the workspace.
type room struct {
	*suite
	Fixture
	workspace, beside string
}

func (s *suite) room(settings Settings) *room {
	s.Helper()
	dir, err := sandbox.Canonical(s.opts.Dir(s.T))
	if err != nil {
		s.Fatal(err)
	}
	r := &room{suite: s, workspace: filepath.Join(dir, "workspace"), beside: filepath.Join(dir, "beside")}
	for _, dir := range []string{r.workspace, r.beside} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			s.Fatal(err)
		}
	}
	if settings.Workdir == "" {
		settings.Workdir = r.workspace
	}
	r.Fixture = s.open(settings)
	return r
}

// request is a command under a mode, with the room's workspace.
func (r *room) request(mode sandbox.Mode, command string) bash.Request {
	return bash.Request{Command: command, Policy: &sandbox.Policy{Mode: mode, WorkspaceRoot: r.workspace}}
}

// foreground runs a command under a mode and checks the facts about it.
func (r *room) foreground(mode sandbox.Mode, command string, denied bool) bash.Result {
	r.Helper()
	result := r.runWith(r.Fixture, r.request(mode, command))
	r.wantFacts(command, result.Sandbox, mode, denied)
	return result
}

// inBackground does the same in the background.
func (r *room) inBackground(mode sandbox.Mode, command string, denied bool) (bash.State, bash.Delta) {
	r.Helper()
	process, err := bash.Start(r.Context(), r.Executor, r.request(mode, command))
	if err != nil {
		r.Fatalf("Start(%.80q): %v", command, err)
	}
	state := r.wait(process)
	r.wantFacts(command, state.Sandbox, mode, denied)
	return state, process.ReadOutput()
}

// wantFacts checks the facts about a confined command that ran.
func (s *suite) wantFacts(command string, info *bash.SandboxInfo, mode sandbox.Mode, denied bool) {
	s.Helper()
	switch {
	case info == nil:
		s.Errorf("%.80q has no facts", command)
	case info.Mode != mode || info.Denied != denied || info.RunnerFailed || info.Detail != "":
		s.Errorf("%.80q has %+v, want mode %s and denied %v", command, info, mode, denied)
	case info.Runner == "" || info.Enforcement != sandbox.EnforcementOf(info.Gaps):
		s.Errorf("%.80q has incomplete facts %+v", command, info)
	}
}

func deniedOutside(s *suite) {
	r := s.room(Settings{})
	outside := filepath.Join(r.beside, "x")
	for _, mode := range modes {
		result := r.foreground(mode, "echo before; echo x > "+outside, true)
		s.wantExit(result, 1)
		s.wantText("stdout", result.Stdout.Text, "before\n")
		r.inBackground(mode, "echo x > "+outside, true)
	}
	s.wantAbsent(outside)
}

func writableWorkspace(s *suite) {
	r := s.room(Settings{})
	inside := filepath.Join(r.workspace, "x")
	r.foreground(sandbox.ReadOnly, "echo x > x", true)
	s.wantAbsent(inside)
	r.foreground(sandbox.WorkspaceWrite, "echo x > x", false)
	s.wantFile(inside, "x\n")
}

func writableTemp(s *suite) {
	const command = "f=$(mktemp) && echo x > $f && cat $f && rm $f"
	r := s.room(Settings{})
	result := r.foreground(sandbox.WorkspaceWrite, command, false)
	s.wantExit(result, 0)
	s.wantText("stdout", result.Stdout.Text, "x\n")
	if result := r.foreground(sandbox.ReadOnly, command, true); result.ExitCode == 0 {
		s.Error("under read-only it succeeds")
	}
}

func oneWiderCall(s *suite) {
	r := s.room(Settings{})
	const command = "echo x >> count"
	r.foreground(sandbox.ReadOnly, command, true)
	r.foreground(sandbox.WorkspaceWrite, command, false)
	r.foreground(sandbox.ReadOnly, command, true)
	s.wantFile(filepath.Join(r.workspace, "count"), "x\n")
}

func fullAccess(s *suite) {
	r := s.room(Settings{})
	outside := filepath.Join(r.beside, "x")
	req := r.request(sandbox.DangerFullAccess, "echo x > "+outside+"; echo 'Read-only file system' >&2; exit 1")
	result := r.runWith(r.Fixture, req)
	s.wantExit(result, 1)
	if info := result.Sandbox; info == nil || info.Mode != sandbox.DangerFullAccess || info.Denied ||
		info.RunnerFailed || info.Runner != "" || info.Enforcement != "" || info.Gaps != nil {
		s.Errorf("facts %+v", info)
	}
	s.wantFile(outside, "x\n")
	process, err := bash.Start(s.Context(), r.Executor, req)
	if err != nil {
		s.Fatal(err)
	}
	if state := s.wait(process); state.Sandbox != nil {
		s.Errorf("in the background there are facts %+v", state.Sandbox)
	}
}

func conservative(s *suite) {
	r := s.room(Settings{})
	outside := filepath.Join(r.beside, "x")
	for _, command := range []string{
		"echo 'Permission denied: Read-only file system: Operation not permitted' >&2",
		"touch " + outside + " | cat",
		"touch " + outside + "; true",
		"false",
	} {
		r.foreground(sandbox.ReadOnly, command, false)
		r.inBackground(sandbox.ReadOnly, command, false)
	}
	s.wantAbsent(outside)
}

func denialScrolledOut(s *suite) {
	r := s.room(Settings{MaxBytes: 1000})
	command := "touch " + filepath.Join(r.beside, "x") + "; seq 1 50000 >&2; exit 1"
	r.foreground(sandbox.ReadOnly, command, true)
	r.inBackground(sandbox.ReadOnly, command, true)
}

// runnersWords is why a runner needs a private channel.
func runnersWords(s *suite) {
	r := s.room(Settings{})
	for _, words := range []string{
		"bwrap: Can't find source path /x: No such file or directory",
		"landlock-run: cannot restrict",
		"sandbox-exec: execvp() of 'x' failed",
	} {
		for _, code := range []int{1, 125, 126, 127} {
			command := fmt.Sprintf("echo out; echo %q >&2; exit %d", words, code)
			result := r.foreground(sandbox.ReadOnly, command, false)
			s.wantExit(result, code)
			s.wantText("stdout", result.Stdout.Text, "out\n")
			// A launcher may announce first that the kernel is an older one.
			if !strings.HasSuffix(result.Stderr.Text, words+"\n") {
				s.Errorf("stderr is %q, want %q", result.Stderr.Text, words)
			}
			state, delta := r.inBackground(sandbox.ReadOnly, command, false)
			if state.ExitCode != code || !strings.HasPrefix(delta.Text, "out\n[stderr]\n") || !strings.HasSuffix(delta.Text, words+"\n") {
				s.Errorf("in the background: %+v, %q", state, delta.Text)
			}
		}
	}
}

func groupDeath(s *suite) {
	r := s.room(Settings{})
	for _, signal := range []string{"TERM", "KILL"} {
		command := "kill -" + signal + " 0; sleep 5"
		r.foreground(sandbox.ReadOnly, command, false)
		if state, _ := r.inBackground(sandbox.ReadOnly, command, false); state.Status != bash.StatusCompleted {
			s.Errorf("in the background: %+v", state)
		}
	}
}

func trapGrace(s *suite) {
	r := s.room(Settings{Grace: 10 * time.Second})
	req := r.request(sandbox.ReadOnly, "trap 'sleep .3; echo bye; exit 7' TERM; echo ready; sleep 60 & wait")
	req.Timeout = time.Second
	result := r.runWith(r.Fixture, req)
	if !result.TimedOut || result.ExitCode != 7 || result.Stdout.Text != "ready\nbye\n" {
		s.Errorf("timed out %v, exit code %d, %q", result.TimedOut, result.ExitCode, result.Stdout.Text)
	}
	s.wantFacts(req.Command, result.Sandbox, sandbox.ReadOnly, false)
}

// hereDocuments goes by bash 5.1 and later, which pass a document that fits
// into a pipe through one. Before, every document needs a temporary file.
func hereDocuments(s *suite) {
	r := s.room(Settings{})
	document := func(size int) string {
		return "cat <<EOF\n" + strings.Repeat("x", size-1) + "\nEOF\n"
	}
	version := s.runWith(r.Fixture, r.request(sandbox.ReadOnly, "echo $((BASH_VERSINFO[0]*100+BASH_VERSINFO[1]))")).Stdout.Text
	if len(version) == len("501\n") && version >= "501\n" {
		r.fitsIntoPipe(document(65536))
	}
	result := r.foreground(sandbox.ReadOnly, document(65537), true)
	s.wantExit(result, 1)
	if !strings.Contains(result.Stderr.Text, "here-document") && !strings.Contains(result.Stderr.Text, "here document") {
		s.Errorf("stderr %q", result.Stderr.Text)
	}
	// The last program of a pipeline decides, and it only sees no input.
	result = r.foreground(sandbox.ReadOnly, strings.Replace(document(65537), "cat <<EOF", "cat <<EOF | wc -c | tr -d ' '", 1), false)
	s.wantText("stdout", result.Stdout.Text, "0\n")
	s.wantExit(r.foreground(sandbox.WorkspaceWrite, document(65537), false), 0)
}

// fitsIntoPipe runs a command whose document goes through a pipe. A user who
// holds very many pipes gets small ones (pipe(7), pipe-user-pages-soft), and
// another test may hold them for a while.
func (r *room) fitsIntoPipe(command string) {
	r.Helper()
	deadline := time.Now().Add(patience)
	for {
		result := r.runWith(r.Fixture, r.request(sandbox.ReadOnly, command))
		if result.ExitCode == 0 {
			r.wantFacts(command, result.Sandbox, sandbox.ReadOnly, false)
			return
		}
		if time.Now().After(deadline) {
			r.Errorf("%.80q: exit code %d, %.200q", command, result.ExitCode, result.Stderr.Text)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func missingOthers(s *suite) {
	r := s.room(Settings{})
	file := filepath.Join(r.workspace, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		s.Fatal(err)
	}
	for _, mode := range modes {
		for _, workdir := range []string{filepath.Join(r.workspace, "missing"), file} {
			req := r.request(mode, "touch "+filepath.Join(r.workspace, "ran"))
			req.Workdir = workdir
			_, err := s.try(r.Fixture, req)
			s.wantWorkdirError("Run", err, workdir)
			_, err = bash.Start(s.Context(), r.Executor, req)
			s.wantWorkdirError("Start", err, workdir)
		}
	}
	s.wantAbsent(filepath.Join(r.workspace, "ran"))
}

func invalidPolicy(s *suite) {
	r := s.room(Settings{Workdir: "/"})
	outside := filepath.Join(r.beside, "x")
	for _, policy := range []sandbox.Policy{
		{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: "/"},
		{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: filepath.Join(r.workspace, "nope")},
		{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: "relative"},
		{Mode: "everything", WorkspaceRoot: r.workspace},
		{WorkspaceRoot: r.workspace},
	} {
		_, err := s.try(r.Fixture, bash.Request{Command: "touch " + outside, Policy: &policy})
		var invalid *sandbox.InvalidPolicyError
		if !errors.As(err, &invalid) || errors.Is(err, sandbox.ErrUnavailable) {
			s.Errorf("%+v: %v", policy, err)
		}
	}
	s.wantAbsent(outside)
	s.wantAbsent(filepath.Join(r.workspace, "nope"))
}

// overlapping runs calls of every mode at once, each with a workspace of its
// own.
func overlapping(s *suite) {
	r := s.room(Settings{})
	mixed := []sandbox.Mode{sandbox.ReadOnly, sandbox.WorkspaceWrite, sandbox.DangerFullAccess}
	slots := make(chan struct{}, 16)
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			r.oneOfMany(i, mixed[i%len(mixed)])
		})
	}
	group.Wait()
}

// oneOfMany is called from many goroutines.
func (r *room) oneOfMany(i int, mode sandbox.Mode) {
	root := filepath.Join(r.workspace, fmt.Sprint(i))
	if err := os.Mkdir(root, 0o700); err != nil {
		r.Error(err)
		return
	}
	result, err := bash.Run(r.Context(), r.Executor, bash.Request{
		Command: fmt.Sprintf("echo %d; echo x > x", i),
		Workdir: root,
		Policy:  &sandbox.Policy{Mode: mode, WorkspaceRoot: root},
	})
	denied := mode == sandbox.ReadOnly
	if err != nil || result.Stdout.Text != fmt.Sprintf("%d\n", i) || (result.ExitCode != 0) != denied {
		r.Errorf("%d under %s: %v, %+v", i, mode, err, result)
		return
	}
	if result.Sandbox.Mode != mode || result.Sandbox.Denied != denied || result.Sandbox.RunnerFailed {
		r.Errorf("%d under %s: facts %+v", i, mode, result.Sandbox)
	}
	if _, err := os.Lstat(filepath.Join(root, "x")); (err != nil) != denied {
		r.Errorf("%d under %s: %v", i, mode, err)
	}
}

func (s *suite) wantFile(path, text string) {
	s.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		s.Errorf("%s holds %q, %v, want %q", path, got, err, text)
	}
}
