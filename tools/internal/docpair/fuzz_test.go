package docpair

import "testing"

// Any text mirrors itself, and can be looked at.
func FuzzCompare(f *testing.F) {
	f.Add([]byte(english))
	f.Add([]byte("|a|\n|-|\n\n```\n\n1) x\n\n   > # \n[r]\n\n[r]: <>"))
	f.Fuzz(func(t *testing.T, source []byte) {
		o := parse("x.md", source)
		if different := compare(o, parse("x.md", source)); different != nil {
			t.Error(different)
		}
		for _, b := range o.blocks {
			if b.line < 1 {
				t.Errorf("%+v", b)
			}
		}
		o.checkSwitcher("")
	})
}
