module github.com/dsh-go/dsh/sandbox

go 1.26
