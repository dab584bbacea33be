package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/tools/internal/acpagent/acptest"
	"github.com/dsh-go/dsh/tools/internal/treetest"
)

// The ways in which calls go.
var (
	went    = []acp.ToolCallStatus{"pending", "in_progress", "completed"}
	failed  = []acp.ToolCallStatus{"pending", "in_progress", "failed"}
	refused = []acp.ToolCallStatus{"pending", "failed"}
)

// wants sends a prompt and checks its answer: why it ended, how the calls went,
// and the last words of the last one.
func (c *acpClient) wants(prompt string, reason acp.StopReason, statuses [][]acp.ToolCallStatus, last string) {
	c.Helper()
	c.Forget()
	got := c.Say(prompt)
	calls := c.Calls()
	var went [][]acp.ToolCallStatus
	for _, call := range calls {
		went = append(went, call.Statuses)
	}
	if got != reason || !reflect.DeepEqual(went, statuses) {
		c.Fatalf("%s: %s, want %s; %+v, want %v; %s", prompt, got, reason, calls, statuses, c.stderr)
	}
	if output := calls[len(calls)-1].Output; !strings.HasSuffix(output, last) {
		c.Errorf("%s: %q, want %q at its end", prompt, output, last)
	}
	for _, call := range calls {
		if !strings.Contains(c.Message(), call.Output) {
			c.Errorf("the user is told %q, and the call says %q", c.Message(), call.Output)
		}
	}
}

func TestACPRunsAPromptAsACommand(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		c := startACP(t, nil, args...)
		c.wants("echo hi; pwd; echo $DSH_SHELL $DSH_SESSION_ID", acp.StopReasonEndTurn, [][]acp.ToolCallStatus{went},
			"hi\n"+c.workspace+"\n1 "+string(c.Session.SessionId)+"\n")
		c.wants("echo oh >&2; exit 3", acp.StopReasonEndTurn, [][]acp.ToolCallStatus{failed}, "[stderr]\noh\n[exit code: 3]\n")
		if call := c.Calls()[0]; call.Title != "`echo oh >&2; exit 3`" || call.Shown[len(call.Shown)-1] != "```\n"+call.Output+"```\n" {
			t.Errorf("%+v", call)
		}
	})
}

func TestACPShowsOutputAsItComes(t *testing.T) {
	c := startACP(t, nil, "--mode", "danger-full-access")
	go func() {
		defer func() { _ = os.WriteFile(c.workspace+"/go", nil, 0o600) }()
		c.Eventually("the first line is shown", func() bool {
			calls := c.Calls()
			return len(calls) == 1 && slices.Contains(calls[0].Shown, "```\nfirst\n```\n")
		})
	}()
	c.wants("echo first; until [ -e go ]; do read -t .05 <> <(:); done; echo last", acp.StopReasonEndTurn,
		[][]acp.ToolCallStatus{went}, "first\nlast\n")
}

func TestACPEscalationIsGoodForOneRun(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		for _, tt := range []struct{ now, next string }{
			{"read-only", "workspace-write"},
			{"workspace-write", "danger-full-access"},
		} {
			c := startACP(t, acptest.Choose("allow-once"), append(args, "--mode", tt.now)...)
			count := filepath.Join(c.workspace, "count")
			if tt.now == "workspace-write" {
				count = filepath.Join(treetest.OutsideTemp(t), "count")
			}
			for times := 1; times <= 2; times++ { // each one is asked about
				c.wants("echo x >> "+count, acp.StopReasonEndTurn, [][]acp.ToolCallStatus{failed, went}, "(no output)\n")
				if n := lines(t, count); n != times {
					t.Errorf("written %d times, want %d", n, times)
				}
				checkQuestion(t, c.Asked(), tt.now, tt.next, "echo x >> "+count, c.workspace)
			}
			checkTitles(t, c.Told())
		}
	})
}

