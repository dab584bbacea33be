package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// machine says what kind of machine the figures are from.
type machine struct {
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Kernel string `json:"kernel"`
	CPUs   int    `json:"cpus"`
	CPU    string `json:"cpu"`
	Root   bool   `json:"root"`
	Go     string `json:"go"`
	Bash   string `json:"bash"`
	Bwrap  string `json:"bwrap"`
	// Load is the load average of the last minutes at the end.
	Load string `json:"load"`
}

func thisMachine(ctx context.Context, shell string) machine {
	return machine{
		OS:     runtime.GOOS,
		Arch:   runtime.GOARCH,
		Kernel: firstLine(ctx, "uname", "-r"),
		CPUs:   runtime.NumCPU(),
		CPU:    cpuModel(),
		Root:   os.Geteuid() == 0,
		Go:     runtime.Version(),
		Bash:   firstLine(ctx, shell, "-c", "echo $BASH_VERSION"),
		Bwrap:  strings.TrimPrefix(firstLine(ctx, "bwrap", "--version"), "bubblewrap "),
		Load:   load(),
	}
}

// String is one line for the page that shows the table.
func (m machine) String() string {
	user := "an ordinary user"
	if m.Root {
		user = "root"
	}
	return fmt.Sprintf("%s/%s %s, %d CPUs (%s), as %s; %s, bash %s, bwrap %s; load %s.",
		m.OS, m.Arch, m.Kernel, m.CPUs, orUnknown(m.CPU), user, m.Go, m.Bash, orUnknown(m.Bwrap), orUnknown(m.Load))
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// firstLine is the first line that a program prints, or empty.
func firstLine(ctx context.Context, name string, args ...string) string {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}

// cpuModel is empty where it cannot be read.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(info), "model name")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), ":"))
}

func load() string {
	average, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(average))[:min(3, len(strings.Fields(string(average))))], " ")
}
