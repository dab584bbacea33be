module github.com/dsh-go/dsh/sandbox-local

go 1.26

require (
	github.com/dsh-go/dsh/sandbox v0.1.0
	golang.org/x/sys v0.50.0
	github.com/landlock-lsm/go-landlock v0.11.2
)
