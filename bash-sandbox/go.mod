module github.com/dsh-go/dsh/bash-sandbox

go 1.26

require (
	github.com/dsh-go/dsh/bash v0.1.0
	github.com/dsh-go/dsh/bash-local v0.1.0
	github.com/dsh-go/dsh/sandbox v0.1.0
	github.com/dsh-go/dsh/sandbox-local v0.1.0
	github.com/dsh-go/dsh/sandbox-policy v0.1.0
	github.com/dsh-go/dsh/subprocess-local v0.1.0
)
