package acpagent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	acp "github.com/coder/acp-go-sdk"
	openai "github.com/sashabaranov/go-openai"

	"github.com/dsh-go/dsh/sandbox"
)

// maxRounds is how often the model is asked to answer one prompt. Each round but
// the last one ends with calls of tools.
const maxRounds = 50

// notRun is the result of a call before which the user cancelled.
const notRun = "the user cancelled; this was not run\n"

// converse answers a prompt with the model: its words go to the user and its
// calls are run, until there are no more.
func (s *session) converse(ctx context.Context, prompt string) acp.StopReason {
	s.talk.addPrompt(prompt)
	for range maxRounds {
		answer, err := s.ask(ctx)
		if err != nil {
			// What it said so far it did say, but its calls may lack an end.
			s.talk.addAnswer(answer.text.String(), nil)
			if ctx.Err() == nil {
				s.say("\n\n" + s.agent.config.Model.failure(err) + "\n")
			}
			return acp.StopReasonEndTurn
		}
		if reason := ended(answer); reason != "" {
			s.talk.addAnswer(answer.text.String(), nil)
			return reason
		}
		if s.work(ctx, answer) {
			return acp.StopReasonCancelled
		}
	}
	s.say(fmt.Sprintf("\n\nThe model has called tools %d times in a row. Say whether it is to go on.\n", maxRounds))
	return acp.StopReasonMaxTurnRequests
}

// ended returns why a prompt has been answered, or nothing while there are calls
// to run. Those of an answer that was cut off may lack an end, and are not run.
func ended(answer *answer) acp.StopReason {
	switch {
	case answer.finish == openai.FinishReasonLength:
		return acp.StopReasonMaxTokens
	case answer.finish == openai.FinishReasonContentFilter:
		return acp.StopReasonRefusal
	case len(answer.calls) == 0:
		return acp.StopReasonEndTurn
	default:
		return ""
	}
}

// ask has the model answer all that was said. The answer beside an error is as
// much of it as came.
func (s *session) ask(ctx context.Context) (*answer, error) {
	var a answer
	stream, err := s.agent.config.Model.client().CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{
		Model: s.agent.config.Model.Name, Messages: s.talk.messages, Tools: s.agent.functions(),
	})
	if err != nil {
		return &a, err
	}
	err = a.read(stream, s.say, s.think)
	return &a, errors.Join(err, stream.Close())
}

// functions are the tools as the endpoint wants to hear of them.
func (a *Agent) functions() []openai.Tool {
	var all []openai.Tool
	for _, tool := range a.tools {
		all = append(all, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: tool.Name, Description: tool.Description, Parameters: tool.Schema,
		}})
	}
	return all
}

// work runs the calls of an answer, one after the other, and adds a result for
// each. It reports whether the user cancelled, after which none is run.
func (s *session) work(ctx context.Context, answer *answer) (cancelled bool) {
	calls, raw := answer.called(func() string { return string(s.nextCall()) })
	s.talk.addAnswer(answer.text.String(), calls)
	for i, call := range calls {
		if cancelled = cancelled || ctx.Err() != nil; cancelled {
			s.talk.addResult(call.ID, notRun)
			continue
		}
		text, err := s.callNamed(ctx, call.Function.Name, raw[i])
		if err != nil {
			text = "error: " + err.Error() + "\n"
		}
		cancelled = errors.Is(err, sandbox.ErrCancelled)
		s.talk.addResult(call.ID, text)
	}
	return cancelled || ctx.Err() != nil
}

// callNamed runs the tool of that name.
func (s *session) callNamed(ctx context.Context, name string, arguments []byte) (string, error) {
	var names []string
	for _, tool := range s.agent.tools {
		if tool.Name == name {
			text, _, err := s.call(ctx, tool, arguments)
			return text, err
		}
		names = append(names, tool.Name)
	}
	return "", fmt.Errorf("there is no tool %q (there are %s)", name, strings.Join(names, ", "))
}
