package main

import (
	"errors"
	"os/exec"
	"strings"
)

// peer is another program that runs a command.
type peer struct {
	name string
	argv []string // without the command
}

var errPeer = errors.New("is not NAME=COMMAND")

func parsePeer(text string) (peer, error) {
	name, command, _ := strings.Cut(text, "=")
	words := strings.Fields(command)
	if name == "" || len(words) == 0 {
		return peer{}, errPeer
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return peer{}, err
	}
	return peer{name: name, argv: append([]string{path}, words[1:]...)}, nil
}
