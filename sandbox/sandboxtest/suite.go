package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// limit is how long the suite may take; it takes seconds.
const limit = 5 * time.Minute

// Run measures what provider claims, fails t for every claim that does not
// hold, logs what could not be tried, and returns what was seen. It skips the
// test on a system for which it knows no attempts.
func Run(t *testing.T, provider sandbox.Provider, options Options) *Table {
	t.Helper()
	return report(t, provider, options)
}

// reporter is the part of testing.TB by which [Run] reports.
type reporter interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
	Logf(format string, args ...any)
}

func report(t reporter, provider sandbox.Provider, options Options) *Table {
	t.Helper()
	table, err := Measure(t.Context(), provider, options)
	if errors.Is(err, ErrNoAttempts) {
		t.Skipf("%v", err)
	}
	if err != nil {
		t.Fatalf("%v", err)
		return nil
	}
	for _, violation := range table.Violations {
		t.Errorf("%v", violation)
	}
	t.Logf("%s as %s on %s: %v\nnot triable here:\n\t%s", table.Runner, table.User, table.System,
		table.Count(), strings.Join(table.Untried, "\n\t"))
	return table
}

var (
	// ErrNoAttempts means that the suite knows no attempts for this system.
	ErrNoAttempts = errors.New("sandboxtest: no attempts are known for this system")
	// ErrNoProbe means that the test binary would run its tests again if it
	// were started as the probe.
	ErrNoProbe = errors.New("sandboxtest: the program does not serve as the probe: TestMain must call Main or ServeProbe")
)

// Measure is [Run] without a test: it returns what was seen, the violations
// among it. An error means that nothing is known. Measurements of one process
// wait for each other; it must not start anything else meanwhile that minds
// inheriting descriptors or variables whose names begin with CONFORMANCE_.
func Measure(ctx context.Context, provider sandbox.Provider, options Options) (_ *Table, err error) {
	if len(catalog()) == 0 {
		return nil, ErrNoAttempts
	}
	if !serving.Load() {
		return nil, ErrNoProbe
	}
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	g, err := openGround()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	s := &suite{ground: g, provider: provider, options: options.defaults()}
	s.table.User, s.table.System = userKind(), system()
	if !unconfined.serves(s.options) {
		if err := s.control(ctx); err != nil {
			return nil, fmt.Errorf("without a sandbox: %w", err)
		}
	}
	s.table.Untried = slices.Clone(unconfined.untried)
	for _, mode := range s.options.Modes {
		if err := s.mode(ctx, mode); err != nil {
			return nil, fmt.Errorf("%s: %w", mode, err)
		}
	}
	return &s.table, nil
}

// oneAtATime keeps the descriptors that one measurement leaves inheritable out
// of what another one starts, and guards unconfined.
var oneAtATime sync.Mutex

func userKind() string {
	if os.Geteuid() == 0 {
		return "root"
	}
	return "ordinary user"
}

// suite is one measurement.
type suite struct {
	*ground
	provider sandbox.Provider
	options  Options
	table    Table
}

// mode makes the attempts under a mode and judges what it came to, and then
// the rest of the contract.
func (s *suite) mode(ctx context.Context, mode sandbox.Mode) error {
	all := s.stage(mode, s.chosen())
	if err := s.checkPrepared(all); err != nil {
		return err
	}
	var claims sandbox.Report
	err := s.run(ctx, all, func(ctx context.Context, argv []string) (Ended, error) {
		confinement, err := s.confine(ctx, mode, command{argv: argv, dir: s.workspace()})
		if err != nil {
			return Ended{}, err
		}
		if claims.Runner != "" && !reflect.DeepEqual(claims, confinement.Report) {
			s.broken(mode, "the report", "two of the same mode: %+v and %+v", claims, confinement.Report)
		}
		claims = confinement.Report
		return s.start(ctx, mode, confinement)
	})
	if err != nil {
		return err
	}
	s.table.Runner = claims.Runner
	s.judge(mode, claims, byCell(all))
	return s.contract(ctx, mode)
}

// checkPrepared makes sure that what was possible without a sandbox is
// attempted: otherwise it would count as refused.
func (s *suite) checkPrepared(all []*staged) error {
	for _, t := range all {
		if t.unprepared != nil && unconfined.possible[s.key(t)] {
			return fmt.Errorf("%s in %s by %v %s", t.effect, t.Place, t.attempt, t.detail())
		}
	}
	return nil
}

func (s *suite) confine(ctx context.Context, mode sandbox.Mode, c command) (*sandbox.Confinement, error) {
	confinement, err := s.provider.Confine(ctx, sandbox.Request{
		Argv: c.argv, Dir: c.dir, Env: maps.Clone(c.env), Host: s.options.Host,
		Policy: sandbox.Policy{Mode: mode, WorkspaceRoot: s.workspace()},
	})
	if err != nil {
		return nil, err
	}
	return confinement, confinement.Check(s.options.Host)
}

// start starts a confinement and checks that its runner tells the truth about
// the start: the probe ran, as its last line proves.
func (s *suite) start(ctx context.Context, mode sandbox.Mode, confinement *sandbox.Confinement) (Ended, error) {
	ended, err := s.options.Start(ctx, Launch{Confinement: confinement, Dir: s.workspace()})
	if err != nil || confinement.Status == nil {
		return ended, err
	}
	if state := confinement.Status.Read(ended.Status); state != sandbox.CommandStarted {
		s.broken(mode, "the status", "the probe ran, and the runner says %v: %q", state, ended.Status)
	}
	return ended, nil
}

func (s *suite) broken(mode sandbox.Mode, by, format string, args ...any) {
	s.violate(Violation{Kind: Broken, Mode: mode, Attempt: by, Detail: fmt.Sprintf(format, args...)})
}

func (s *suite) violate(v Violation) { s.table.Violations = append(s.table.Violations, v) }
