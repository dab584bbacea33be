package debian

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestParseDepends(t *testing.T) {
	out := `linux-image-cloud-amd64
  Depends: linux-image-7.3.4+deb13-cloud-amd64
 |Depends: dracut
  Depends: <linux-initramfs-tool>
linux-image-7.3.4+deb13-cloud-amd64
  Depends: linux-binary-7.3.4+deb13-cloud-amd64
<linux-initramfs-tool>
linux-binary-7.3.4+deb13-cloud-amd64
`
	want := []string{"linux-image-cloud-amd64", "linux-image-7.3.4+deb13-cloud-amd64", "linux-binary-7.3.4+deb13-cloud-amd64"}
	if got := parseDepends(out); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestParseMirror(t *testing.T) {
	for _, test := range []struct{ name, targets, want string }{
		{"the first of Debian", "https://example.org/vendor/ nodistro\nhttp://mirror.example/debian/ bookworm\nhttp://mirror.example/security/ bookworm-security\n", "http://mirror.example/debian/"},
		{"by its place in the cycle", "http://mirror.example/d/ stable\n", "http://mirror.example/d/"},
		{"another distribution", "http://mirror.example/ubuntu/ noble\n", ""},
		{"nothing", "", ""},
	} {
		got, err := parseMirror(test.targets)
		if got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
	}
	if _, err := parseMirror(""); !errors.Is(err, ErrNoMirror) {
		t.Error(err)
	}
}

func TestParseName(t *testing.T) {
	for file, want := range map[string]Package{
		"/a/b/bash_5.2.15-2+b13_arm64.deb":        {"bash", "5.2.15-2+b13", "arm64"},
		"libgmp10_2%3a6.2.1+dfsg1-1.1_amd64.deb":  {"libgmp10", "2:6.2.1+dfsg1-1.1", "amd64"},
		"linux-image-6.1.0-50_6.1.176-1_all.deb":  {"linux-image-6.1.0-50", "6.1.176-1", "all"},
		"broken.deb":                              {},
		"too_many_parts_in_it_for_a_package_.deb": {},
	} {
		if got, ok := ParseName(file); got != want || ok != (want != Package{}) {
			t.Errorf("%s: %+v, %v", file, got, ok)
		}
	}
}

func TestWalkTar(t *testing.T) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, header := range []tar.Header{
		{Name: "./", Typeflag: tar.TypeDir},
		{Name: "./bin/", Typeflag: tar.TypeDir},
		{Name: "./bin/a", Typeflag: tar.TypeReg, Size: 1},
		{Name: "../../etc/b", Typeflag: tar.TypeReg, Size: 1},
	} {
		if err := w.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, strings.Repeat("x", int(header.Size))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var names []string
	err := walkTar(&archive, func(f File) error { names = append(names, f.Name); return nil })
	if want := []string{"bin", "bin/a", "etc/b"}; !slices.Equal(names, want) || err != nil {
		t.Errorf("%q, %v", names, err)
	}
}

func TestConfigKeepsTheMachinesOwn(t *testing.T) {
	config := Archive{Dir: "/cache/x", Arch: "arm64"}.config()
	for _, line := range []string{`APT::Architecture "arm64";`, `Dir::State::status "/cache/x/status";`, `Dir::State::lists "/cache/x/lists";`} {
		if !strings.Contains(config, line) {
			t.Errorf("%s is missing in\n%s", line, config)
		}
	}
}
