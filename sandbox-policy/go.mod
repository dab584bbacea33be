module github.com/dsh-go/dsh/sandbox-policy

go 1.26

require github.com/dsh-go/dsh/sandbox v0.1.0
