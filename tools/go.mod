module github.com/dsh-go/dsh/tools

go 1.26

require (
	github.com/dsh-go/dsh/bash v0.1.0
	github.com/dsh-go/dsh/bash-local v0.1.0
	github.com/dsh-go/dsh/bash-sandbox v0.1.0
	github.com/dsh-go/dsh/sandbox v0.1.0
	github.com/dsh-go/dsh/sandbox-local v0.1.0
	github.com/dsh-go/dsh/sandbox-policy v0.1.0
	github.com/dsh-go/dsh/subprocess-local v0.1.0
	github.com/spf13/cobra v1.10.2
	golang.org/x/mod v0.43.0
	golang.org/x/sys v0.50.0
)
