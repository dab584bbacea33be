package docpair

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
)

// compareLinks compares where the links of two texts lead. It is for texts
// that mirror each other otherwise.
func (t Tree) compareLinks(en, zh *outline) ([]Problem, error) {
	enLinks, problems, err := t.resolve(en)
	if err != nil {
		return nil, err
	}
	zhLinks, zhProblems, err := t.resolve(zh)
	if problems = append(problems, zhProblems...); err != nil || len(problems) > 0 {
		return problems, err
	}
	enSections, zhSections := sections(enLinks), sections(zhLinks)
	for section := range len(en.anchors) + 1 {
		if a, b := enSections[section], zhSections[section]; !slices.Equal(a, b) {
			return append(problems, Problem{
				File: zh.name, Line: zh.sectionLine(section), Rule: RuleLink,
				Text: fmt.Sprintf("this section's links lead to %q, those of %s to %q", b, en.name, a),
			}), nil
		}
	}
	return problems, nil
}

// sectionLine is where the n-th heading stands.
func (o *outline) sectionLine(n int) int {
	for _, b := range o.blocks {
		if b.rule == RuleHeading {
			if n--; n == 0 {
				return b.line
			}
		}
	}
	return 1
}

// resolve turns targets into what both languages must share: a paired
// document becomes its English name and a heading its number. The switcher is
// left out. The problems are links that cannot be right whatever the other
// text says.
func (t Tree) resolve(o *outline) (links []link, problems []Problem, err error) {
	switcher := path.Base(PairOf(o.name).English())
	if o.name == PairOf(o.name).English() {
		switcher = path.Base(PairOf(o.name).Chinese())
	}
	for i, l := range o.links {
		if i == 0 && l.section == 1 && l.target == switcher {
			continue
		}
		target, broken, err := t.resolveLink(o, l.target)
		if err != nil {
			return nil, nil, err
		}
		if broken != "" {
			problems = append(problems, Problem{o.name, l.line, RuleLink, broken})
		}
		links = append(links, link{target, l.section, l.line})
	}
	return links, problems, nil
}

// resolveLink returns what a link is compared by, and what is wrong with it
// in itself.
func (t Tree) resolveLink(o *outline, target string) (shared, broken string, err error) {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "" || u.Host != "" {
		return target, "", nil
	}
	file := o.name
	if u.Path != "" {
		file = path.Join(path.Dir(o.name), u.Path)
	}
	_, err = os.Stat(t.path(file))
	switch {
	case file == ".." || strings.HasPrefix(file, "../") || path.IsAbs(u.Path):
		return target, fmt.Sprintf("%s leads out of the checkout", target), nil
	case errors.Is(err, fs.ErrNotExist):
		return target, fmt.Sprintf("%s does not exist", target), nil
	case err != nil:
		return "", "", err
	}
	wrong, err := t.wrongLanguage(o, file)
	if err != nil || wrong != "" {
		return target, wrong, err
	}
	return t.resolveFragment(file, u.Fragment)
}

// wrongLanguage says so when a file is the other language's text of a
// document.
func (t Tree) wrongLanguage(o *outline, file string) (string, error) {
	p := PairOf(file)
	chinese, err := t.read(p.Chinese())
	if err != nil || t.excludes(p) || !inScope(file) && chinese == nil {
		return "", err
	}
	own, other := p.English(), p.Chinese()
	if strings.HasSuffix(o.name, chineseSuffix) {
		own, other = other, own
	}
	if file == other {
		return fmt.Sprintf("leads to %s; the text in this language is %s", file, own), nil
	}
	return "", nil
}

// resolveFragment names a file as the other language would.
func (t Tree) resolveFragment(file, fragment string) (shared, broken string, err error) {
	shared = file
	if strings.HasSuffix(file, chineseSuffix) {
		shared = PairOf(file).English()
	}
	if fragment == "" || !strings.HasSuffix(file, englishSuffix) {
		return shared + suffixed("#", fragment), "", nil
	}
	source, err := t.read(file)
	if err != nil {
		return "", "", err
	}
	i := slices.Index(parse(file, source).anchors, fragment)
	if i < 0 {
		return "", fmt.Sprintf("%s has no heading #%s", file, fragment), nil
	}
	return fmt.Sprintf("%s, heading %d", shared, i+1), "", nil
}

func suffixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
