package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh/tools/internal/cli"
)

const versionLong = `version prints the version of dsh, of the Go that built it, and the system that it
was built for. A program that was built in a clone says (devel).`

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    versionLong,
		Example: "  dsh version",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("dsh %s (%s %s/%s)\n", cli.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
