package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
	"github.com/dsh-go/dsh/sandbox/sandboxtest"
	"github.com/dsh-go/dsh/tools/cmd/kernels/internal/guestjob"
	"github.com/dsh-go/dsh/tools/internal/cpio"
	"github.com/dsh-go/dsh/tools/internal/debian"
)

func TestKernelPackages(t *testing.T) {
	for _, test := range []struct {
		name          string
		closure, want []string
	}{
		{
			"one package",
			[]string{"linux-image-cloud-amd64", "linux-image-6.1.0-50-cloud-amd64", "linux-base", "kmod"},
			[]string{"linux-image-6.1.0-50-cloud-amd64"},
		},
		{
			"image, binary and modules apart",
			[]string{
				"linux-image-cloud-amd64", "linux-base-cloud-amd64", "linux-modules-cloud-amd64", "linux-base-7.3.4+deb13-cloud-amd64",
				"linux-image-7.3.4+deb13-cloud-amd64", "linux-binary-7.3.4+deb13-cloud-amd64", "linux-modules-7.3.4+deb13-cloud-amd64", "util-linux",
			},
			[]string{"linux-image-7.3.4+deb13-cloud-amd64", "linux-binary-7.3.4+deb13-cloud-amd64", "linux-modules-7.3.4+deb13-cloud-amd64"},
		},
	} {
		if got := kernelPackages(test.closure); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

func TestTree(t *testing.T) {
	var out bytes.Buffer
	tree := &tree{w: cpio.NewWriter(&out), dirs: map[string]bool{"usr": true}}
	for _, f := range []debian.File{
		{Name: "bin", Header: &tar.Header{Typeflag: tar.TypeDir, Mode: 0o755}},
		{Name: "bin/a", Header: &tar.Header{Typeflag: tar.TypeReg, Mode: 0o755}, Content: strings.NewReader("program")},
		{Name: "lib/x/", Header: &tar.Header{Typeflag: tar.TypeDir, Mode: 0o755}},
		{Name: "usr/share/doc/a", Header: &tar.Header{Typeflag: tar.TypeReg}, Content: strings.NewReader("useless")},
		{Name: "usr/bin/b", Header: &tar.Header{Typeflag: tar.TypeLink, Linkname: "./bin/a"}},
		{Name: "usr/bin/c", Header: &tar.Header{Typeflag: tar.TypeSymlink, Linkname: "../lib/c"}},
		{Name: "dev/null", Header: &tar.Header{Typeflag: tar.TypeChar}},
	} {
		if err := tree.add(f); err != nil {
			t.Fatal(err)
		}
	}
	text := out.String()
	for _, part := range []string{"usr/bin/a\x00", "program", "usr/lib/x", "usr/bin/b\x00", "/usr/bin/a", "usr/bin/c\x00", "../lib/c"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing", part)
		}
	}
	for _, part := range []string{"useless", "dev/null"} {
		if strings.Contains(text, part) {
			t.Errorf("%q is there", part)
		}
	}
}

func TestComplete(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, versionsFile), []byte("bash 5.2\ncoreutils 9.1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		dir    string
		wanted []string
		want   bool
	}{
		{dir, nil, true},
		{dir, []string{"coreutils", "bash"}, true},
		{dir, []string{"bash", "gzip"}, false},
		{filepath.Join(dir, "none"), nil, false},
	} {
		if got, err := complete(test.dir, test.wanted); got != test.want || err != nil {
			t.Errorf("%q of %s: %v, %v", test.wanted, test.dir, got, err)
		}
	}
}

func TestJobs(t *testing.T) {
	for _, short := range []bool{true, false} {
		for _, k := range kernels {
			names := map[string]bool{}
			for _, job := range jobs(k, short) {
				if names[job.Name] || job.LastLine == "" || job.Timeout == 0 {
					t.Errorf("%v, short %v: %+v", k, short, job)
				}
				names[job.Name] = true
				measures := job.LastLine == guestjob.MeasuredLine
				if slices.Contains(job.Argv, "-"+guestjob.OneAttempt) != (measures && short) {
					t.Errorf("%v, short %v: %q", k, short, job.Argv)
				}
			}
			for _, user := range users {
				if !names[measureName(user, 0)] {
					t.Errorf("%v, short %v: no truth table as %s", k, short, user)
				}
			}
			for _, abi := range k.masked {
				if !names[measureName(guestjob.Root, abi)] {
					t.Errorf("%v, short %v: nothing is masked as ABI %d", k, short, abi)
				}
			}
		}
	}
}

