package main

import "fmt"

// kernel is one kernel to try.
type kernel struct {
	name, arch string
	// suite is the Debian suite that has it. The newest kernels are built for
	// the stable suite, too, and wait in its backports.
	suite string
	// abi is the version of its Landlock, 0 where it has none; with newer set,
	// that or a later one.
	abi   int
	newer bool
	// masked are older ABIs that it stands in for.
	masked []int
	// without is set for the kernel on which bwrap is removed, too.
	without bool
}

// kernels are tried in this order. A new one is a new line here.
var kernels = []kernel{
	{name: "5.10", arch: "amd64", suite: "bullseye", without: true},
	{name: "6.1", arch: "amd64", suite: "bookworm", abi: 2},
	{name: "6.12", arch: "amd64", suite: "trixie", abi: 6},
	{name: "newest", arch: "amd64", suite: "trixie-backports", abi: 7, newer: true, masked: []int{1, 3, 4, 5}},
	{name: "6.1", arch: "arm64", suite: "bookworm", abi: 2},
	{name: "newest", arch: "arm64", suite: "trixie-backports", abi: 7, newer: true},
}

func (k kernel) String() string { return k.name + "/" + k.arch }

// checkABI makes sure that the kernel is the one that was meant.
func (k kernel) checkABI(abi int) error {
	if abi == k.abi || k.newer && abi > k.abi {
		return nil
	}
	return fmt.Errorf("the kernel's Landlock is ABI %d, and %d was expected", abi, k.abi)
}

// userland is the suite whose programs run on every kernel.
const userland = "bookworm"

// userlandPackages are the programs that commands and tests use. What they
// depend on comes along.
var userlandPackages = []string{
	"bash", "bubblewrap", "coreutils", "dash", "diffutils", "e2fsprogs", "findutils", "grep", "gzip", "libc-bin", "mawk", "procps",
	"sed", "tar", "util-linux", "usr-is-merged",
}
