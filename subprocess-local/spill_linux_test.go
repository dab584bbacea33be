package subprocesslocal

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh/bash/subprocess"
	"golang.org/x/sys/unix"
)

// spillBase is a directory for spill files that is not beneath /tmp, where none
// are made.
func spillBase(t *testing.T) string {
	t.Helper()
	base, err := os.MkdirTemp("/var/tmp", "spill-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	return base
}

func serviceWith(t *testing.T, config Config) *Service {
	t.Helper()
	service, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeService(t, service) })
	return service
}

// overflow runs a command that overflows a window of 4 bytes and returns what
// its stream then is.
func overflow(t *testing.T, service *Service, outside ...string) subprocess.Chunk {
	t.Helper()
	spec := bash("echo enough")
	spec.Stdout = subprocess.Output{MaxBytes: 4, Spill: &subprocess.Spill{MaxBytes: 1 << 20, Outside: outside}}
	p := start(t, service, spec)
	finish(t, p)
	return p.Stdout().ReadFrom(0)
}

func TestSpillDirectoriesAreTriedInOrder(t *testing.T) {
	first, second := spillBase(t), spillBase(t)
	service := serviceWith(t, Config{SpillDirs: []string{first, second}})
	if path := overflow(t, service).SpillPath; !strings.HasPrefix(path, first+"/") {
		t.Errorf("spilled to %q", path)
	}
	if path := overflow(t, service, first).SpillPath; !strings.HasPrefix(path, second+"/") {
		t.Errorf("outside of the first, spilled to %q", path)
	}
	if chunk := overflow(t, service, first, second); chunk.SpillPath != "" || !chunk.Lossy {
		t.Errorf("outside of both: %+v", chunk)
	}
	if path := overflow(t, service, first+"/x").SpillPath; !strings.HasPrefix(path, first+"/") {
		t.Errorf("outside of a directory in it, spilled to %q", path)
	}
}

