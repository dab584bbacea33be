package bashtool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/dsh-go/dsh/bash"
)

// Notice says that a background task ended.
type Notice struct {
	// SessionID is the session that owns the task.
	SessionID string
	// TaskID is what the session calls the task by.
	TaskID string
	// Text is one line for the model.
	Text string
}

// ErrNoTask is the reason for a task that does not exist, has been forgotten,
// or belongs to another session.
var ErrNoTask = errors.New("no such background task")

// TaskError is a task that cannot be reached.
type TaskError struct {
	// ID is the task that was asked for.
	ID string
	// Err is the reason, never nil.
	Err error
}

// Error names the task and the reason.
func (e *TaskError) Error() string { return fmt.Sprintf("task %q: %v", e.ID, e.Err) }

// Unwrap returns the reason.
func (e *TaskError) Unwrap() error { return e.Err }

// ErrSessionEnded is the reason for a task of a session that has ended.
var ErrSessionEnded = errors.New("bashtool: the session has ended")

// task is one background command.
type task struct {
	id          string
	number      int
	description string
	process     bash.Process
}

// owner is a session as far as tasks go.
type owner struct {
	ctx   context.Context // ends with the session
	end   context.CancelFunc
	last  int
	tasks map[string]*task
}

// tasks are the background tasks by session.
type tasks struct {
	mu     sync.Mutex
	owners map[string]*owner
}

// owner returns the session's, and makes it if there is none.
func (t *tasks) owner(sessionID string) *owner {
	t.mu.Lock()
	defer t.mu.Unlock()
	if o, ok := t.owners[sessionID]; ok {
		return o
	}
	o := &owner{tasks: make(map[string]*task)}
	o.ctx, o.end = context.WithCancel(context.Background())
	if t.owners == nil {
		t.owners = make(map[string]*owner)
	}
	t.owners[sessionID] = o
	return o
}

// mostTasks is how many tasks of a session are kept, those that run aside: of
// more, the oldest that has ended is forgotten with its output.
const mostTasks = 100

// add adds a process to its owner's tasks.
func (t *tasks) add(o *owner, process bash.Process, description string) *task {
	t.mu.Lock()
	defer t.mu.Unlock()
	o.last++
	added := &task{id: strconv.Itoa(o.last), number: o.last, description: description, process: process}
	o.tasks[added.id] = added
	o.prune()
	return added
}

// prune forgets the oldest task that has ended if there are too many.
func (o *owner) prune() {
	if len(o.tasks) <= mostTasks {
		return
	}
	for _, old := range o.inOrder() {
		if old.process.State().Status != bash.StatusRunning {
			delete(o.tasks, old.id)
			return
		}
	}
}

// inOrder returns the tasks, the oldest first.
func (o *owner) inOrder() []*task {
	return slices.SortedFunc(maps.Values(o.tasks), func(a, b *task) int { return a.number - b.number })
}

// forget ends the session's context and returns the tasks that it had.
func (t *tasks) forget(sessionID string) []*task {
	t.mu.Lock()
	defer t.mu.Unlock()
	o, ok := t.owners[sessionID]
	if !ok {
		return nil
	}
	delete(t.owners, sessionID)
	o.end()
	return slices.Collect(maps.Values(o.tasks))
}

// find returns a task of the session.
func (t *tasks) find(sessionID, id string) (*task, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if o, ok := t.owners[sessionID]; ok {
		if found, ok := o.tasks[id]; ok {
			return found, nil
		}
	}
	return nil, &TaskError{ID: id, Err: ErrNoTask}
}

// list returns the session's tasks, the oldest first.
func (t *tasks) list(sessionID string) []*task {
	t.mu.Lock()
	defer t.mu.Unlock()
	o, ok := t.owners[sessionID]
	if !ok {
		return nil
	}
	return o.inOrder()
}

// start starts a background task.
func (t *Tool) start(session Session, spec bash.Spec, description string) (string, error) {
	o := t.tasks.owner(session.ID)
	process, err := t.config.Executor.Start(o.ctx, spec)
	if err != nil {
		return "", err
	}
	started := t.tasks.add(o, process, description)
	if o.ctx.Err() != nil { // the end of its context terminates the process
		return "", ErrSessionEnded
	}
	if t.config.Notify != nil {
		go t.notify(session.ID, started)
	}
	return "started background task " + started.id + "\n", nil
}

// notify tells about the end of a task. It lives as long as the task does.
func (t *Tool) notify(sessionID string, ended *task) {
	<-ended.process.Done()
	t.config.Notify(Notice{
		SessionID: sessionID,
		TaskID:    ended.id,
		Text:      fmt.Sprintf("[background task %s ended: %s]", ended.id, ended.state()),
	})
}

// state is how the task is doing, in words.
func (k *task) state() string {
	state := k.process.State()
	switch {
	case state.Status == bash.StatusRunning:
		return "running"
	case state.Sandbox != nil && state.Sandbox.RunnerFailed, state.Err != nil:
		return "did not run"
	case state.Signal != "":
		return "killed by signal " + state.Signal
	default:
		return "exit code " + strconv.Itoa(state.ExitCode)
	}
}

// EndSession terminates the session's tasks and forgets them. It returns when
// every one of them has ended, or ctx has.
func (t *Tool) EndSession(ctx context.Context, sessionID string) error {
	for _, ending := range t.tasks.forget(sessionID) {
		select {
		case <-ending.process.Done():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
