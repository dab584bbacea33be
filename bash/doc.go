// Package bash is the executor seam: how a program, typically an agent
// harness, has a bash command run that somebody else wrote, and learns the
// truth about what happened.
//
// An [Executor] resolves a [Request], in which most things may be left out,
// into a [Spec], in which nothing is, and runs that in the foreground or
// starts it in the background. What a command did is always a result; an error
// says that the machinery could not run it. The helpers [Run] and [Start] do
// both steps.
//
// The package holds interfaces, plain types, constants and errors. Executors
// are elsewhere: one that confines nothing in the module bash-local, one that
// confines every start in bash-sandbox.
package bash
