package bashtool

import (
	"encoding/json"
	"strings"
)

// schema is a JSON schema as far as the tools need one.
type schema struct {
	Type        string             `json:"type"`
	Description string             `json:"description,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Minimum     *int               `json:"minimum,omitempty"`
	Closed      *bool              `json:"additionalProperties,omitempty"`
}

func object(required []string, properties map[string]*schema) *schema {
	closed := false
	return &schema{Type: "object", Properties: properties, Required: required, Closed: &closed}
}

// render returns the schema as JSON, the same bytes each time.
func (s *schema) render() json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a schema is plain data
	}
	return text
}

// Schema returns the JSON schema of the tool's arguments. It is the same, byte
// for byte, for the whole life of the tool.
func (t *Tool) Schema() json.RawMessage {
	one := 1
	properties := map[string]*schema{
		"command":           {Type: "string", Description: "The bash command to run."},
		"description":       {Type: "string", Description: "What the command does, in one line for the user."},
		"timeoutMs":         {Type: "integer", Minimum: &one, Description: "Terminate the command after this many milliseconds. Does not apply in the background."},
		"workdir":           {Type: "string", Description: "Directory in which to start; a relative one starts at the session's own, which is also the default."},
		"run_in_background": {Type: "boolean", Description: "Return at once and leave the command running as a background task."},
	}
	if t.escalation {
		properties["sandbox_permissions"] = &schema{
			Type: "string", Enum: []string{"workspace-write", "danger-full-access"},
			Description: "Ask the user to let this one call run under a wider sandbox mode. Needs justification.",
		}
		properties["justification"] = &schema{
			Type: "string", Description: "Why the wider mode is needed, in one sentence for the user. Only with sandbox_permissions.",
		}
	}
	return object([]string{"command", "description"}, properties).render()
}

// Description returns the tool's description for the model. It is static: what
// the current policy is, a model is told elsewhere.
func (t *Tool) Description() string {
	var b strings.Builder
	b.WriteString(`Run a bash command and return its output.

- Each call is a new non-interactive shell: variables, functions and the directory do not carry over. There is no terminal, and standard input is empty.
- Standard error stands under a line "[stderr]". A line in brackets at the end says how the command ended, if not with exit code 0.
- Only the end of a long output is returned; a line then names the file that holds all of it.
- With run_in_background the call returns a task id. Use task_output to read on, task_list to see tasks, and task_kill to end one.
`)
	if t.escalation {
		b.WriteString(`
Commands run under a file sandbox that the operating system enforces.

- "[sandbox: file access denied under ... mode]" means that the mode does not let the command change a file that it wanted to change. This is not a bug in the command, and working around it does not help.
- If the change is needed for what the user asked, retry the same command once with sandbox_permissions (the narrowest wider mode that suffices) and justification; the user is asked and may refuse. An approval is good for that one call. Do not ask in advance, and do not ask again after a refusal.
- A denial is recognised on standard error: do not send it into standard output (2>&1) or away (2>/dev/null) where it matters.
`)
	}
	return b.String()
}
