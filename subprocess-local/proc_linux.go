package subprocesslocal

import (
	"bytes"
	"os"
	"strconv"
)

// processes are the ids of all processes.
func processes() ([]int, error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// statFields returns what follows the name of the program in /proc/PID/stat:
// state, parent, group and so on (proc_pid_stat(5)). The name can hold any
// byte, but no later field holds a parenthesis.
func statFields(pid int) [][]byte {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	return bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
}

// isZombie reports whether a process has ended but for its parent's wait.
func isZombie(pid int) bool {
	fields := statFields(pid)
	return len(fields) == 0 || fields[0][0] == 'Z' || fields[0][0] == 'X'
}

func parentOf(pid int) int {
	fields := statFields(pid)
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}

// hasChildren reports whether a process has any. It also holds where the
// kernel does not tell (proc_pid_task(5), CONFIG_PROC_CHILDREN).
func hasChildren(pid int) bool {
	name := strconv.Itoa(pid)
	content, err := os.ReadFile("/proc/" + name + "/task/" + name + "/children")
	return err != nil || len(bytes.TrimSpace(content)) > 0
}

// between reports whether a process that we may look at is, or was a moment
// ago, between two states in which its environment is empty although it is
// alive: it is about to become another program, or its memory is gone but not
// yet the rest of it, such as its open files.
func between(pid int) bool {
	const envStart, envEnd = 50 - 3, 51 - 3 // counted from the state; zero without memory
	fields := statFields(pid)
	if len(fields) <= envEnd || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return false
	}
	return string(fields[envEnd]) == "0" || !bytes.Equal(fields[envStart], fields[envEnd])
}

// descends reports whether a process is a descendant of another, a few
// generations down.
func descends(pid, ancestor int) bool {
	for range 8 {
		if pid = parentOf(pid); pid == ancestor {
			return true
		}
	}
	return false
}

// startTime tells two processes of the same number apart.
func startTime(pid int) string {
	const field = 22 - 3 // starttime, counted from the state (proc_pid_stat(5))
	fields := statFields(pid)
	if len(fields) <= field {
		return ""
	}
	return string(fields[field])
}
