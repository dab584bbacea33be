module github.com/dsh-go/dsh/subprocess-local

go 1.26.0

require (
	github.com/dsh-go/dsh/bash v0.1.0
	github.com/dsh-go/dsh/sandbox v0.1.0
	golang.org/x/sys v0.50.0
)
