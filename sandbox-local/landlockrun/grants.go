package landlockrun

import (
	"os"

	"github.com/dsh-go/dsh/sandbox"
)

// GrantArgs returns the options with which the launcher holds a policy that
// confines. The policy must be valid.
func GrantArgs(policy sandbox.Policy) ([]string, error) {
	if !policy.Mode.Confines() {
		return nil, sandbox.ErrFullAccess
	}
	if err := policy.Validate(); err != nil {
		return nil, err
	}
	roots, err := sandbox.WritableRoots(policy)
	if err != nil {
		return nil, err
	}
	args := []string{"--rw", os.DevNull}
	if policy.Mode == sandbox.ReadOnly {
		args = append(args, "--read-only")
	}
	for _, root := range roots {
		args = append(args, "--rw", root)
	}
	return args, nil
}
