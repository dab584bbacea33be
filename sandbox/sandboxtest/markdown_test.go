package sandboxtest

import (
	"errors"
	"testing"

	"github.com/dsh-go/dsh/sandbox"
)

func TestMarkdown(t *testing.T) {
	cell := func(place sandbox.Place, verdict Verdict) Cell {
		return Cell{Mode: sandbox.ReadOnly, Effect: sandbox.EffectMode, Place: place, Verdict: verdict}
	}
	root := &Table{
		Runner: "fake", User: "root", System: "Linux 6.1 amd64",
		Cells: []Cell{cell(sandbox.PlaceWorkspace, Refused), cell(sandbox.PlaceDev, DeclaredGap)},
	}
	user := &Table{
		Runner: "fake", User: "ordinary user", System: "Linux 6.1 amd64",
		Cells: []Cell{cell(sandbox.PlaceWorkspace, Refused), cell(sandbox.PlaceDev, NotTriable)},
	}
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

func TestUpdate(t *testing.T) {
	table := &Table{
		Runner: "fake", User: "root", System: "Linux 6.1 amd64",
		Cells: []Cell{{Mode: sandbox.ReadOnly, Effect: sandbox.EffectMode, Place: sandbox.PlaceDev, Verdict: Refused}},
	}
	const head, tail = "# Title\n\n" + tablesBegin + "\n", tablesEnd + "\nThe end.\n"
	want := head + "\n" + Markdown(table) + "\n" + tail
	for _, old := range []string{head + tail, want, head + "\n| old |\n" + tail} {
		if got, err := Update(old, table); err != nil || got != want {
			t.Errorf("%v, got\n%s", err, got)
		}
	}
	for _, text := range []string{"", head, tail, tail + head} {
		if _, err := Update(text, table); !errors.Is(err, ErrNoMarkers) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
