package subprocess

import (
	"slices"
	"strings"
	"testing"
)

// FuzzEnviron holds the composition of an environment to its contract, whatever
// the names and values are.
func FuzzEnviron(f *testing.F) {
	f.Add("GH_TOKEN", "x", "PATH", "/bin", "DSH_ID")
	f.Add("dbPassword2", "a=b", "DSH_", "\xff", "A")
	f.Add("", "=", "=", "\n", "İ_TOKEN")
	f.Fuzz(func(t *testing.T, inherited, value, set, setValue, unset string) {
		got := Environ([]string{inherited + "=" + value, "KEPT=1"},
			map[string]string{set: setValue}, []string{unset}, map[string]string{ManagedPrefix + "ID": "good"})
		if !slices.Contains(got, ManagedPrefix+"ID=good") {
			t.Errorf("%q", got)
		}
		if !strings.Contains(set, "=") && !slices.IsSortedFunc(got, byName) {
			t.Errorf("not sorted by name, or a name twice: %q", got)
		}
		if unset != "KEPT" && set != "KEPT" && inherited != "KEPT" && !slices.Contains(got, "KEPT=1") {
			t.Errorf("what is inherited is gone: %q", got)
		}
		for _, entry := range got {
			name, _, _ := strings.Cut(entry, "=")
			ours := name == set || name == "" || strings.HasPrefix(set, name+"=") // set by the caller
			if !ours && IsCredential(name) {
				t.Errorf("%q is inherited", name)
			}
			if strings.HasPrefix(name, ManagedPrefix) && entry != ManagedPrefix+"ID=good" {
				t.Errorf("%q is not from the managed entries", entry)
			}
		}
	})
}

// byName has no two entries of a name in order.
func byName(a, b string) int {
	before, _, _ := strings.Cut(a, "=")
	after, _, _ := strings.Cut(b, "=")
	if before == after {
		return -1
	}
	return strings.Compare(before, after)
}

// FuzzIsCredential checks what the rule says of itself: a published word that
// stands alone is always recognised, and a name in capitals is no more of a
// credential than in small letters.
func FuzzIsCredential(f *testing.F) {
	f.Add("GH", "TOKEN")
	f.Add("tokenizers", "parallelism")
	f.Add("\xff", "İ")
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, word := range CredentialWords() {
			if name := before + "_" + word + "_" + after; !IsCredential(name) {
				t.Errorf("%q is not recognised", name)
			}
		}
		for _, name := range CredentialNames() {
			if !IsCredential(strings.ToLower(name)) {
				t.Errorf("%q is not recognised in lower case", name)
			}
		}
		ascii := strings.ToValidUTF8(strings.Map(func(r rune) rune { return r & 0x7f }, before), "")
		if upper := strings.ToUpper(ascii); IsCredential(upper) && !IsCredential(strings.ToLower(upper)) {
			t.Errorf("%q is a credential, but not in lower case", upper)
		}
	})
}