// TestACPAsksForAModeThatThereCanBe has a session in a directory that no
// workspace can be.
func TestACPAsksForAModeThatThereCanBe(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		outside := filepath.Join(treetest.OutsideTemp(t), "count")
		c := startACPIn(t, "/", acptest.Choose("allow-once"), args...)
		c.wants("echo x >> "+outside, acp.StopReasonEndTurn, [][]acp.ToolCallStatus{failed, went}, "(no output)\n")
		if asked := c.Asked(); len(asked) != 1 || !strings.HasPrefix(acptest.Question(asked[0]), "Allow danger-full-access for ") {
			t.Errorf("asked %+v", asked)
		}
		if _, err := c.SetSessionMode(c.Bounded(), acp.SetSessionModeRequest{SessionId: c.Session.SessionId, ModeId: "workspace-write"}); err == nil {
			t.Error("the whole machine is the workspace")
		}
		c.wants("echo on", acp.StopReasonEndTurn, [][]acp.ToolCallStatus{went}, "on\n")
	})
}

// checkTitles wants every call that began to have its own title again, after the
// question's.
func checkTitles(t *testing.T, told []acp.SessionUpdate) {
	t.Helper()
	for _, update := range told {
		if call := update.ToolCallUpdate; call != nil && call.Status != nil && (call.Title == nil || !strings.HasPrefix(*call.Title, "`echo x >> ")) {
			t.Errorf("%s with the title %v", *call.Status, call.Title)
		}
	}
}

func checkQuestion(t *testing.T, asked []acp.RequestPermissionRequest, now, next, command, dir string) {
	t.Helper()
	if len(asked) != 1 {
		t.Fatalf("the user was asked %d times", len(asked))
	}
	var kinds []acp.PermissionOptionKind
	for _, option := range asked[0].Options {
		kinds = append(kinds, option.Kind)
	}
	if !slices.Equal(kinds, []acp.PermissionOptionKind{"allow_once", "reject_once"}) {
		t.Errorf("options %v", kinds)
	}
	question := acptest.Question(asked[0])
	for _, want := range []string{
		"Allow " + next + " for `echo x >> ", "asked by:   dsh acp\n", "mode now:   " + now, "mode asked: " + next,
		"directory:  " + dir + "\n", "    | " + command + "\n", "was denied a file access under " + now + " mode",
	} {
		if !strings.Contains(question, want) {
			t.Errorf("the question lacks %q:\n%s", want, question)
		}
	}
}

func TestACPEscalationRefused(t *testing.T) {
	broken := func(context.Context, acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		return acp.RequestPermissionOutcome{}, errors.New("no screen")
	}
	onRunners(t, func(t *testing.T, args ...string) {
		for _, tt := range []struct {
			name   string
			answer acptest.Answer
			reason acp.StopReason
			want   string
		}{
			{"no", acptest.Choose("reject"), acp.StopReasonEndTurn, "the user rejected it"},
			{"withdrawn", acptest.Withdraw, acp.StopReasonCancelled, "the user cancelled the question"},
			{"an option that there is not", acptest.Choose("always"), acp.StopReasonEndTurn, `none of those that it was offered: "always"`},
			{"an error", broken, acp.StopReasonEndTurn, "no screen"},
			{"unsupported", nil, acp.StopReasonEndTurn, "the user could not be asked"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				c := startACP(t, tt.answer, args...)
				c.wants("echo x >> ran", tt.reason, [][]acp.ToolCallStatus{failed, refused}, "")
				calls := c.Calls()
				if !strings.Contains(calls[0].Output, sandbox.DenialMarker(sandbox.ReadOnly)) || !strings.Contains(calls[1].Output, tt.want) {
					t.Errorf("%+v", calls)
				}
				if n := lines(t, c.workspace+"/ran"); n != 0 {
					t.Error("it ran")
				}
				c.wants("echo on", acp.StopReasonEndTurn, [][]acp.ToolCallStatus{went}, "on\n")
			})
		}
	})
}

