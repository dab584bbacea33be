package subprocess

import (
	"slices"
	"strings"
	"testing"
)

func TestIsCredential(t *testing.T) {
	credentials := []string{
		"OPENAI_API_KEY", "aws_secret_access_key", "AWS_ACCESS_KEY_ID", "Db_Password", "GH_TOKEN", "gh-token",
		"PGPASSWORD", "pgpassword", "MYSQL_PWD", "SSH_PASSPHRASE", "GOOGLE_APPLICATION_CREDENTIALS",
		"NPM_CONFIG__AUTH", "npm_config__auth", "dbPassword", "OpenAIApiKey", "API_KEY2", "TOKEN1",
		"TOKEN", "my.secret", "_SECRET_",
	}
	for _, name := range credentials {
		if !IsCredential(name) {
			t.Errorf("IsCredential(%q) = false", name)
		}
	}
	others := []string{
		"TOKENIZERS_PARALLELISM", "MONKEY", "KEYBOARD_LAYOUT", "PWD", "OLDPWD", "SSH_AUTH_SOCK", "PATH", "HOME",
		"SECRETARY", "KEY", "API", "APIKEYS_DOC", "PASSAGE", "GIT_ASKPASS", "", "_", "=", "\xff\xfe", "XDG_RUNTIME_DIR",
	}
	for _, name := range others {
		if IsCredential(name) {
			t.Errorf("IsCredential(%q) = true", name)
		}
	}
}

func TestPublishedCredentialListsAreWhatIsApplied(t *testing.T) {
	for _, name := range slices.Concat(CredentialNames(), CredentialWords()) {
		if !IsCredential(name) || !IsCredential(strings.ToLower(name)) {
			t.Errorf("published name %q is not recognised", name)
		}
	}
}

func TestNameWords(t *testing.T) {
	for name, want := range map[string][]string{
		"":                   nil,
		"_":                  nil,
		"GH_TOKEN":           {"GH", "TOKEN"},
		"__a--b..":           {"a", "b"},
		"dbPassword2":        {"db", "Password", "2"},
		"OpenAIApiKey":       {"Open", "AI", "Api", "Key"},
		"S3_KEY":             {"S", "3", "KEY"},
		"\xffTOKEN\xfe":      {"TOKEN"},
		"\uFFFDTOKEN\uFFFDx": {"TOKEN", "x"},
		"héTOKEN":            {"hé", "TOKEN"},
		"a\xc3":              {"a"},
	} {
		if got := nameWords(nil, name); !slices.Equal(got, want) {
			t.Errorf("nameWords(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestLookingAtANameAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		for _, name := range []string{"PATH", "TOKENIZERS_PARALLELISM", "aws_secret_access_key", "XDG_RUNTIME_DIR"} {
			IsCredential(name)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A credential without a stem would be inherited.
func TestEveryCredentialHoldsAStem(t *testing.T) {
	for _, name := range slices.Concat(CredentialNames(), CredentialWords()) {
		if !mayBeCredential(name) {
			t.Errorf("%q holds none of %q", name, credentialStems)
		}
	}
}
