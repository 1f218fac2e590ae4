// Package redact removes secrets from everything that a process logs: values with secret-sounding
// names, texts that look like credentials, and the configured secrets of the process. In doubt, it
// redacts.
package redact

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/credential"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// dots replace what was removed.
const dots = "••••"

// shortest is the length below which a configured secret is not redacted: a short one would replace
// half of every line with dots.
const shortest = 6

// longest bounds how much of a text is kept, in bytes.
const longest = 16 << 10

// Redactor removes secrets from text. It is immutable and safe for concurrent use.
type Redactor struct {
	known  *strings.Replacer
	shapes *credential.Matcher
	pair   *regexp.Regexp
	bearer *regexp.Regexp
	pem    *regexp.Regexp
	user   *regexp.Regexp
}

// New returns a redactor for the secrets of a process, including their forms in URLs and in JSON.
func New(known ...secret.Text) *Redactor {
	forms := map[string]bool{}
	for _, k := range known {
		for _, raw := range parts(k.Reveal()) {
			if len(raw) < shortest {
				continue
			}
			quoted, _ := json.Marshal(raw) //nolint:errchkjson // a string always encodes
			for _, form := range []string{raw, url.QueryEscape(raw), url.PathEscape(raw), strings.Trim(string(quoted), `"`)} {
				forms[form] = true
			}
		}
	}
	ordered := make([]string, 0, len(forms))
	for f := range forms {
		ordered = append(ordered, f)
	}
	// Longest first, because of two secrets with a common prefix the shorter would leave the rest of
	// the longer one.
	slices.SortFunc(ordered, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(ordered))
	for _, f := range ordered {
		pairs = append(pairs, f, dots)
	}
	return &Redactor{known: strings.NewReplacer(pairs...), shapes: credential.New(),
		pair: regexp.MustCompile(`(?i)((?:token|secret|passw(?:or)?d|api[_-]?key|credential|cookie|authorization)["']?\s*[=:]\s*["']?)(?:(?:` +
			`bearer|basic)\s+)?[^\s"',;&]+`),
		bearer: regexp.MustCompile(`(?i)\b(bearer|basic|apikey|splunk)\s+[0-9a-z._~+/=\-]{8,}`),
		pem:    regexp.MustCompile(`(?s)-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----.*?(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----|$)`),
		user:   regexp.MustCompile(`://[^\s/@]*:[^\s/@]+@`)}
}

// parts returns the secret, its comma-separated parts and, if it is a URL, the password in it.
func parts(raw string) []string {
	out := []string{raw}
	if u, err := url.Parse(raw); err == nil && u.User != nil {
		if password, set := u.User.Password(); set {
			out = append(out, password)
		}
	}
	for one := range strings.SplitSeq(raw, ",") {
		out = append(out, strings.TrimSpace(one))
	}
	return out
}

// Text returns a text without what may be secret.
func (r *Redactor) Text(s string) string {
	if s == "" {
		return s
	}
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	s = r.known.Replace(s)
	if strings.Contains(s, "-----BEGIN") {
		s = r.pem.ReplaceAllString(s, dots)
	}
	s = r.shapes.Hide(s, dots)
	if strings.Contains(s, "://") {
		s = r.user.ReplaceAllLiteralString(s, "://"+dots+"@")
	}
	// The case-insensitive patterns below are slow, so look for plain words first.
	low := strings.ToLower(s)
	if anyOf(low, "token", "secret", "passw", "key", "credential", "cookie", "authorization") {
		s = r.pair.ReplaceAllString(s, "${1}"+dots)
	}
	if anyOf(low, "bearer", "basic", "apikey", "splunk") {
		s = r.bearer.ReplaceAllString(s, "${1} "+dots)
	}
	return s
}

func anyOf(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// Name reports whether a name suggests that its value is secret.
func Name(name string) bool {
	n := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		default:
			return -1
		}
	}, name)
	if n == "key" || n == "jwt" || n == "dsn" || n == "auth" {
		return true
	}
	for _, w := range []string{"token", "authorization", "secret", "passw", "apikey", "cookie", "credential", "privatekey", "accesskey",
		"encryptionkey", "databaseurl", "redisurl", "webhook", "signature"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}
