package acpagent

import (
	"context"

	"github.com/dsh-go/dsh/bash"
	"github.com/dsh-go/dsh/sandbox"
)

// witness is the executor as the tool has it. What the tool returns is text for
// a model; the call that a context belongs to learns here when its command
// begins, and as values what became of it.
type witness struct{ bash.Executor }

type callKey struct{}

// Run runs a command.
func (w witness) Run(ctx context.Context, spec bash.Spec) (bash.Result, error) {
	call, _ := ctx.Value(callKey{}).(*toolCall)
	if call == nil {
		return w.Executor.Run(ctx, spec)
	}
	call.begin()
	result, err := w.Executor.Run(ctx, spec)
	if err == nil {
		call.result = &result
	}
	return result, err
}

// SandboxMode has the tool offer escalation always. Each call names its policy,
// and a session whose mode confines nothing may have another one a moment later,
// while the tool's schema stays what it is.
func (w witness) SandboxMode() sandbox.Mode { return sandbox.ReadOnly }
