module github.com/dsh-go/dsh/bash-sandbox

go 1.26.0

require (
	github.com/dsh-go/dsh/bash v0.1.0
	github.com/dsh-go/dsh/bash-local v0.1.0
	github.com/dsh-go/dsh/sandbox v0.1.0
	github.com/dsh-go/dsh/sandbox-local v0.1.0
	github.com/dsh-go/dsh/sandbox-policy v0.1.0
	github.com/dsh-go/dsh/subprocess-local v0.1.0
)

require (
	github.com/landlock-lsm/go-landlock v0.11.2 // indirect
	golang.org/x/sys v0.50.0 // indirect
	kernel.org/pub/linux/libs/security/libcap/psx v1.2.78 // indirect
)
