module github.com/dsh-go/dsh/bash-local

go 1.26.0

require (
	github.com/dsh-go/dsh/bash v0.1.0
	github.com/dsh-go/dsh/sandbox v0.1.0
	github.com/dsh-go/dsh/subprocess-local v0.1.0
	github.com/google/go-cmp v0.7.0
)

require golang.org/x/sys v0.50.0 // indirect
