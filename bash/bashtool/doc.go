// Package bashtool is the bash tool that a model sees, over any executor: its
// schema and description, the validation of its arguments, the rendering of
// what happened, the escalation of a call to a wider sandbox mode, and
// background tasks.
//
// It imports no implementation and speaks no protocol. A server hands it the
// arguments of a call as they came, and the text that it returns goes to the
// model as it is. What a command did is text; what could not be run is an
// error, whose message is fit for the model.
package bashtool
