package compose

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dsh-go/dsh/sandbox"
)

// whole sets every key.
const whole = `# A comment
- id: agent
  name: tools
  config: {endpoint: "https://api.example.com/v1", model: m, key-env: MODEL_KEY}
- id: shell
  name: bash-sandbox
  config:
    shell: /bin/bash
    timeout: none
    max-timeout: 1h30m
    max-bytes: 64KiB
    spill-bytes: none
    grace: 1500ms
    env: {A: "1.10", EMPTY: "", LINES: "a\nb # c"}
- id: policy
  name: sandbox-policy
  config:
    mode: workspace-write
    workspace-root: /home/me/a project
- id: sandbox
  name: sandbox-local
  config:
    runners: [landlock, custom]
    runner-command: [/opt/runner, "--name: x"]
    runner-failure-signatures: ["runner: "]
    probe-timeout: 3s
    landlock-launcher: /usr/bin/landlock-run
- id: processes
  name: subprocess-local
  config:
    keep-spills: true
    spill-dirs:
      - /var/tmp
    spill-max-age: 24h
`

func parse(t *testing.T, text string) Composition {
	t.Helper()
	c, err := Parse("dsh.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}

// wantSame compares what is configured, wherever it stands in the file.
func wantSame(t *testing.T, got, want Composition) {
	t.Helper()
	got.lines, want.lines = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, agent %+v\nwant %+v, agent %+v", got, got.Agent, want, want.Agent)
	}
}

func TestEveryKeySetsItsField(t *testing.T) {
	got := parse(t, whole)
	want := Composition{File: "dsh.yaml", Agent: &Agent{Endpoint: "https://api.example.com/v1", Model: "m", KeyEnv: "MODEL_KEY"}}
	want.Shell.Shell = "/bin/bash"
	want.Shell.Timeout = -1
	want.Shell.MaxTimeout = 90 * time.Minute
	want.Shell.MaxBytes = 64 << 10
	want.Shell.SpillBytes = -1
	want.Shell.Grace = 1500 * time.Millisecond
	want.Shell.Env = map[string]string{"A": "1.10", "EMPTY": "", "LINES": "a\nb # c"}
	want.Policy.Mode = sandbox.WorkspaceWrite
	want.Policy.WorkspaceRoot = "/home/me/a project"
	want.Sandbox.Runners = []string{"landlock", "custom"}
	want.Sandbox.RunnerCommand = []string{"/opt/runner", "--name: x"}
	want.Sandbox.RunnerFailureSignatures = []string{"runner: "}
	want.Sandbox.ProbeTimeout = 3 * time.Second
	want.Sandbox.LandlockLauncher = "/usr/bin/landlock-run"
	want.Processes.KeepSpills = true
	want.Processes.SpillDirs = []string{"/var/tmp"}
	want.Processes.SpillMaxAge = 24 * time.Hour
	wantSame(t, got, want)
	for place, want := range map[[2]string]string{
		{"policy", "mode"}:        "dsh.yaml:18",
		{"sandbox", ""}:           "dsh.yaml:20",
		{"agent", "key-env"}:      "dsh.yaml:4",
		{"agent", "key-file"}:     "",
		{"processes", "nonsense"}: "",
	} {
		if got := got.Where(place[0], place[1]); got != want {
			t.Errorf("%v is at %q, want %q", place, got, want)
		}
	}
}

func TestNothingIsTheDefaultComposition(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "[]", "\ufeff# with a mark\n"} {
		wantSame(t, parse(t, text), Composition{File: "dsh.yaml"})
	}
	if got := parse(t, "- {id: policy, name: sandbox-policy, config: }").Mode(); got != sandbox.ReadOnly {
		t.Errorf("the default mode is %s", got)
	}
}

// TestPrintedIsReadAgain holds YAML to what Parse reads, and to be the same when
// printed once more.
func TestPrintedIsReadAgain(t *testing.T) {
	for name, text := range map[string]string{
		"whole":      whole,
		"empty":      "",
		"unconfined": "- {id: shell, name: bash-local}\n- {id: policy, name: sandbox-policy, config: {mode: danger-full-access}}",
		"key file":   "- {id: agent, name: tools, config: {endpoint: http://localhost:8080/v1, model: 'yes', key-file: /k}}",
	} {
		t.Run(name, func(t *testing.T) {
			first := parse(t, text)
			printed := print(t, first)
			second := parse(t, printed)
			wantSame(t, second, first)
			if again := print(t, second); again != printed {
				t.Errorf("printed once more:\n%s\nbefore:\n%s", again, printed)
			}
		})
	}
}

