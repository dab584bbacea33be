//go:build linux || darwin

package subprocesslocal

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/dsh-go/dsh/bash/subprocess"
)

// maxReport is how much of a runner's report is kept: its end.
const maxReport = 1 << 20

// attach connects the process with this program's ends of its pipes.
func (p *process) attach(l launch) {
	w := l.wiring
	if l.spec.StdinPipe {
		p.pipes.Stdin = w.stdin.open()
	}
	p.pipes.Stdout, p.stdout = p.output(w.stdout, l.spec.Stdout, l.config)
	p.pipes.Stderr, p.stderr = p.output(w.stderr, l.spec.Stderr, l.config)
	if w.status != nil {
		p.report = p.collector(w.status.open(), subprocess.Output{MaxBytes: maxReport})
	}
}

// output gives one output pipe to the caller or to a collector.
func (p *process) output(pipe *end, out subprocess.Output, config Config) (io.ReadCloser, *collector) {
	switch out.Mode {
	case subprocess.Pipe:
		return pipe.open(), nil
	case subprocess.Inherit:
		return nil, nil
	}
	c := p.collector(pipe.open(), out)
	if out.Spill != nil {
		outside := slices.Clone(out.Spill.Outside)
		c.spill = &spill{
			maxBytes: out.Spill.MaxBytes,
			create:   func() (*spillFile, error) { return p.engine.spills.create(config, outside) },
			log:      p.log,
		}
	}
	return nil, c
}

func (p *process) collector(file *os.File, out subprocess.Output) *collector {
	conn, _ := file.SyscallConn() // fails only for a file that is closed
	return &collector{
		file:      file,
		conn:      conn,
		observe:   out.Observe,
		observing: &p.observing,
		window:    window{max: out.MaxBytes},
	}
}

// run starts the goroutines that follow the process: one per collected stream
// and report, one that supervises, and while there is input one for that.
func (p *process) run(ctx context.Context, l launch) {
	p.unbind = context.AfterFunc(ctx, func() { p.Terminate() })
	for _, c := range []*collector{p.stdout, p.stderr, p.report} {
		if c != nil {
			p.reading.Go(c.run)
		}
	}
	for _, feed := range l.wiring.feeds {
		p.held = append(p.held, feed.to)
		go feed.write()
	}
	if l.spec.Stdin != nil {
		stdin := l.wiring.stdin.open()
		p.held = append(p.held, stdin)
		go pump(stdin, l.spec.Stdin, p.log)
	}
	go p.supervise()
}
