// Package bashsandbox runs every bash command under a sandbox and reports what
// the sandbox did.
//
// [Executor] takes the place of bash-local's and has its mechanics. Each call
// is confined by the provider, runs and is classified under its own policy. A
// call under danger-full-access never reaches the provider. When nothing can
// confine a call the command is not run, and the error is a
// [*sandbox.UnavailableError].
//
// The executor never negotiates: a denial is a fact on the result, and what
// follows from it is the caller's to decide.
package bashsandbox
