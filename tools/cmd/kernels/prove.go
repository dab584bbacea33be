package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dsh-go/dsh/tools/cmd/kernels/internal/guestjob"
	"github.com/dsh-go/dsh/tools/internal/emulator"
	"github.com/dsh-go/dsh/tools/internal/gotool"
	"github.com/dsh-go/dsh/tools/internal/workspace"
)

// bootLimit is when a machine is switched off. On a host with nothing else to
// do none needs a quarter of it.
const bootLimit = 40 * time.Minute

// session is one run of kernels.
type session struct {
	options
	out    io.Writer
	saying sync.Mutex
	store  *store
	source *workspace.Workspace
	// dir holds what this run makes.
	dir   string
	built map[string]binaries // by architecture
}

// prove tries the kernels and prints the table. Its error is everything that
// did not go as it should.
func prove(ctx context.Context, opts options, out io.Writer) (err error) {
	source, err := workspace.Find(".")
	if err != nil {
		return err
	}
	if err := findPrograms(opts.kernels); err != nil {
		return err
	}
	s := &session{options: opts, out: out, source: source, built: map[string]binaries{}}
	if s.store, err = openStore(opts.mirror, s.say); err != nil {
		return err
	}
	if opts.refresh {
		if err := s.store.clear(); err != nil {
			return err
		}
	}
	if s.dir, err = os.MkdirTemp(s.store.dir, "run-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	return s.prove(ctx)
}

// findPrograms looks for what is needed before anything takes long.
func findPrograms(kernels []kernel) error {
	programs := []string{"go", "apt-get", "apt-cache", "dpkg-deb"}
	for _, k := range kernels {
		program, err := emulator.Program(k.arch)
		if err != nil {
			return err
		}
		programs = append(programs, program)
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%w; on Debian: apt-get install qemu-system-x86 qemu-system-arm debian-archive-keyring", err)
		}
	}
	return nil
}

// say prints a line. Kernels that run at the same time take turns.
func (s *session) say(format string, args ...any) {
	s.saying.Lock()
	defer s.saying.Unlock()
	_, _ = io.WriteString(s.out, fmt.Sprintf(format+"\n", args...))
}

// prove prepares everything, one after the other, and boots the kernels, as
// many at a time as there are processors.
func (s *session) prove(ctx context.Context) error {
	outcomes := make([]outcome, len(s.kernels))
	for i, k := range s.kernels {
		outcomes[i].kernel = k
	}
	var running sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for _, o := range s.longestFirst(outcomes) {
		b, err := s.prepare(ctx, o.kernel)
		if err != nil {
			o.err = err
			continue
		}
		slots <- struct{}{}
		running.Go(func() {
			s.try(ctx, b, o)
			<-slots
		})
	}
	running.Wait()
	var errs []error
	for _, o := range outcomes {
		if o.err != nil {
			errs = append(errs, fmt.Errorf("%v: %w", o.kernel, o.err))
		}
	}
	s.say("")
	if err := errors.Join(append(errs, writeTable(s.out, outcomes))...); err != nil {
		return err
	}
	if s.table != "" {
		if err := s.publish(ctx, outcomes); err != nil {
			return err
		}
	}
	s.say("\n%s", summary(outcomes))
	return nil
}

// summary is the last line of a run in which all went well.
func summary(outcomes []outcome) string {
	jobs := 0
	for _, o := range outcomes {
		jobs += len(o.report.Ended)
	}
	return fmt.Sprintf("%d jobs on %d kernels: every claim held", jobs, len(outcomes))
}

// slowness is how long an architecture's emulation takes, roughly.
var slowness = map[string]int{"amd64": 1, "arm64": 2}

// longestFirst puts what takes long first, so that no processor is left over
// with it in the end: many jobs, and those of the slower emulation.
func (s *session) longestFirst(outcomes []outcome) []*outcome {
	var order []*outcome
	for i := range outcomes {
		order = append(order, &outcomes[i])
	}
	length := func(o *outcome) int { return len(jobs(o.kernel, s.short)) * slowness[o.arch] }
	slices.SortStableFunc(order, func(a, b *outcome) int { return length(b) - length(a) })
	return order
}

// prepare fetches and builds what a kernel needs.
func (s *session) prepare(ctx context.Context, k kernel) (b boot, err error) {
	b = boot{kernel: k, jobs: jobs(k, s.short)}
	if b.image, err = s.store.kernel(ctx, k); err != nil {
		return b, err
	}
	if b.tree, err = s.store.tree(ctx, k.arch); err != nil {
		return b, err
	}
	b.built, err = s.binaries(ctx, k.arch)
	return b, err
}

// try boots a kernel and judges what its guest reports.
func (s *session) try(ctx context.Context, b boot, o *outcome) {
	begin := time.Now()
	dir, err := os.MkdirTemp(s.dir, "boot-")
	if err == nil {
		o.report, err = b.run(ctx, dir, bootLimit)
	}
	o.judge(b.jobs)
	status := "ok"
	if err != nil {
		o.err = err // the jobs that were not reported follow from it
	}
	if o.err != nil {
		status = "FAIL"
	}
	took := time.Since(begin)
	s.say("%-5s %-13s %6.1fs  %s, %d jobs", status, b.kernel, took.Seconds(), o.report.Release, len(o.report.Ended))
	if s.times {
		s.sayTimes(o.report, took)
	}
}

// sayTimes prints what the jobs of a guest took, and what is left of its time.
func (s *session) sayTimes(r guestjob.Report, whole time.Duration) {
	var lines strings.Builder
	for _, ended := range r.Ended {
		whole -= ended.Took
		fmt.Fprintf(&lines, "\n      %6.1fs  %s", ended.Took.Seconds(), ended.Job)
	}
	s.say("      %6.1fs  to boot and to switch off%s", whole.Seconds(), lines.String())
}

// binaries builds an architecture's binaries once.
func (s *session) binaries(ctx context.Context, arch string) (binaries, error) {
	if built, ok := s.built[arch]; ok {
		return built, nil
	}
	built, err := build(ctx, s.source, s.dir, arch)
	if err == nil {
		s.built[arch] = built
	}
	return built, err
}

// publish writes the table for the documents.
func (s *session) publish(ctx context.Context, outcomes []outcome) error {
	tools, err := s.tools(ctx)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := errors.Join(writeVersions(&text, outcomes, tools), writeTable(&text, outcomes)); err != nil {
		return err
	}
	return os.WriteFile(s.table, []byte(text.String()), 0o644)
}

// tools are the versions of what the guests ran on and with.
func (s *session) tools(ctx context.Context) ([]tool, error) {
	var tools []tool
	for _, name := range []string{"bubblewrap", "bash", "coreutils"} {
		version, err := s.store.version(s.kernels[0].arch, name)
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool{name, version})
	}
	program, err := emulator.Program(s.kernels[0].arch)
	if err != nil {
		return nil, err
	}
	out, err := gotool.Cmd{}.Run(ctx, program, "--version")
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(out, "\n")
	return append(tools, tool{"QEMU", strings.TrimPrefix(first, "QEMU emulator version ")}), nil
}
