package subprocess

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// ManagedPrefix begins the name of every variable that the product itself
// hands to a command. It matches exactly, in upper case.
const ManagedPrefix = "DSH_"

// Environ composes a process's environment: what is inherited, without
// credential-shaped names ([IsCredential]), without names that begin with
// [ManagedPrefix] and without the names in unset; then env; then managed,
// which nobody can displace. An entry of env that begins with ManagedPrefix is
// dropped. Nil maps and slices mean nothing. The result is sorted and has each
// name once; of a name that is inherited twice the last entry counts. Entries
// without a "=" are dropped.
func Environ(inherited []string, env map[string]string, unset []string, managed map[string]string) []string {
	merged := make(map[string]string, len(inherited)+len(env)+len(managed))
	for _, entry := range inherited {
		name, value, ok := strings.Cut(entry, "=")
		if ok && name != "" && !strings.HasPrefix(name, ManagedPrefix) && !IsCredential(name) {
			merged[name] = value
		}
	}
	for _, name := range unset {
		delete(merged, name)
	}
	for name, value := range env {
		if !strings.HasPrefix(name, ManagedPrefix) {
			merged[name] = value
		}
	}
	maps.Copy(merged, managed)

	entries := make([]string, 0, len(merged))
	for name, value := range merged {
		entries = append(entries, name+"="+value)
	}
	slices.Sort(entries)
	return entries
}

// CredentialNames returns the exact names, in upper case, that [IsCredential]
// knows beyond the words of [CredentialWords].
func CredentialNames() []string { return slices.Sorted(maps.Keys(credentialNames)) }

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

var credentialNames = map[string]bool{
	"PGPASSWORD":         true, // libpq
	"PGPASSFILE":         true, // libpq
	"MYSQL_PWD":          true, // MySQL; as a word, PWD would take the working directory
	"REDISCLI_AUTH":      true, // redis-cli
	"SSHPASS":            true, // sshpass
	"NPM_CONFIG__AUTH":   true, // npm: user and password in base64
	"DOCKER_AUTH_CONFIG": true, // docker and GitLab runners
}

var credentialWords = [][]string{
	{"TOKEN"}, {"TOKENS"}, {"AUTHTOKEN"}, {"ACCESSTOKEN"},
	{"SECRET"}, {"SECRETS"},
	{"PASSWORD"}, {"PASSWORDS"}, {"PASSWD"}, {"PASSPHRASE"}, {"PASSCODE"},
	{"CREDENTIAL"}, {"CREDENTIALS"}, {"CREDS"},
	{"APIKEY"}, {"API", "KEY"}, {"API", "KEYS"},
	{"ACCESSKEY"}, {"ACCESS", "KEY"}, {"SECRETKEY"},
	{"PRIVATEKEY"}, {"PRIVATE", "KEY"}, {"ENCRYPTION", "KEY"}, {"SIGNING", "KEY"},
	{"ACCOUNT", "KEY"}, {"AUTH", "KEY"}, {"MASTER", "KEY"},
}

// IsCredential reports whether name looks like that of a credential. It
// compares whole words, in any case, never substrings: words are separated by
// anything that is neither letter nor digit, between letters and digits, and
// where camel case begins one. So GH_TOKEN, aws_secret_access_key and
// dbPassword2 are credentials; TOKENIZERS_PARALLELISM, MONKEY, PWD and
// SSH_AUTH_SOCK are not. A credential under a name that does not say so
// (DATABASE_URL with a password in it) is not recognised.
func IsCredential(name string) bool {
	if credentialNames[strings.ToUpper(name)] {
		return true
	}
	words := nameWords(name)
	for i := range words {
		for _, credential := range credentialWords {
			if len(words)-i >= len(credential) && slices.Equal(words[i:i+len(credential)], credential) {
				return true
			}
		}
	}
	return false
}

// nameWords splits a variable's name into its words, in upper case.
func nameWords(name string) []string {
	runes := []rune(name)
	var words []string
	start := 0
	for i := range runes {
		if !isWordRune(runes[i]) {
			words = appendWord(words, runes[start:i])
			start = i + 1
		} else if i > start && beginsWord(runes, i) {
			words = appendWord(words, runes[start:i])
			start = i
		}
	}
	return appendWord(words, runes[start:])
}

func appendWord(words []string, runes []rune) []string {
	if len(runes) == 0 {
		return words
	}
	return append(words, strings.ToUpper(string(runes)))
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// beginsWord reports whether a word begins at i, inside a run of letters and
// digits: between a letter and a digit, at the capital of camelCase, and at
// the last capital of an acronym before lower case (the K of APIKey).
func beginsWord(runes []rune, i int) bool {
	before, r := runes[i-1], runes[i]
	if unicode.IsDigit(before) != unicode.IsDigit(r) {
		return true
	}
	if !unicode.IsUpper(r) {
		return false
	}
	return unicode.IsLower(before) || i+1 < len(runes) && unicode.IsLower(runes[i+1])
}
