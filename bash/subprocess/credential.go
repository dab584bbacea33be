package subprocess

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CredentialNames returns the exact names, in upper case, that [IsCredential]
// knows beyond the words of [CredentialWords].
func CredentialNames() []string { return slices.Clone(credentialNames) }

// CredentialWords returns the words, in upper case, by which [IsCredential]
// knows a name. A word of several parts stands for the parts in a row.
func CredentialWords() []string {
	var words []string
	for _, word := range credentialWords {
		words = append(words, strings.Join(word, "_"))
	}
	slices.Sort(words)
	return words
}

var credentialNames = []string{
	"DOCKER_AUTH_CONFIG", // docker and GitLab runners
	"MYSQL_PWD",          // MySQL; as a word, PWD would take the working directory
	"NPM_CONFIG__AUTH",   // npm: user and password in base64
	"PGPASSFILE",         // libpq
	"PGPASSWORD",         // libpq
	"REDISCLI_AUTH",      // redis-cli
	"SSHPASS",            // sshpass
}

var credentialWords = [][]string{
	{"TOKEN"},
	{"TOKENS"},
	{"AUTHTOKEN"},
	{"ACCESSTOKEN"},
	{"SECRET"},
	{"SECRETS"},
	{"PASSWORD"},
	{"PASSWORDS"},
	{"PASSWD"},
	{"PASSPHRASE"},
	{"PASSCODE"},
	{"CREDENTIAL"},
	{"CREDENTIALS"},
	{"CREDS"},
	{"APIKEY"},
	{"API", "KEY"},
	{"API", "KEYS"},
	{"ACCESSKEY"},
	{"ACCESS", "KEY"},
	{"SECRETKEY"},
	{"PRIVATEKEY"},
	{"PRIVATE", "KEY"},
	{"ENCRYPTION", "KEY"},
	{"SIGNING", "KEY"},
	{"ACCOUNT", "KEY"},
	{"AUTH", "KEY"},
	{"MASTER", "KEY"},
}

// IsCredential reports whether name looks like that of a credential. It
// compares whole words, in any case, never substrings: words are separated by
// anything that is neither letter nor digit, between letters and digits, and
// where camel case begins one. So GH_TOKEN, aws_secret_access_key and
// dbPassword2 are credentials; TOKENIZERS_PARALLELISM, MONKEY, PWD and
// SSH_AUTH_SOCK are not. A credential under a name that does not say so
// (DATABASE_URL with a password in it) is not recognised.
func IsCredential(name string) bool {
	if !mayBeCredential(name) {
		return false
	}
	if isCredentialName(name) {
		return true
	}
	var room [16]string // of most names, so that nothing is allocated
	words := nameWords(room[:0], name)
	for i := range words {
		for _, credential := range credentialWords {
			if hasPrefixFold(words[i:], credential) {
				return true
			}
		}
	}
	return false
}

// credentialStems are what credentials are called by: every credential name
// and every list of credential words holds one of them.
var credentialStems = []string{"auth", "cred", "key", "pass", "pwd", "secret", "token"}

// mayBeCredential is false for nearly every name that is no credential's. It
// spares splitting them into words, at each start.
func mayBeCredential(name string) bool {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return true // some letters beyond ASCII fold to one of it
		}
		for _, stem := range credentialStems {
			if name[i]|0x20 == stem[0] && len(name)-i >= len(stem) && strings.EqualFold(name[i:i+len(stem)], stem) {
				return true
			}
		}
	}
	return false
}

func isCredentialName(name string) bool {
	for _, credential := range credentialNames {
		if strings.EqualFold(name, credential) {
			return true
		}
	}
	return false
}

// hasPrefixFold reports whether words begin with those of prefix, in any case.
func hasPrefixFold(words, prefix []string) bool {
	if len(words) < len(prefix) {
		return false
	}
	for i, word := range prefix {
		if !strings.EqualFold(words[i], word) {
			return false
		}
	}
	return true
}

// nameWords appends the words of a variable's name, as they are spelled.
func nameWords(words []string, name string) []string {
	start := 0 // of the word that i is in
	var before rune
	for i, r := range name {
		switch {
		case !isWordRune(r):
			words = appendWord(words, name[start:i])
			start = i + utf8.RuneLen(r)
			if r == utf8.RuneError && !strings.HasPrefix(name[i:], string(utf8.RuneError)) {
				start = i + 1 // a byte that is no text
			}
		case i > start && beginsWord(before, r, name[i+utf8.RuneLen(r):]):
			words = appendWord(words, name[start:i])
			start = i
		}
		before = r
	}
	return appendWord(words, name[min(start, len(name)):])
}

func appendWord(words []string, word string) []string {
	if word == "" {
		return words
	}
	return append(words, word)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// beginsWord reports whether r begins a word inside a run of letters and
// digits: between a letter and a digit, at the capital of camelCase, and at
// the last capital of an acronym before lower case (the K of APIKey).
func beginsWord(before, r rune, rest string) bool {
	if unicode.IsDigit(before) != unicode.IsDigit(r) {
		return true
	}
	if !unicode.IsUpper(r) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLower(before) || unicode.IsLower(next)
}
