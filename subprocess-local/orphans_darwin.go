package subprocesslocal

import "time"

// orphans does nothing: on this system orphans become children of launchd and
// of nobody else.
type orphans struct{}

func (*orphans) hold() (release func()) { return func() {} }

func (*orphans) started(*engine, int) {}

func (*orphans) note(int) {}

func (*orphans) adoptAll() {}

func (*orphans) none() bool { return false }

func (*orphans) endRest(time.Duration) (ended bool) { return true }

func (*orphans) stop() {}