func print(t *testing.T, c Composition) string {
	t.Helper()
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestCommentedKeysAreSamples reads what is commented out as if it were not.
func TestCommentedKeysAreSamples(t *testing.T) {
	var b strings.Builder
	for line := range strings.Lines(print(t, Composition{})) {
		b.WriteString(strings.Replace(line, "# ", "", 1))
	}
	text := strings.ReplaceAll(b.String(), "runners: [bwrap, landlock]", "runners: [bwrap, custom]")
	text = strings.ReplaceAll(text, "    key-file:", "    # key-file:")
	got := parse(t, text)
	for _, p := range parts {
		for _, key := range p.keys {
			if key.name != "key-file" && !got.names(p.id, key.name) {
				t.Errorf("%s.%s is not in\n%s", p.id, key.name, text)
			}
		}
	}
}

// config is a file with one part and one key.
func config(part, module, config string) string {
	return "- id: " + part + "\n  name: " + module + "\n  config:\n    " + config + "\n"
}

func TestWhatIsWrongIsNamedWithItsLine(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		// The file as a whole.
		{"a: b", "dsh.yaml:1: must be a list of parts"},
		{"\n\nnull", "dsh.yaml:3: must be a list of parts"},
		{"- id: policy\n\tname: x", "dsh.yaml:2: not YAML: "},
		{"- \"", "dsh.yaml:1: not YAML: "},
		{"[]\n---\n[]", "dsh.yaml:2: there is a second document"},
		{"[]\n---\n[", "not YAML: "},
		{"# \xff", "dsh.yaml: is not UTF-8"},
		{strings.Repeat("#", maxSize+1), "dsh.yaml: is longer than 65536 bytes"},
		// What YAML can do and this file does not.
		{"- &a {id: policy}\n- *a", "dsh.yaml:1: &a: anchors are not used here"},
		{"- {id: policy, name: *a}", "not YAML: unknown anchor 'a' referenced"},
		{"- {id: !!str policy}", "dsh.yaml:1: !!str: tags are not used here"},
		{"- <<: {id: policy}", "dsh.yaml:1: <<: a part has no such key (there are id, name, config)"},
		{"- ? [a]\n  : b", "dsh.yaml:1: a part has a key that is a list"},
		// Parts.
		{"- policy", "dsh.yaml:1: a part must be a mapping (key: value), and is text"},
		{"- name: sandbox-policy", "dsh.yaml:1: a part has no id"},
		{"\n- id: policy", "dsh.yaml:2: a part has no name"},
		{"- id: polcy\n  name: x", `dsh.yaml:1: id: there is no part "polcy" (there are processes, sandbox, policy, shell, agent)`},
		{"- id: 7\n  name: x", `dsh.yaml:1: id: must be text, and is a number; put it in quotes: "7"`},
		{"- id: shell\n  name: bash", `dsh.yaml:2: name: "bash" cannot be the shell (bash-sandbox, bash-local can)`},
		{"- id: shell\n  name: []", "dsh.yaml:2: name: must be text, and is a list"},
		{"- {id: policy, name: sandbox-policy}\n- {id: policy, name: sandbox-policy}", `dsh.yaml:2: id: "policy" is here a second time, after line 1`},
		{"- id: policy\n  name: sandbox-policy\n  name: x", "dsh.yaml:3: name: is here a second time"},
		{"- id: policy\n  name: sandbox-policy\n  confg: {}", "dsh.yaml:3: confg: a part has no such key"},
		{"- id: policy\n  name: sandbox-policy\n  config: [mode]", "dsh.yaml:3: config must be a mapping (key: value), and is a list"},
		// Keys and values.
		{config("policy", "sandbox-policy", "mod: read-only"), "dsh.yaml:4: mod: policy has no such key (there are mode, workspace-root)"},
		{config("policy", "sandbox-policy", "mode: read-only\n    mode: read-only"), "dsh.yaml:5: mode: is here a second time"},
		{config("policy", "sandbox-policy", "mode: none"), `dsh.yaml:4: mode: there is no mode "none" (there are read-only, workspace-write, danger-full-access)`},
		{config("policy", "sandbox-policy", "mode:"), "dsh.yaml:4: mode: must be text, and is nothing"},
		{config("policy", "sandbox-policy", "mode: ''"), "dsh.yaml:4: mode: must not be empty"},
		{config("policy", "sandbox-policy", "workspace-root: ."), `dsh.yaml:4: workspace-root: "." is not an absolute path`},
		{config("policy", "sandbox-policy", "workspace-root: ~/p"), `~ is not expanded here`},
		{config("processes", "subprocess-local", "keep-spills: yes"), "dsh.yaml:4: keep-spills: must be true or false, and is text"},
		{config("processes", "subprocess-local", "spill-dirs: /var/tmp"), "dsh.yaml:4: spill-dirs: must be a list ([a, b]), and is text"},
		{config("processes", "subprocess-local", "spill-dirs: []"), "dsh.yaml:4: spill-dirs: must not be empty"},
		{config("processes", "subprocess-local", "spill-dirs:\n    - /a\n    - b"), `dsh.yaml:6: spill-dirs: "b" is not an absolute path`},
		{config("processes", "subprocess-local", "spill-max-age: 7d"), `dsh.yaml:4: spill-max-age: "7d" is not a duration`},
		{config("processes", "subprocess-local", "spill-max-age: none"), `dsh.yaml:4: spill-max-age: "none" is not a duration`},
		{config("sandbox", "sandbox-local", "runners: [bwrap, docker]"), `dsh.yaml:4: runners: "docker": no such runner (there are bwrap, landlock, seatbelt, custom; `},
		{config("sandbox", "sandbox-local", "runners: [bwrap, bwrap]"), `dsh.yaml:4: runners: "bwrap": named twice`},
		{config("sandbox", "sandbox-local", "runners: [custom]"), `dsh.yaml:4: runners: "custom": the configured runner is named`},
		{config("sandbox", "sandbox-local", "runner-command: [/r]"), "dsh.yaml:1: runner-failure-signatures: a configured runner needs"},
		{config("sandbox", "sandbox-local", "probe-timeout: -1s"), `dsh.yaml:4: probe-timeout: "-1s" is not positive`},
		{config("sandbox", "sandbox-local", "landlock-launcher: bin/x"), `dsh.yaml:4: landlock-launcher: "bin/x" is not an absolute path`},
		{config("shell", "bash-sandbox", "shell: ./bash"), `dsh.yaml:4: shell: "./bash" is not an absolute path`},
		{config("shell", "bash-sandbox", "timeout: 30"), `dsh.yaml:4: timeout: "30" is not a duration`},
		{config("shell", "bash-sandbox", "timeout: 0s"), `dsh.yaml:4: timeout: "0s" is not positive`},
		{config("shell", "bash-sandbox", "timeout: [1s]"), `dsh.yaml:4: timeout: must be a duration (30s, 5m), and is a list`},
		{config("shell", "bash-sandbox", "max-bytes: none"), `dsh.yaml:4: max-bytes: "none" is not a size`},
		{config("shell", "bash-sandbox", "max-bytes: 1.5MiB"), `dsh.yaml:4: max-bytes: "1.5MiB" is not a size`},
		{config("shell", "bash-sandbox", "max-bytes: 0"), `dsh.yaml:4: max-bytes: "0" is not a size`},
		{config("shell", "bash-sandbox", "spill-bytes: 9223372036854775807KiB"), `dsh.yaml:4: spill-bytes: "9223372036854775807KiB" is not a size`},
		{config("shell", "bash-sandbox", "spill-bytes: {}"), "dsh.yaml:4: spill-bytes: must be a size (64000, 64KiB), and is a mapping"},
		{config("shell", "bash-sandbox", "env: [A]"), "dsh.yaml:4: env: the value must be a mapping"},
		{config("shell", "bash-sandbox", "env: {A: 1.10}"), `dsh.yaml:4: env: A: must be text, and is a number; put it in quotes: "1.10"`},
		{config("shell", "bash-sandbox", "env: {A=B: c}"), `dsh.yaml:4: env: "A=B" has a name`},
		{"- {id: sandbox, name: sandbox-local}\n- {id: shell, name: bash-local}", "dsh.yaml:1: sandbox: the shell is bash-local, which confines nothing"},
		// The agent.
		{"- {id: agent, name: tools}", "dsh.yaml:1: agent: endpoint is missing"},
		{config("agent", "tools", "endpoint: https://a/v1"), "dsh.yaml:1: agent: model is missing"},
		{config("agent", "tools", "{endpoint: https://a/v1, model: m, key-env: K, key-file: /k}"), "dsh.yaml:1: agent: key-env and key-file are both here"},
		{config("agent", "tools", "endpoint: ftp://a/v1"), "dsh.yaml:4: endpoint: must be the URL of an API"},
	} {
		_, err := Parse("dsh.yaml", []byte(tt.text))
		var bad *Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.80q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// TestAKeyIsNeverRepeated puts one where people put it, and reads the error.
func TestAKeyIsNeverRepeated(t *testing.T) {
	const secret = "sk-Zm9vYmFy"
	for _, text := range []string{
		"key: " + secret, "api-key: " + secret, "apiKey: " + secret, "API_KEY: " + secret, "token: [" + secret + "]",
		"key-env: " + secret, "key-env: [" + secret + "]", "key-file: " + secret,
		"endpoint: https://" + secret + "@a/v1", "endpoint: https://a/v1?key=" + secret, "endpoint: https://a/v1#" + secret, "endpoint: " + secret,
	} {
		_, err := Parse("dsh.yaml", []byte(config("agent", "tools", text)))
		if err == nil || strings.Contains(err.Error(), secret) || !strings.HasPrefix(err.Error(), "dsh.yaml:4: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
	_, err := Parse("dsh.yaml", []byte(config("agent", "tools", "api-key: "+secret)))
	if err == nil || !strings.Contains(err.Error(), "key-env: NAME") || !strings.Contains(err.Error(), "key-file: ") {
		t.Errorf("no remedy: %v", err)
	}
}

// FuzzParse looks for what panics, and for what is printed otherwise than it is
// read.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("- {id: shell, name: bash-local}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("dsh.yaml", data)
		if err != nil {
			return
		}
		wantSame(t, parse(t, print(t, c)), c)
	})
}
