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
	"PGPASSWORD":                     true, // libpq
	"MYSQL_PWD":                      true, // MySQL; as a word PWD would take the working directory
	"REDISCLI_AUTH":                  true, // redis-cli
	"PGPASSFILE":                     true, // libpq
	"SSHPASS":                        true, // sshpass
	"RCLONE_PASS":                    true,
	"NETRC":                          true,
	"DOCKER_AUTH_CONFIG":             true,
	"NPM_CONFIG__AUTH":               true, // npm's base64 user and password
	"GOOGLE_APPLICATION_CREDENTIALS": true,
}

var credentialWords = [][]string{
	{"TOKEN"}, {"TOKENS"}, {"SECRET"}, {"SECRETS"},
	{"PASSWORD"}, {"PASSWORDS"}, {"PASSWD"}, {"PASSPHRASE"}, {"PASSCODE"},
	{"CREDENTIAL"}, {"CREDENTIALS"}, {"CREDS"},
	{"APIKEY"}, {"API", "KEY"}, {"API", "KEYS"},
	{"ACCESS", "KEY"}, {"SECRET", "KEY"}, {"PRIVATE", "KEY"}, {"ENCRYPTION", "KEY"}, {"SIGNING", "KEY"},
	{"ACCOUNT", "KEY"}, {"STORAGE", "KEY"}, {"LICENSE", "KEY"}, {"AUTH", "KEY"}, {"MASTER", "KEY"},
	{"PAT"}, {"JWT"}, {"BEARER"},
	{"CONNECTION", "STRING"}, {"DATABASE", "URL"}, {"DSN"},
}

// IsCredential reports whether name looks like that of a credential. It
// compares whole words, in any case, never substrings: words are separated by
// anything that is neither letter nor digit, and where a lower-case letter is
// followed by an upper-case one. So GH_TOKEN, aws_secret_access_key and
// dbPassword are credentials; TOKENIZERS_PARALLELISM, MONKEY, PWD and
// SSH_AUTH_SOCK are not.
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
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	var before rune
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(before):
			flush()
			fallthrough
		default:
			word.WriteRune(unicode.ToUpper(r))
		}
		before = r
	}
	flush()
	return words
}
