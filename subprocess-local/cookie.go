package subprocesslocal

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"iter"
)

// A start's cookie is a variable in its environment whose name is
// cookiePrefix, the service's id, "_" and the start's id. The ids are in the
// name and not in a value, so that a nested service adds its own cookies and
// displaces no ancestor's. The prefix does not begin with
// [subprocess.ManagedPrefix], which would keep it from being inherited.
const cookiePrefix = "__dsh_"

const cookieIDLen = 16 // hexadecimal digits

func newCookieID() string {
	var id [cookieIDLen / 2]byte
	rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// cookieEntry is the entry for the environment of a start.
func cookieEntry(service, start string) string {
	return cookiePrefix + service + "_" + start + "=1"
}

// cookies yields the ids of the starts of a service whose cookies are in an
// environment as /proc shows it: entries that end with a NUL byte. The bytes
// yielded are part of environ.
func cookies(environ []byte, service string) iter.Seq[[]byte] {
	name := []byte("\x00" + cookiePrefix + service + "_")
	return func(yield func([]byte) bool) {
		rest := environ
		if bytes.HasPrefix(rest, name[1:]) {
			if id, ok := cookieID(rest[len(name)-1:]); ok && !yield(id) {
				return
			}
		}
		for {
			at := bytes.Index(rest, name)
			if at < 0 {
				return
			}
			rest = rest[at+len(name):]
			if id, ok := cookieID(rest); ok && !yield(id) {
				return
			}
		}
	}
}

// cookieID takes the start's id from what follows the service's.
func cookieID(rest []byte) ([]byte, bool) {
	if len(rest) <= cookieIDLen || rest[cookieIDLen] != '=' {
		return nil, false
	}
	return rest[:cookieIDLen], true
}
