package sandboxpolicy

import (
	"fmt"
	"strings"

	"github.com/dsh-go/dsh/sandbox"
)

// Describe tells a model what policy means for any operation, whatever tool
// carries it out. Each description is complete in itself: after a change a new
// one is appended to what the model has read, and what it has read already
// stays byte for byte what it was. The result ends with a newline.
func Describe(policy sandbox.Policy) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Sandbox mode: %s. This statement replaces every earlier one about the sandbox.\n", policy.Mode)
	switch policy.Mode {
	case sandbox.ReadOnly:
		b.WriteString("- Files may be read. No operation may change any file, anywhere.\n")
	case sandbox.WorkspaceWrite:
		b.WriteString("- Files may be read. Files may be changed only beneath these directories:\n")
		for _, root := range describedRoots(policy) {
			fmt.Fprintf(&b, "  - %s\n", root)
		}
	case sandbox.DangerFullAccess:
		b.WriteString("- Operations are not confined: every file that the user may change can be changed.\n")
		return b.String()
	}
	b.WriteString("- The operating system enforces this. An operation that is refused fails; repeating it or working around it does not help.\n")
	b.WriteString("- Network access is not restricted by the sandbox.\n")
	return b.String()
}

// describedRoots are the writable roots, or the root as given where they
// cannot be resolved.
func describedRoots(policy sandbox.Policy) []string {
	roots, err := sandbox.WritableRoots(policy)
	if err != nil {
		return []string{policy.WorkspaceRoot}
	}
	return roots
}