func TestACPModesAreTheUsersChoice(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		c := startACP(t, acptest.Choose("reject"), args...)
		var ids []string
		for _, mode := range c.Session.Modes.AvailableModes {
			ids = append(ids, string(mode.Id))
		}
		if got := strings.Join(ids, " "); got != "read-only workspace-write danger-full-access" || c.Session.Modes.CurrentModeId != "read-only" {
			t.Errorf("modes %s, now %s", got, c.Session.Modes.CurrentModeId)
		}
		outside := filepath.Join(treetest.OutsideTemp(t), "count")
		mode := func(id acp.SessionModeId) error {
			_, err := c.SetSessionMode(c.Bounded(), acp.SetSessionModeRequest{SessionId: c.Session.SessionId, ModeId: id})
			return err
		}
		denied, done := [][]acp.ToolCallStatus{failed, refused}, [][]acp.ToolCallStatus{went}
		for _, step := range []struct {
			mode            acp.SessionModeId
			inside, outside [][]acp.ToolCallStatus
		}{
			{"read-only", denied, denied}, {"workspace-write", done, denied}, {"danger-full-access", done, done}, {"read-only", denied, denied},
		} {
			if err := mode(step.mode); err != nil {
				t.Fatal(err)
			}
			c.wants("echo x >> inside", acp.StopReasonEndTurn, step.inside, "")
			c.wants("echo x >> "+outside, acp.StopReasonEndTurn, step.outside, "")
		}
		if err := mode("yolo"); err == nil || !strings.Contains(err.Error(), "yolo") {
			t.Errorf("%v", err)
		}
		other, err := c.Begin(treetest.OutsideTemp(t))
		if err != nil || other.Modes.CurrentModeId != "read-only" {
			t.Errorf("%+v, %v", other, err)
		}
	})
}

func TestACPANarrowerModeThanTheProgramsCanBeLeftAgain(t *testing.T) {
	onRunners(t, func(t *testing.T, args ...string) {
		c := startACP(t, acptest.Choose("allow-once"), append(args, "--mode", "danger-full-access")...)
		if _, err := c.SetSessionMode(c.Bounded(), acp.SetSessionModeRequest{SessionId: c.Session.SessionId, ModeId: "read-only"}); err != nil {
			t.Fatal(err)
		}
		c.wants("echo x >> count", acp.StopReasonEndTurn, [][]acp.ToolCallStatus{failed, went}, "(no output)\n")
	})
}

func TestACPTheSessionsDirectoryIsItsWorkspace(t *testing.T) {
	workspace := treetest.OutsideTemp(t)
	below, beside := filepath.Join(workspace, "below"), treetest.OutsideTemp(t)
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, dir, want string
		args            []string
	}{
		{"relative", "below", "must be absolute", nil},
		{"missing", below + "/nothing", "nothing", nil},
		{"too wide", "/", "/", []string{"--mode", "workspace-write"}},
		{"beside", beside, "is outside the workspace", []string{"--workspace", workspace}},
		{"above", filepath.Dir(workspace), "is outside the workspace", []string{"--workspace", workspace}},
		{"beside with its name", workspace + "x", "x", []string{"--workspace", workspace}},
		{"by a way around", below + "/../..", "is outside the workspace", []string{"--workspace", workspace}},
	} {
		c := startACPIn(t, "", nil, tt.args...)
		if _, err := c.Begin(tt.dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	onRunners(t, func(t *testing.T, args ...string) {
		args = append(args, "--mode", "workspace-write")
		c := startACPIn(t, below, acptest.Choose("reject"), args...)
		c.wants("echo x >> ../above", acp.StopReasonEndTurn, [][]acp.ToolCallStatus{failed, refused}, "")
		c = startACPIn(t, below, nil, append(args, "--workspace", workspace)...)
		c.wants("pwd; echo x >> ../above", acp.StopReasonEndTurn, [][]acp.ToolCallStatus{went}, below+"\n")
	})
}

func TestACPPromptsThatAreNone(t *testing.T) {
	c := startACP(t, nil)
	for want, blocks := range map[string][]acp.ContentBlock{
		"the prompt is empty":         {acp.TextBlock(" \n")},
		"text and links to resources": {acp.ImageBlock("AA==", "image/png")},
		`there is no session`:         nil,
	} {
		session := c.Session.SessionId
		if blocks == nil {
			session, blocks = "none", []acp.ContentBlock{acp.TextBlock("echo")}
		}
		_, err := c.Prompt(c.Bounded(), acp.PromptRequest{SessionId: session, Prompt: blocks})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