func TestLongestFirst(t *testing.T) {
	var outcomes []outcome
	for _, k := range kernels {
		outcomes = append(outcomes, outcome{kernel: k})
	}
	order := (&session{}).longestFirst(outcomes)
	if len(order) != len(kernels) || order[0].String() != "newest/amd64" || order[1].arch != "arm64" || order[2].arch != "arm64" {
		t.Errorf("%v, %v, %v of %d", order[0], order[1], order[2], len(order))
	}
	for _, k := range kernels {
		if slowness[k.arch] == 0 {
			t.Errorf("nobody knows how slow %s is", k.arch)
		}
	}
}

// measured is a report in which every job of a kernel went well but for what
// change does to it.
func measured(k kernel, change func(*guestjob.Report)) *outcome {
	o := &outcome{kernel: k, report: guestjob.Report{Started: guestjob.Started{ABI: k.abi}}}
	for _, job := range jobs(k, true) {
		output := job.LastLine + "\n"
		if job.LastLine == guestjob.MeasuredLine {
			output = `{"User":"root","Runner":"bwrap","Mode":"read-only","Enforcement":"full","Cells":{"refused":5}}` + "\n" + output
		}
		o.report.Ended = append(o.report.Ended, guestjob.Ended{Job: job.Name, Output: output})
	}
	change(&o.report)
	o.judge(jobs(k, true))
	return o
}

func TestJudge(t *testing.T) {
	first := func(from, to string) func(*guestjob.Report) {
		return func(r *guestjob.Report) { r.Ended[0].Output = strings.Replace(r.Ended[0].Output, from, to, 1) }
	}
	for _, test := range []struct {
		name   string
		change func(*guestjob.Report)
		want   string
	}{
		{"all is well", func(*guestjob.Report) {}, ""},
		{"another kernel", func(r *guestjob.Report) { r.ABI = 3 }, "is ABI 3"},
		{"a job was not run", func(r *guestjob.Report) { r.Ended = r.Ended[1:] }, "it was not run"},
		{"a job failed", func(r *guestjob.Report) { r.Ended[1].ExitCode = 1 }, "exit code 1"},
		{"a job was cut short", func(r *guestjob.Report) { r.Ended[1].Output = "=== RUN\n" }, `its last line is not "PASS"`},
		{"a measurement without rows", func(r *guestjob.Report) { r.Ended[0].Output = "measured\n" }, "last line"},
		{"a garbled row", first(`"User"`, `User`), "garbled"},
		{"a claim that does not hold", first(`"full"`, `"full","Violations":[{"Kind":"undeclared gap","Effect":"mode"}]`), "undeclared gap: "},
		{"a required runner is missing", first(`"Enforcement":"full"`, `"Unusable":"not found"`), "unusable: not found"},
		{"partial without a gap", first(`"full"`, `"partial"`), "neither full"},
		{"full with a gap", first(`"full"`, `"full","Gaps":[{"Effect":"mode","Place":"dev"}]`), "neither full"},
	} {
		o := measured(kernels[1], test.change)
		if (o.err == nil) != (test.want == "") || o.err != nil && !strings.Contains(o.err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, o.err)
		}
	}
}

func TestLandlockMayBeMissingOnlyWithoutIt(t *testing.T) {
	unusable := guestjob.Row{Runner: "landlock", Unusable: "the kernel has none"}
	for _, k := range kernels {
		o := outcome{kernel: k}
		if err := o.checkRow(row{Row: unusable}); (err == nil) != (k.abi == 0) {
			t.Errorf("%v: %v", k, err)
		}
	}
}

