package subprocesslocal

import (
	"github.com/dsh-go/dsh/bash/subprocess"
)

// validate adds to what no service could start what this system cannot.
func validate(spec subprocess.Spec) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	limit := argumentLimit()
	if limit == 0 {
		return nil
	}
	for _, arg := range spec.Argv {
		if size := int64(len(arg)) + 1; size > limit {
			return &subprocess.TooLongError{Field: "Argv", Bytes: size, Limit: limit}
		}
	}
	for _, entries := range []map[string]string{spec.Env, spec.Managed} {
		for name, value := range entries {
			if size := entrySize(name, value); size > limit {
				return &subprocess.TooLongError{Field: "Env", Bytes: size, Limit: limit}
			}
		}
	}
	return nil
}

// entrySize is what the kernel counts for one variable: name, "=", value and
// the terminating NUL byte.
func entrySize(name, value string) int64 { return int64(len(name)) + int64(len(value)) + 2 }

// totalSize is what the kernel copies for arguments and environment together.
func totalSize(argv, env []string) int64 {
	var size int64
	for _, list := range [][]string{argv, env} {
		for _, s := range list {
			size += int64(len(s)) + 1
		}
	}
	return size
}
