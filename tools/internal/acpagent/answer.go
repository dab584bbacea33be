package acpagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// maxAnswer bounds, in bytes, what is kept of an answer. No model says so much;
// an endpoint may.
const maxAnswer = 16 << 20

// The reasons why an answer is of no use.
var (
	errTorn = errors.New("the answer ended before it was complete")
	errLong = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
)

// answer is what a model says in one round, as it comes.
type answer struct {
	text   strings.Builder
	calls  []openai.ToolCall
	finish openai.FinishReason
	size   int // of the text and the calls, in bytes
}

// read reads an answer to its end and hands on each piece of text and of
// reasoning as it comes.
func (a *answer) read(stream *openai.ChatCompletionStream, say, think func(string)) error {
	for {
		chunk, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF) && a.finish == "":
			return errTorn
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		// Chunks without a choice tell of usage.
		for _, choice := range chunk.Choices {
			a.add(choice, say, think)
		}
		if a.size > maxAnswer {
			return errLong
		}
	}
}

func (a *answer) add(choice openai.ChatCompletionStreamChoice, say, think func(string)) {
	if text := choice.Delta.Content + choice.Delta.Refusal; text != "" {
		a.text.WriteString(text)
		a.size += len(text)
		say(text)
	}
	if choice.Delta.ReasoningContent != "" {
		think(choice.Delta.ReasoningContent)
	}
	for _, piece := range choice.Delta.ToolCalls {
		a.addCall(piece)
	}
	if choice.FinishReason != "" {
		a.finish = choice.FinishReason
	}
}

// addCall adds a piece of a call. The first one has the name, all together have
// the arguments.
func (a *answer) addCall(piece openai.ToolCall) {
	a.size += len(piece.ID) + len(piece.Function.Name) + len(piece.Function.Arguments)
	call := a.find(piece)
	if call == nil {
		a.calls = append(a.calls, openai.ToolCall{Index: piece.Index, Type: openai.ToolTypeFunction})
		call = &a.calls[len(a.calls)-1]
	}
	if call.ID == "" {
		call.ID = piece.ID
	}
	if call.Function.Name == "" {
		call.Function.Name = piece.Function.Name
	}
	call.Function.Arguments += piece.Function.Arguments
}

// find returns the call that a piece continues, or nil. Endpoints that number no
// calls begin each one with its identifier.
func (a *answer) find(piece openai.ToolCall) *openai.ToolCall {
	for i := range a.calls {
		if call := &a.calls[i]; call.Index != nil && piece.Index != nil && *call.Index == *piece.Index {
			return call
		}
	}
	if piece.Index != nil || len(a.calls) == 0 {
		return nil
	}
	if last := &a.calls[len(a.calls)-1]; piece.ID == "" || piece.ID == last.ID {
		return last
	}
	return nil
}

// called returns the calls as the model may read them again: numbered no more,
// each with an identifier, and with arguments that are JSON, for an endpoint may
// refuse any others. The raw ones are what the tools get.
func (a *answer) called(nextID func() string) (calls []openai.ToolCall, raw []json.RawMessage) {
	for _, call := range a.calls {
		call.Index = nil
		if call.ID == "" {
			call.ID = nextID()
		}
		if strings.TrimSpace(call.Function.Arguments) == "" {
			call.Function.Arguments = "{}"
		}
		raw = append(raw, json.RawMessage(call.Function.Arguments))
		if !json.Valid(raw[len(raw)-1]) {
			call.Function.Arguments = "{}"
		}
		calls = append(calls, call)
	}
	return calls, raw
}
