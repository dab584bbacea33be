package testrun

import (
	"errors"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/treetest"
)

func read(t *testing.T, stream string) *Results {
	t.Helper()
	r := &Results{}
	if err := r.Read(strings.NewReader(stream)); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRead(t *testing.T) {
	r := read(t, `
{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/bwrap"}
{"Action":"output","Package":"p","Test":"TestA/bwrap","Output":"    needs bwrap\n"}
{"Action":"skip","Package":"p","Test":"TestA/bwrap"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`)
	if got := r.Tests(Pass); len(got) != 1 || got[0].Name != "TestA" {
		t.Errorf("passed: %v", got)
	}
	if got := r.Tests(Skip); len(got) != 1 || got[0].Output != "    needs bwrap\n" {
		t.Errorf("skipped: %v", got)
	}
	if text := r.Failures(); text != "" {
		t.Errorf("failures: %s", text)
	}
}

func TestFailures(t *testing.T) {
	for _, test := range []struct{ name, stream, want string }{
		{
			"a test", `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`, "p TestA:\nwrong\n",
		},
		{
			"a test that never ended", `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: x\n"}
{"Action":"fail","Package":"p"}`, "p TestA:\npanic: x\n",
		},
		{
			"outside any test", `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"exit status 3\n"}
{"Action":"fail","Package":"p"}`, "p:\nexit status 3\n",
		},
		{
			"a package that never ended", `{"Action":"start","Package":"p"}
{"Action":"output","Package":"p","Output":"signal: killed\n"}`, "p:\nsignal: killed\n",
		},
		{
			"a build", `{"Action":"build-output","ImportPath":"p [p.test]","Output":"x.go:1: no\n"}
{"Action":"build-fail","ImportPath":"p [p.test]"}`, "p [p.test] does not build:\nx.go:1: no\n",
		},
	} {
		r := read(t, test.stream)
		if got := r.Failures(); got != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
		if r.Verdict(nil) == nil {
			t.Errorf("%s: no verdict", test.name)
		}
	}
}

func TestReadGarbage(t *testing.T) {
	if err := (&Results{}).Read(strings.NewReader("ok  p 0.1s\n")); err == nil {
		t.Error("text was taken for events")
	}
}

func TestVerdictOfARunThatSaidNothing(t *testing.T) {
	runErr := errors.New("no such module")
	if err := (&Results{}).Verdict(runErr); !errors.Is(err, runErr) {
		t.Error(err)
	}
}

// TestGo runs a real module, in which one of two tests fails.
func TestGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	dir := t.TempDir()
	treetest.Write(t, dir, map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.26\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestGood(*testing.T) {}\n\nfunc TestBad(t *testing.T) { t.Error(\"it is bad\") }\n",
	})
	cmd := gotool.Cmd{Dir: dir, Env: []string{"GOWORK=off", "GOPROXY=off"}}
	r, err := Go(t.Context(), cmd, "./...")
	if err == nil || !strings.Contains(err.Error(), "it is bad") {
		t.Errorf("error: %v", err)
	}
	if len(r.Tests(Pass)) != 1 || len(r.Tests(Fail)) != 1 {
		t.Errorf("%d passed, %d failed", len(r.Tests(Pass)), len(r.Tests(Fail)))
	}
	if _, err := Go(t.Context(), cmd, "example.com/elsewhere"); err == nil {
		t.Error("a package that does not exist passed")
	}
}
