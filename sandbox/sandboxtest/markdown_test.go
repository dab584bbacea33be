package sandboxtest

import (
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

func TestMarkdown(t *testing.T) {
	cell := func(place sandbox.Place, verdict Verdict) Cell {
		return Cell{Mode: sandbox.ReadOnly, Effect: sandbox.EffectMode, Place: place, Verdict: verdict}
	}
	root := &Table{Runner: "fake", User: "root", System: "Linux 6.1 amd64",
		Cells: []Cell{cell(sandbox.PlaceWorkspace, Refused), cell(sandbox.PlaceDev, DeclaredGap)}}
	user := &Table{Runner: "fake", User: "ordinary user", System: "Linux 6.1 amd64",
		Cells: []Cell{cell(sandbox.PlaceWorkspace, Refused), cell(sandbox.PlaceDev, NotTriable)}}
	const want = `### fake, read-only

Linux 6.1 amd64, root / ordinary user.

| effect | workspace | temp | beside | home | dev | proc |
|---|---|---|---|---|---|---|
| mode | refused | – | – | – | gap / – | – |
`
	if got := Markdown(root, user); got != want {
		t.Errorf("got\n%s", got)
	}
}
