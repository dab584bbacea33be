//go:build linux

package sandboxlocal

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dsh-go/dsh/sandbox/sandboxtest"
)

// The documents' tables are brought up to date by a run as root of
//
//	go test -run TestConformanceTables -conformance-write
//
// which measures both runners as root and as an ordinary user.
var conformanceWrite = flag.Bool("conformance-write", false, "bring the tables of the documents up to date")

// conformanceJSON is where a run as another user puts what it measured.
var conformanceJSON = flag.String("conformance-json", "", "file to which to write the tables of this user")

// tableDocuments hold the tables. They are beside the modules, so a module
// that is consumed alone has none.
var tableDocuments = []string{"../docs/conformance.md", "../docs/conformance.zh.md"}

// measured keeps the tables that this run has measured, by the way to confine.
var measured keptTables

type keptTables struct {
	mu     sync.Mutex
	tables map[string]*sandboxtest.Table
}

func (k *keptTables) keep(name string, table *sandboxtest.Table) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tables == nil {
		k.tables = map[string]*sandboxtest.Table{}
	}
	k.tables[name] = table
}

func (k *keptTables) kept(name string) *sandboxtest.Table {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.tables[name]
}

// documented are the tables of this user that the documents show.
func documented(t *testing.T) (tables []*sandboxtest.Table) {
	t.Helper()
	for _, c := range conformants[:2] {
		table := measured.kept(c.name)
		if table == nil {
			table = c.run(t)
			measured.keep(c.name, table)
		}
		tables = append(tables, table)
	}
	return tables
}

const tablesJSON = "tables.json"

// tablesIn reads the tables that asOrdinaryUser had measured.
func tablesIn(t *testing.T, home string) (tables []*sandboxtest.Table) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, filepath.Join(home, tablesJSON))), &tables); err != nil {
		t.Fatal(err)
	}
	return tables
}

func writeJSON(t *testing.T, path string, tables []*sandboxtest.Table) {
	t.Helper()
	data, err := json.Marshal(tables)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(data))
}

func TestConformanceTables(t *testing.T) {
	if !*conformanceWrite {
		t.Skip("writes documents when asked to; TestE2EAsOrdinaryUser compares them")
	}
	home := asOrdinaryUser(t, "^TestE2EConformance$", "-conformance-json="+tablesJSON)
	tables := append(documented(t), tablesIn(t, home)...)
	for _, path := range tableDocuments {
		updated, err := sandboxtest.Update(read(t, path), tables...)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		write(t, path, updated)
	}
}

// compareDocuments holds the documents' tables against what was measured, if
// they are about a system like this one.
func compareDocuments(t *testing.T, tables []*sandboxtest.Table) {
	t.Helper()
	for _, path := range tableDocuments {
		document, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			t.Skipf("the documents are not here: %v", err)
		case err != nil:
			t.Fatal(err)
		case !strings.Contains(string(document), tables[0].System):
			t.Skipf("%s is not about %s", path, tables[0].System)
		}
		updated, err := sandboxtest.Update(string(document), tables...)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if diff := cmp.Diff(strings.Split(string(document), "\n"), strings.Split(updated, "\n")); diff != "" {
			t.Errorf("%s says something else than was measured here; "+
				"go test -run TestConformanceTables -conformance-write brings it up to date\n%s", path, diff)
		}
	}
}
