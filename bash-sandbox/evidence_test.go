package bashsandbox

import (
	"strings"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

var launcher = sandbox.Dialect{
	Denials: []string{"permission denied", "read-only file system"},
	Failures: []sandbox.FailureRule{{
		ExitCodes:     []int{125},
		Fatal:         []string{"launcher: ", "", "  "},
		Informational: []string{"launcher: partial enforcement"},
	}},
}

// watch feeds text to new evidence in chunks of the given size.
func watch(dialect sandbox.Dialect, text string, size int) *evidence {
	e := newEvidence(dialect)
	for len(text) > 0 {
		n := min(size, len(text))
		e.observe([]byte(text[:n]))
		text = text[n:]
	}
	return e
}

func TestEvidence(t *testing.T) {
	long := strings.Repeat("x", 3*maxLine)
	tests := []struct {
		name   string
		stderr string
		exit   int
		line   string
		failed bool
		denied bool
	}{
		{name: "nothing", exit: 125},
		{name: "a fatal line", stderr: "a\nlauncher: no such file\nb\n", exit: 125, line: "launcher: no such file", failed: true},
		{name: "in any case, without an end", stderr: "LAUNCHER: broken", exit: 125, line: "LAUNCHER: broken", failed: true},
		{name: "the first match counts", stderr: "launcher: one\nlauncher: two\n", exit: 125, line: "launcher: one", failed: true},
		{name: "another exit code", stderr: "launcher: no such file\n", exit: 1},
		{name: "no failure at all", stderr: "launcher: no such file\n", exit: 0},
		{name: "only the notice", stderr: "launcher: partial enforcement\n", exit: 125},
		{name: "the notice in another case and with CRLF", stderr: "Launcher: Partial Enforcement\r\n", exit: 125},
		{name: "the notice and more on its line", stderr: "launcher: partial enforcement failed\n", exit: 125, line: "launcher: partial enforcement failed", failed: true},
		{name: "the notice with a blank behind it", stderr: "launcher: partial enforcement \n", exit: 125, line: "launcher: partial enforcement ", failed: true},
		{name: "the notice, then a failure", stderr: "launcher: partial enforcement\nlauncher: failed\n", exit: 125, line: "launcher: failed", failed: true},
		{name: "a signature across two lines", stderr: "launch\ner: x\n", exit: 125},
		{name: "a denial", stderr: "touch: /x: Permission Denied\n", exit: 1, denied: true},
		{name: "a denial without an end", stderr: "Read-only file system", exit: 1, denied: true},
		{name: "a denial far into a long line", stderr: long + "permission denied" + long, exit: 1, denied: true},
		{name: "a denial long ago", stderr: "permission denied\n" + strings.Repeat(long+"\n", 20), exit: 1, denied: true},
		{name: "a fatal signature far into a long line", stderr: long + "launcher: x", exit: 125, line: "?", failed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range []int{1 << 20, maxLine, 4093, 7, 1} {
				e := watch(launcher, tt.stderr, size)
				line, failed := e.failure(tt.exit)
				if failed != tt.failed || tt.line != "?" && line != tt.line {
					t.Errorf("chunks of %d: failure = %q, %v", size, line, failed)
				}
				if e.denied() != tt.denied {
					t.Errorf("chunks of %d: denied = %v", size, !tt.denied)
				}
			}
		})
	}
}

func TestASignatureIsFoundAtEveryPlaceOfALongLine(t *testing.T) {
	for at := maxLine - 40; at < maxLine+40; at++ {
		text := strings.Repeat("x", at) + "permission denied" + strings.Repeat("y", maxLine)
		if !watch(launcher, text, 1<<20).denied() {
			t.Errorf("not found at %d", at)
		}
	}
}

func TestEvidenceHasBoundedMemory(t *testing.T) {
	e := newEvidence(launcher)
	chunk := []byte(strings.Repeat("x", 64<<10))
	for range 1000 {
		e.observe(chunk)
	}
	if cap(e.line) > 2*maxLine || len(e.last) > maxDetail {
		t.Errorf("holds a line of %d bytes and quotes %d", cap(e.line), len(e.last))
	}
}

func TestARuleWithoutExitCodesTakesAnyFailure(t *testing.T) {
	dialect := sandbox.Dialect{Failures: []sandbox.FailureRule{{Fatal: []string{"runner: "}}}}
	e := watch(dialect, "runner: x\n", 100)
	if _, failed := e.failure(0); failed {
		t.Error("a zero exit is a failure")
	}
	if _, failed := e.failure(3); !failed {
		t.Error("a non-zero exit is none")
	}
}

func TestBlankSignaturesMatchNothing(t *testing.T) {
	dialect := sandbox.Dialect{Denials: []string{""}, Failures: []sandbox.FailureRule{{Fatal: []string{" ", ""}}}}
	e := watch(dialect, "some text\n", 100)
	if _, failed := e.failure(1); failed || e.denied() {
		t.Error("a blank signature matched")
	}
}

func TestLastWords(t *testing.T) {
	for stderr, want := range map[string]string{
		"":                            "",
		"one\ntwo\n\n \n":             "two",
		"launcher: the cause\nmore\n": "launcher: the cause",
		"no newline":                  "no newline",
	} {
		if got := watch(launcher, stderr, 3).lastWords(125); got != want {
			t.Errorf("lastWords of %q = %q, want %q", stderr, got, want)
		}
	}
}

func FuzzEvidenceDoesNotDependOnChunks(f *testing.F) {
	f.Add("launcher: x\npermission denied\r\n", uint8(3))
	f.Add(strings.Repeat("x", maxLine)+"Launcher: ", uint8(200))
	f.Fuzz(func(t *testing.T, stderr string, size uint8) {
		whole := watch(launcher, stderr, len(stderr)+1)
		parts := watch(launcher, stderr, int(size)+1)
		wholeLine, wholeFailed := whole.failure(125)
		partsLine, partsFailed := parts.failure(125)
		if wholeLine != partsLine || wholeFailed != partsFailed || whole.denied() != parts.denied() {
			t.Errorf("%q, %v, %v in one piece; %q, %v, %v in pieces", wholeLine, wholeFailed, whole.denied(), partsLine, partsFailed, parts.denied())
		}
	})
}
