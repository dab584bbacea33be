package clients

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// place is the directory in which one run happens. It lies outside /tmp, which a
// sandbox hides or makes writable.
type place string

func newPlace() (place, error) {
	dir, err := os.MkdirTemp("/var/tmp", "dsh-clients-")
	if err != nil {
		return "", err
	}
	p := place(dir)
	for _, dir := range p.empty() {
		err = errors.Join(err, os.MkdirAll(dir, 0o700))
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

func (p place) join(names ...string) string {
	return filepath.Join(append([]string{string(p)}, names...)...)
}

func (p place) program() string { return p.join("dsh") }
func (p place) sources() string { return p.join("clients") }

// empty are the directories in which nothing may be left: the commands'
// workspaces, the user's cache, where dsh keeps long output, and temporary files.
func (p place) empty() []string {
	return []string{p.join("places"), p.join("home", ".cache"), p.join("tmp")}
}

// env has every program that the tests start work in this place, as a user who
// has configured nothing. It is also how those programs are told from others.
func (p place) env() []string {
	return []string{
		"HOME=" + p.join("home"), "TMPDIR=" + p.join("tmp"),
		"XDG_CACHE_HOME=", "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_STATE_HOME=", "XDG_RUNTIME_DIR=",
		"DSH_CLIENTS_PROGRAM=" + p.program(), "DSH_CLIENTS_PLACES=" + p.join("places"),
	}
}

var errLeftBehind = errors.New("the clients' tests left something behind")

// killDelay is how long a process may take to end after the tests have.
const killDelay = 10 * time.Second

// remove removes everything, and fails when there was something to remove that
// the tests should have.
func (p place) remove() error {
	var errs []error
	for _, dir := range p.empty() {
		if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
			errs = append(errs, fmt.Errorf("%w: %s", errLeftBehind, filepath.Join(dir, entries[0].Name())))
		}
	}
	errs = append(errs, p.endProcesses(killDelay))
	return errors.Join(append(errs, os.RemoveAll(string(p)))...)
}

// endProcesses fails when processes of the tests do not end by themselves within
// the delay, and ends them.
func (p place) endProcesses(delay time.Duration) error {
	left := p.processes()
	for end := time.Now().Add(delay); len(left) > 0 && time.Now().Before(end); left = p.processes() {
		time.Sleep(50 * time.Millisecond)
	}
	var errs []error
	for pid, line := range left {
		errs = append(errs, fmt.Errorf("%w: process %d: %s", errLeftBehind, pid, line))
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill() // it may have ended since
		}
	}
	return errors.Join(errs...)
}

// processes are the command lines, by process, of those whose environment names
// this place. Where there is no /proc they are not known.
func (p place) processes() map[int]string {
	found := map[int]string{}
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well-formed
	for _, dir := range all {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		environment, _ := os.ReadFile(filepath.Join(dir, "environ")) // others' cannot be read
		if bytes.Contains(environment, []byte("HOME="+p.join("home")+"\x00")) {
			line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
			found[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte(" ")))
		}
	}
	return found
}
