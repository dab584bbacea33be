package sandboxtest

import (
	"context"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

func TestMain(m *testing.M) { Main(m) }

// unconfining confines nothing and claims everything.
type unconfining struct{ gaps []sandbox.Gap }

func (u unconfining) Confine(_ context.Context, req sandbox.Request) (*sandbox.Confinement, error) {
	return &sandbox.Confinement{
		Argv:   req.Argv,
		Report: sandbox.Report{Runner: "none", Enforcement: sandbox.EnforcementOf(u.gaps), Gaps: u.gaps},
	}, nil
}

func TestX(t *testing.T) {
	table, findings, err := measure(t.Context(), unconfining{}, Options{}.defaults(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(len(findings), table.Count())
}
