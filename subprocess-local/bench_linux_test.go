package subprocesslocal

import (
	"io"
	"os/exec"
	"syscall"
	"testing"

	"github.com/dsh-go/dsh/bash/subprocess"
)

func BenchmarkStart(b *testing.B) {
	service := newService(b)
	specs := map[string]subprocess.Spec{"program": bash(""), "bash": bash(":"), "restricted": bash(":")}
	program := specs["program"]
	program.Argv = []string{"/bin/true"}
	specs["program"] = program
	confined := specs["restricted"]
	confined.Restrict = func() error { return nil }
	specs["restricted"] = confined
	for name, spec := range specs {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				finish(b, start(b, service, spec))
			}
		})
	}
}

// BenchmarkStartBare is the same as os/exec does it.
func BenchmarkStartBare(b *testing.B) {
	for name, argv := range map[string][]string{"program": {"/bin/true"}, "bash": {"/bin/bash", "-c", ":"}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				cmd := exec.Command(argv[0], argv[1:]...)
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
				if _, err := cmd.Output(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

const benchmarkBytes = "1000000000"

func BenchmarkCollect(b *testing.B) {
	service := newService(b)
	spec := bash("head -c " + benchmarkBytes + " /dev/zero")
	b.SetBytes(1e9)
	b.ReportAllocs()
	for b.Loop() {
		p := start(b, service, spec)
		finish(b, p)
		if n := p.Stdout().ReadFrom(0).Next; n != 1e9 {
			b.Fatalf("%d bytes", n)
		}
	}
}

// BenchmarkCollectBare is what reading alone costs.
func BenchmarkCollectBare(b *testing.B) {
	b.SetBytes(1e9)
	for b.Loop() {
		cmd := exec.Command("/bin/bash", "-c", "head -c "+benchmarkBytes+" /dev/zero")
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		buf := make([]byte, chunkSize)
		if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{out}, buf); n != 1e9 || err != nil {
			b.Fatal(n, err)
		}
		cmd.Wait()
	}
}

func BenchmarkTerminate(b *testing.B) {
	service := newService(b)
	spec := bash("")
	spec.Argv = []string{"/bin/sleep", "60"}
	b.ReportAllocs()
	for b.Loop() {
		p := start(b, service, spec)
		p.Terminate()
		finish(b, p)
		waitTree(b, p)
	}
}

func BenchmarkSweep(b *testing.B) {
	sweep := newSweep(newCookieID())
	trees := []*tree{{cookie: newCookieID(), leader: &leader{pid: 1 << 23, ended: true, reaped: true}}}
	b.ReportAllocs()
	for b.Loop() {
		if err := sweep.visit(trees); err != nil {
			b.Fatal(err)
		}
	}
}