func TestALimitIsNoFailureAtABI1Alone(t *testing.T) {
	limit := sandboxtest.Violation{Kind: sandboxtest.Useless, Effect: sandbox.EffectRenameAcross}
	gap := sandboxtest.Violation{Kind: sandboxtest.UndeclaredGap, Effect: sandbox.EffectRenameAcross}
	other := sandboxtest.Violation{Kind: sandboxtest.Useless, Effect: sandbox.EffectCreate}
	for _, test := range []struct {
		masked    int
		violation sandboxtest.Violation
		ok        bool
	}{{1, limit, true}, {3, limit, false}, {0, limit, false}, {1, gap, false}, {1, other, false}} {
		r := row{guestjob.Row{Runner: "landlock", Enforcement: "full", Violations: []sandboxtest.Violation{test.violation}}, test.masked}
		o := outcome{kernel: kernels[1], report: guestjob.Report{Started: guestjob.Started{ABI: 2}}}
		if err := o.checkRow(r); (err == nil) != test.ok {
			t.Errorf("ABI %d masked, %v: %v", test.masked, test.violation, err)
		}
	}
}

func TestWriteTable(t *testing.T) {
	gap := func(effect sandbox.Effect, place sandbox.Place) sandbox.Gap {
		return sandbox.Gap{Effect: effect, Place: place}
	}
	cells := map[sandboxtest.Verdict]int{sandboxtest.Refused: 5, sandboxtest.DeclaredGap: 2, sandboxtest.NotTriable: 3, sandboxtest.Violated: 7}
	partial := guestjob.Row{Runner: "landlock", Mode: "read-only", Enforcement: "partial", Cells: cells, Gaps: []sandbox.Gap{
		gap("times", "outside"), gap("mode", "outside"), gap("mode", "dev"), gap("times", "dev"), gap("owner", "proc"),
	}}
	limited := partial
	limited.Violations = []sandboxtest.Violation{
		{Kind: sandboxtest.Useless, Effect: "rename-across"},
		{Kind: sandboxtest.Useless, Effect: "hard-link"},
		{Kind: sandboxtest.UndeclaredGap, Effect: "xattr", Place: "dev"},
		{Kind: sandboxtest.UndeclaredGap, Effect: "xattr", Place: "dev"},
		{Kind: sandboxtest.Broken, Attempt: "the environment arrives"},
	}
	full := guestjob.Row{Runner: "landlock", Mode: "read-only", Enforcement: "full", Cells: cells}
	unusable := guestjob.Row{Runner: "bwrap", Mode: "read-only", Unusable: "it is not there"}
	outcomes := []outcome{{
		kernel: kernel{name: "6.1", arch: "amd64"}, report: guestjob.Report{Started: guestjob.Started{ABI: 2}},
		rows: []row{{limited, 1}, {unusable, 0}, {partial, 0}, {unusable, 0}, {full, 0}},
	}}
	var out strings.Builder
	if err := writeTable(&out, outcomes); err != nil {
		t.Fatal(err)
	}
	want := `| 6.1 | amd64 | 2 | bwrap | read-only | unusable | it is not there | – | – |
| 6.1 | amd64 | 2 | landlock | read-only | partial / full | outside and dev: mode, times; proc: owner / – | 7 | 3 |
| 6.1 | amd64 | 1 masked | landlock | read-only | partial | outside and dev: mode, times; proc: owner; *limit: no hard-link, rename-across*; **undeclared gap: xattr in dev**; **broken contract: the environment arrives** | 7 | 3 |
`
	if _, body, _ := strings.Cut(out.String(), "---|\n"); body != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
}

func TestParse(t *testing.T) {
	opts, err := parse([]string{"-short", "-only", "newest/arm64"}, io.Discard)
	if err != nil || !opts.short || len(opts.kernels) != 1 || opts.kernels[0].arch != "arm64" {
		t.Errorf("%+v, %v", opts, err)
	}
	if opts, err := parse([]string{"-only", "6.1"}, io.Discard); err != nil || len(opts.kernels) != 2 {
		t.Errorf("%+v, %v", opts, err)
	}
	for _, args := range [][]string{{"-only", "1.0"}, {"extra"}, {"-nope"}, {"-short", "-table", "x"}, {"-only", "6.1", "-table", "x"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q passed", args)
		}
	}
}

func TestAnInterruptedReportIsNoReport(t *testing.T) {
	if _, err := readReport(t.TempDir() + "/none"); err == nil {
		t.Error("a missing report passes")
	}
	if _, err := guestjob.Read(strings.NewReader("")); !errors.Is(err, guestjob.ErrIncomplete) {
		t.Error(err)
	}
}
