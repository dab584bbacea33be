module github.com/dsh-go/dsh/tools

go 1.26.0

require (
	github.com/coder/acp-go-sdk v0.13.0
	github.com/dsh-go/dsh/bash v0.1.0
	github.com/dsh-go/dsh/bash-local v0.1.0
	github.com/dsh-go/dsh/bash-sandbox v0.1.0
	github.com/dsh-go/dsh/sandbox v0.1.0
	github.com/dsh-go/dsh/sandbox-local v0.1.0
	github.com/dsh-go/dsh/sandbox-policy v0.1.0
	github.com/dsh-go/dsh/subprocess-local v0.1.0
	github.com/modelcontextprotocol/go-sdk v1.8.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/sashabaranov/go-openai v1.43.0
	github.com/spf13/cobra v1.10.2
	github.com/yuin/goldmark v1.8.7
	golang.org/x/mod v0.43.0
	golang.org/x/sys v0.50.0
	golang.org/x/term v0.48.0
)

require (
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/landlock-lsm/go-landlock v0.11.2 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/spf13/pflag v1.0.9
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	kernel.org/pub/linux/libs/security/libcap/psx v1.2.78 // indirect
)
