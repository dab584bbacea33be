package main

import (
	"errors"
	"os/exec"
	"strings"
)

// peerProgram is another program that runs a command.
type peerProgram struct {
	name string
	argv []string // without the command
}

var errPeer = errors.New("is not NAME=COMMAND")

func parsePeer(text string) (peerProgram, error) {
	name, command, _ := strings.Cut(text, "=")
	words := strings.Fields(command)
	if name == "" || len(words) == 0 {
		return peerProgram{}, errPeer
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return peerProgram{}, err
	}
	return peerProgram{name: name, argv: append([]string{path}, words[1:]...)}, nil
}