func TestSpillDirectoriesThatAreNotSafeAreNotUsed(t *testing.T) {
	base := spillBase(t)
	paths := map[string]string{}
	for _, name := range []string{"open", "mine", "hidden", "file", "inside"} {
		paths[name] = filepath.Join(base, name)
	}
	for _, name := range []string{"open", "mine", "inside"} {
		if err := os.Mkdir(paths[name], 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(paths["open"], 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/tmp", paths["hidden"]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(paths["file"], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(paths["inside"], link); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{paths["open"], paths["hidden"], paths["file"], "/tmp", "/tmp/x", "/proc", link} {
		service := serviceWith(t, Config{SpillDirs: []string{bad}})
		if chunk := overflow(t, service, paths["inside"]); chunk.SpillPath != "" {
			t.Errorf("%s: spilled to %q", bad, chunk.SpillPath)
		}
	}
	if path := overflow(t, serviceWith(t, Config{SpillDirs: []string{paths["mine"]}})).SpillPath; path == "" {
		t.Error("no spill in a good directory")
	}
}

func TestForeignSpillDirectoriesAreNotUsed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to make another user's directory")
	}
	base := spillBase(t)
	if err := os.Chown(base, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	service := serviceWith(t, Config{SpillDirs: []string{base}})
	if chunk := overflow(t, service); chunk.SpillPath != "" {
		t.Errorf("spilled to %q", chunk.SpillPath)
	}
}

func TestSpillsIgnoreTheModeMask(t *testing.T) {
	for _, mask := range []int{0, 0o777} {
		base := spillBase(t)
		service := serviceWith(t, Config{SpillDirs: []string{base}})
		old := unix.Umask(mask)
		path := overflow(t, service).SpillPath
		unix.Umask(old)
		if path == "" {
			t.Fatalf("umask %o: no spill", mask)
		}
		dir, err := os.Stat(filepath.Dir(path))
		if err != nil || dir.Mode().Perm() != 0o700 {
			t.Errorf("umask %o: directory %v, %v", mask, dir.Mode(), err)
		}
		var file unix.Stat_t
		if err := unix.Lstat(path, &file); err != nil || file.Mode&0o777 != 0o600 || file.Nlink != 1 {
			t.Errorf("umask %o: mode %o, %d links, %v", mask, file.Mode, file.Nlink, err)
		}
	}
}

func TestASpillDirectoryThatVanishesIsMadeAgain(t *testing.T) {
	base := spillBase(t)
	service := serviceWith(t, Config{SpillDirs: []string{base}})
	first := overflow(t, service).SpillPath
	if err := os.RemoveAll(filepath.Dir(first)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/tmp", filepath.Dir(first)); err != nil { // as an attacker would
		t.Fatal(err)
	}
	second := overflow(t, service).SpillPath
	if second == "" || filepath.Dir(second) == filepath.Dir(first) {
		t.Errorf("spilled to %q, then to %q", first, second)
	}
}

func TestKeptSpillsStayAndAreSweptByAge(t *testing.T) {
	base := spillBase(t)
	keeping, err := New(Config{SpillDirs: []string{base}, KeepSpills: true})
	if err != nil {
		t.Fatal(err)
	}
	kept := overflow(t, keeping).SpillPath
	closeService(t, keeping)
	if content, err := os.ReadFile(kept); string(content) != "enough\n" {
		t.Fatalf("kept %q, %v", content, err)
	}
	overflow(t, serviceWith(t, Config{SpillDirs: []string{base}}))
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("a young file: %v", err)
	}
	old := time.Now().Add(-2 * time.Hour)
	for _, path := range []string{kept, filepath.Dir(kept)} {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	overflow(t, serviceWith(t, Config{SpillDirs: []string{base}, SpillMaxAge: time.Hour}))
	if _, err := os.Stat(filepath.Dir(kept)); !os.IsNotExist(err) {
		t.Errorf("an old file's directory: %v", err)
	}
}

func TestSweepingTouchesOnlyOurOwn(t *testing.T) {
	base, elsewhere := spillBase(t), spillBase(t)
	old := time.Now().Add(-time.Hour)
	precious := filepath.Join(elsewhere, "precious")
	named := filepath.Join(base, spillDirPrefix+"link")
	shared := filepath.Join(base, spillDirPrefix+"shared")
	other := filepath.Join(base, "other")
	for _, dir := range []string{shared, other} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{precious, filepath.Join(shared, "f"), filepath.Join(other, "f")} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(file, old, old)
	}
	if err := os.Symlink(elsewhere, named); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{elsewhere, shared, other} {
		os.Chtimes(dir, old, old)
	}
	sweepSpills(base, time.Now())
	for _, file := range []string{precious, filepath.Join(shared, "f"), filepath.Join(other, "f")} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

// readOnly is a spill file to which nothing can be written.
func readOnly(t *testing.T) (*spillFile, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spill")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	return &spillFile{File: file}, err
}

func TestASpillThatCannotBeWrittenIsNeverNamed(t *testing.T) {
	for name, create := range map[string]func() (*spillFile, error){
		"no file":  func() (*spillFile, error) { return nil, errors.New("no") },
		"no space": func() (*spillFile, error) { return readOnly(t) },
	} {
		var files []*spillFile
		s := spill{maxBytes: 100, log: slog.New(slog.DiscardHandler), create: func() (*spillFile, error) {
			file, err := create()
			files = append(files, file)
			return file, err
		}}
		w := window{max: 2}
		for range 3 {
			if file := s.take(&w, []byte("abc")); file.name() != "" {
				t.Errorf("%s: %q is named", name, file.name())
			}
			w.add([]byte("abc"))
		}
		if file := s.finish(); file.name() != "" {
			t.Errorf("%s: %q is named in the end", name, file.name())
		}
		if len(files) != 1 {
			t.Errorf("%s: tried %d times", name, len(files))
		}
		if files[0] != nil {
			if _, err := os.Stat(files[0].Name()); !os.IsNotExist(err) {
				t.Errorf("%s: the file: %v", name, err)
			}
		}
	}
}

func TestAFullDiskLosesTheFileAndNothingElse(t *testing.T) {
	service := serviceWith(t, Config{SpillDirs: []string{spillBase(t)}})
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	spec := bash("read go; head -c 300000 /dev/zero | tr '\\0' x; echo; echo end")
	spec.Stdout = subprocess.Output{MaxBytes: 1000, Spill: &subprocess.Spill{MaxBytes: 1 << 30}}
	spec.StdinPipe = true
	p := start(t, service, spec)
	limited := unix.Rlimit{Cur: 100_000, Max: old.Max}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limited); err != nil { // Go ignores SIGXFSZ
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_FSIZE, &old)
	p.Pipes().Stdin.Close()
	finish(t, p)
	chunk := p.Stdout().ReadFrom(0)
	if chunk.SpillPath != "" || !strings.HasSuffix(chunk.Text, "x\nend\n") || chunk.Next != 300_005 {
		t.Errorf("spill %q, next %d", chunk.SpillPath, chunk.Next)
	}
}

func TestLargeSpillsAreByteExact(t *testing.T) {
	service := serviceWith(t, Config{SpillDirs: []string{spillBase(t)}})
	var seen bytes.Buffer
	spec := bash("head -c 5000000 /dev/urandom")
	spec.Stdout = subprocess.Output{
		MaxBytes: 64_000,
		Spill:    &subprocess.Spill{MaxBytes: 64 << 20},
		Observe:  func(chunk []byte) { seen.Write(chunk) },
	}
	p := start(t, service, spec)
	finish(t, p)
	file, err := os.Open(p.Stdout().ReadFrom(0).SpillPath)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil || !bytes.Equal(content, seen.Bytes()) || len(content) != 5_000_000 {
		t.Errorf("the file has %d bytes, the stream %d, %v", len(content), seen.Len(), err)
	}
}

func TestTheLogTellsNoValueAndNoArgument(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	service, err := New(Config{Logger: logger, SpillDirs: []string{spillBase(t)}})
	if err != nil {
		t.Fatal(err)
	}
	spec := bash(": argumentsecret; cat")
	spec.Env = map[string]string{"A": "valuesecret"}
	spec.Stdin = strings.NewReader("inputsecret")
	finish(t, start(t, service, spec))
	overflow(t, service)
	closeService(t, service)
	if text := log.String(); strings.Contains(text, "secret") || !strings.Contains(text, "/bin/bash") || !strings.Contains(text, "spill") {
		t.Errorf("log:\n%s", text)
	}
}
