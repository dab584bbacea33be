package clients

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/testrun"
	"github.com/dsh-go/dsh/tools/internal/treetest"
)

func TestEachRan(t *testing.T) {
	results := &testrun.Results{}
	if err := results.Read(strings.NewReader(`
{"Action":"pass","Package":"a","Test":"bwrap: x"}
{"Action":"skip","Package":"b","Test":"bwrap: x"}`)); err != nil {
		t.Fatal(err)
	}
	if err := eachRan(results, []string{"/x/a.test.mjs"}); err != nil {
		t.Error(err)
	}
	for _, silent := range []string{"b", "c"} {
		err := eachRan(results, []string{"/x/a.test.mjs", "/x/" + silent + ".test.mjs"})
		if !errors.Is(err, errNoTest) || !strings.Contains(err.Error(), silent+".test.mjs") || strings.Contains(err.Error(), "a.test.mjs") {
			t.Errorf("%s: %v", silent, err)
		}
	}
	if err := eachRan(results, nil); !errors.Is(err, errNoFiles) {
		t.Error(err)
	}
}

// TestReporter has node run tests that end in every way, and reads what the
// reporter makes of it.
func TestReporter(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	reporter, err := filepath.Abs(filepath.Join("..", "..", "clients", "support", "reporter.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	treetest.Write(t, dir, map[string]string{
		"ends.test.mjs": `import { test } from "node:test";
test("ends: passes: really", () => {});
test("ends: skips", { skip: "bwrap is not usable here: gone" }, () => {});
test("ends: skips late", (t) => t.skip("later"));
test("ends: fails", () => { console.log("printed"); throw new Error("boom"); });
test("ends: too late", { timeout: 50 }, () => new Promise((resolve) => setTimeout(resolve, 500)));
`,
		"empty.test.mjs":  "",
		"broken.test.mjs": `throw new Error("cannot load")`,
	})
	results, err := testrun.Program(t.Context(), gotool.Cmd{Dir: dir},
		"node", "--test", "--test-reporter="+reporter, "--test-reporter-destination=stdout",
		"ends.test.mjs", "empty.test.mjs", "broken.test.mjs")
	if err == nil {
		t.Fatal("it is no failure")
	}
	for _, says := range []string{"ends fails:\nprinted\n", "Error: boom", "ends too late:\n", "timed out after 50ms", "broken:\n", "Error: cannot load"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("no %q in:\n%v", says, err)
		}
	}
	for outcome, want := range map[testrun.Outcome]string{
		testrun.Pass: "ends passes: really, ", testrun.Skip: "ends skips, ends skips late, ", testrun.Fail: "ends fails, ends too late, ",
	} {
		var got string
		for _, test := range results.Tests(outcome) {
			got += test.Package + " " + test.Name + ", "
		}
		if got != want {
			t.Errorf("%s: %q, want %q", outcome, got, want)
		}
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	p, err := newPlace()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(string(p)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there, or: %v", err)
	}
}

func TestAFileThatIsLeftBehind(t *testing.T) {
	for i := range place("").empty() {
		p, err := newPlace()
		if err != nil {
			t.Fatal(err)
		}
		litter := filepath.Join(p.empty()[i], "litter")
		if err := os.WriteFile(litter, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.remove(); !errors.Is(err, errLeftBehind) || !strings.Contains(err.Error(), litter) {
			t.Errorf("%s: %v", litter, err)
		}
		if _, err := os.Stat(string(p)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("it is still there, or: %v", err)
		}
	}
}

func TestAProcessThatIsLeftBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are known from /proc")
	}
	p, err := newPlace()
	if err != nil {
		t.Fatal(err)
	}
	process := exec.Command("sleep", "300")
	process.Env = append(os.Environ(), p.env()...)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	if err := p.endProcesses(0); !errors.Is(err, errLeftBehind) || !strings.Contains(err.Error(), "sleep 300") {
		t.Errorf("%v", err)
	}
	if err := process.Wait(); err == nil {
		t.Error("it was not ended")
	}
	if err := p.remove(); err != nil {
		t.Error(err)
	}
}
