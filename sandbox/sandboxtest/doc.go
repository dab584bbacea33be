// Package sandboxtest is the conformance suite for a [sandbox.Provider]. It
// measures what a sandbox claims.
//
// [Run] holds the truth table: every effect by which a command can change the
// host, at every place, under every mode. Each cell is attempted by a real
// command, by every system call that has the effect; the host is inspected
// before and after; and what was seen must equal what the confinement's report
// claims. A change that the mode forbids and no gap declares is a failure. So
// is a declared gap that was not seen anywhere in its place, and so is an
// effect that the mode allows and the sandbox refuses: a sandbox in which
// nothing works is of no use.
//
// Whether an attempt can succeed on this machine at all is found out by a
// control: the same attempts, made without a sandbox, once in each process.
// What fails there is counted as not triable and never as passed. Where all
// that takes too long, [Options].OneAttempt makes do with one way to have each
// effect.
//
// The suite is safe to run as root. It changes only files of its own, which
// it removes; where it must try the machine's (a device node, a kernel
// setting), it writes the value that is already there. Only the time of a
// device node's last change cannot always be given back: it becomes the present.
//
// The rest of the contract of a provider is checked under each mode by
// ordinary commands, which do the same without a sandbox as the control: the
// errors for a policy that is wrong, for full access and for a context that
// has ended; that Env arrives and does not act on the runner, and that a
// command starts in Dir or not at all; that the Dialect knows a refusal and a
// runner that cannot start a command, and takes no ordinary failure for one;
// and, on Linux, that the polite signal to the group of a Status's Leader
// reaches the command. What is not kept is a violation of the kind [Broken].
//
// The test binary is the command that does all this. It needs
//
//	func TestMain(m *testing.M) { sandboxtest.Main(m) }
//
// The suite covers files. It does not test what the promise leaves out: the
// network, other processes' help, access times. Nor does it test what it cannot
// bring about: that no backend is available, calls that overlap, a runner that
// fails in another way. The errors that the seam leaves to a provider are the
// provider's to test.
//
// A gap counts as seen only if an attempt can be made by this user on this
// machine, so a report has to depend on both.
package sandboxtest
