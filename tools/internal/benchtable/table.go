package benchtable

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table holds rows in the order in which they are shown.
type Table []Row

// Row is one figure and what it is compared with.
type Row struct {
	Name string `json:"name"`
	// Value is the median, or the one figure that there is.
	Value Quantity `json:"value"`
	// P90 is the value that nine of ten runs do not exceed; nil where only one
	// was taken. Of a throughput it is that of the slow run.
	P90         *Quantity    `json:"p90,omitempty"`
	Ratios      []Ratio      `json:"ratios,omitempty"`
	Allocations *Allocations `json:"allocations,omitempty"`
	Targets     []Target     `json:"targets,omitempty"`
	// Skipped says why there are no figures; empty if there are.
	Skipped string `json:"skipped,omitempty"`
}

// Ratio is a row's value divided by that of another row, in the same round.
type Ratio struct {
	To    string  `json:"to"`
	Value float64 `json:"value"`
}

// Target is what a figure of a row is to be.
type Target struct {
	Text string `json:"text"`
	Met  bool   `json:"met"`
}

// AtMost is a target for a figure that should be small. Of says what figure it
// is if it is not the row's value.
func AtMost(got, limit Quantity, of string) Target {
	return Target{strings.TrimSpace("≤ " + limit.String() + " " + of), got.Value <= limit.Value}
}

// AtLeast is a target for a figure that should be large.
func AtLeast(got, limit Quantity, of string) Target {
	return Target{strings.TrimSpace("≥ " + limit.String() + " " + of), got.Value >= limit.Value}
}

// SetRound makes a round's times the row's figures.
func (r *Row) SetRound(round Round) {
	p90 := Duration(round.P90)
	r.Value, r.P90 = Duration(round.Median), &p90
}

// Compare adds the ratio of a round to that of a floor in the same round, and
// the target for it unless limit is zero.
func (r *Row) Compare(floor string, round, same Round, limit float64) {
	ratio := float64(round.Median) / float64(same.Median)
	r.Ratios = append(r.Ratios, Ratio{To: floor, Value: ratio})
	if limit > 0 {
		r.Targets = append(r.Targets, AtMost(Quantity{Value: ratio}, Quantity{Value: limit}, "× "+floor))
	}
}

// Unmet are the targets that are not met, each with its row's name.
func (t Table) Unmet() []string {
	unmet := []string{} // [] in JSON, not null
	for _, row := range t {
		for _, target := range row.Targets {
			if !target.Met {
				unmet = append(unmet, row.Name+": "+target.Text)
			}
		}
	}
	return unmet
}

var header = []string{"row", "median", "p90", "ratio", "allocations", "target"}

// WriteMarkdown writes the table so that it can be read as it stands, too.
func (t Table) WriteMarkdown(w io.Writer) error {
	lines := [][]string{header}
	for _, row := range t {
		cells := row.cells()
		for i := range cells {
			cells[i] = escape(cells[i])
		}
		lines = append(lines, cells)
	}
	widths := make([]int, len(header))
	for _, cells := range lines {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	rule := make([]string, len(header))
	for i, width := range widths {
		rule[i] = strings.Repeat("-", width)
	}
	lines = append(lines[:1], append([][]string{rule}, lines[1:]...)...)
	for _, cells := range lines {
		if _, err := fmt.Fprintln(w, line(cells, widths)); err != nil {
			return err
		}
	}
	return nil
}

// escape keeps a cell from ending early or spreading over lines.
func escape(cell string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(cell), " "), "|", `\|`)
}

func line(cells []string, widths []int) string {
	var b strings.Builder
	for i, cell := range cells {
		b.WriteString("| " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + " ")
	}
	return b.String() + "|"
}

func (r Row) cells() []string {
	if r.Skipped != "" {
		return []string{r.Name, "skipped: " + r.Skipped, "", "", "", ""}
	}
	cells := []string{r.Name, r.Value.String(), "", r.ratios(), "", r.targets()}
	if r.P90 != nil {
		cells[2] = r.P90.String()
	}
	if r.Allocations != nil {
		cells[4] = fmt.Sprintf("%.0f, %s", r.Allocations.Count, Quantity{r.Allocations.Bytes, Bytes})
	}
	return cells
}

func (r Row) ratios() string {
	var parts []string
	for _, ratio := range r.Ratios {
		parts = append(parts, fmt.Sprintf("%.2f × %s", ratio.Value, ratio.To))
	}
	return strings.Join(parts, ", ")
}

func (r Row) targets() string {
	var parts []string
	for _, target := range r.Targets {
		verdict := "met"
		if !target.Met {
			verdict = "**not met**"
		}
		parts = append(parts, target.Text+": "+verdict)
	}
	return strings.Join(parts, ", ")
}
