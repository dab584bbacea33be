package acpagent

import (
	"fmt"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"github.com/dsh-go/dsh/sandbox"
	sandboxpolicy "github.com/dsh-go/dsh/sandbox-policy"
)

// instructions are what the model is told first. The tools describe themselves,
// and what the sandbox lets it do is said by the policy.
const instructions = `You are an agent that works for the user in the directory %q of their machine.
Use the tools to find out and to act. Say briefly what you did and what you found; what a command printed is shown to the user already.

`

// talk is a conversation with a model. Only what is noted may come from several
// goroutines. A nil one is that of no model.
type talk struct {
	// messages are only ever appended to, so that what the model has read stays
	// byte for byte what it was.
	messages []openai.ChatCompletionMessage

	mu    sync.Mutex
	notes []string
}

func newTalk(dir string, policy sandbox.Policy) *talk {
	t := &talk{}
	t.add(openai.ChatMessageRoleSystem, fmt.Sprintf(instructions, dir)+sandboxpolicy.Describe(policy))
	return t
}

func (t *talk) add(role, text string) {
	t.messages = append(t.messages, openai.ChatCompletionMessage{Role: role, Content: text})
}

// addPrompt adds what the user said.
func (t *talk) addPrompt(text string) {
	t.add(openai.ChatMessageRoleUser, t.noted()+text)
}

// addAnswer adds what the model said. Each call in it needs a result.
func (t *talk) addAnswer(text string, calls []openai.ToolCall) {
	if text == "" && len(calls) == 0 {
		return
	}
	t.messages = append(t.messages, openai.ChatCompletionMessage{
		Role: openai.ChatMessageRoleAssistant, Content: text, ToolCalls: calls,
	})
}

// addResult adds the result of a call.
func (t *talk) addResult(call, text string) {
	t.messages = append(t.messages, openai.ChatCompletionMessage{
		Role: openai.ChatMessageRoleTool, Content: text + t.noted(), ToolCallID: call,
	})
}

// note has the model hear something that nobody said to it: with the next prompt
// or the next result of a tool, whichever comes first.
func (t *talk) note(text string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, text)
}

// noted returns the notes that the model has not heard, as lines of their own.
func (t *talk) noted() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, note := range t.notes {
		b.WriteString("\n" + strings.TrimSuffix(note, "\n") + "\n\n")
	}
	t.notes = nil
	return b.String()
}
