// Package credential recognises secrets by their shape. It is pure and inspects a value only to
// name its kind: nothing it returns holds any part of the value.
package credential

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// shapes lists the shapes, most specific first. Each is the issuer's documented prefix and
// alphabet, so a match identifies the issuer reliably.
func shapes() []shape {
	return []shape{
		{"aws-access-key", `\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`},
		{"github-token", `\bgh[pousr]_[0-9A-Za-z]{36,}\b`},
		{"github-fine-grained-token", `\bgithub_pat_[0-9A-Za-z_]{40,}\b`},
		{"gitlab-token", `\bglpat-[0-9A-Za-z_\-]{20,}\b`},
		{"stripe-key", `\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}\b`},
		{"slack-token", `\bxox[abeoprs]-[0-9A-Za-z-]{10,}\b`},
		{"slack-webhook", `https://hooks\.slack\.com/(?:services|workflows)/[0-9A-Za-z/_\-]{20,}`},
		{"google-api-key", `\bAIza[0-9A-Za-z_\-]{35}\b`},
		{"sendgrid-key", `\bSG\.[0-9A-Za-z_\-]{16,}\.[0-9A-Za-z_\-]{16,}\b`},
		{"npm-token", `\bnpm_[0-9A-Za-z]{36}\b`},
		{"openai-key", `\bsk-(?:proj-|svcacct-)?[0-9A-Za-z_\-]{32,}\b`},
		{"anthropic-key", `\bsk-ant-[0-9A-Za-z_\-]{32,}\b`},
		{"twilio-key", `\bSK[0-9a-f]{32}\b`},
		{"cloudflare-token", `\bcf(?:ut|at|k)_[0-9A-Za-z_\-]{30,}\b`},
		{"private-key", `-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----`},
		{"json-web-token", `\beyJ[0-9A-Za-z_\-]{8,}\.eyJ[0-9A-Za-z_\-]{8,}\.[0-9A-Za-z_\-]{8,}`},
		{"connection-string", `\b[a-z][a-z0-9+.\-]{2,}://[^\s:/@]{1,}:[^\s@/]{3,}@[^\s/]+`},
	}
}

type shape struct{ kind, pattern string }

// Matcher finds credentials. The zero value is not usable; make one with New.
type Matcher struct {
	kinds    []string
	patterns []*regexp.Regexp
}

// New compiles the known shapes.
func New() *Matcher {
	m := &Matcher{}
	for _, s := range shapes() {
		m.kinds = append(m.kinds, s.kind)
		m.patterns = append(m.patterns, regexp.MustCompile(s.pattern))
	}
	return m
}

// Kind names the first known shape in value, or "".
func (m *Matcher) Kind(value string) string {
	for i, p := range m.patterns {
		if p.MatchString(value) {
			return m.kinds[i]
		}
	}
	return ""
}

// Hide replaces every known shape in text. It first looks for a literal part that all values of a
// shape contain, so that plain text costs little.
func (m *Matcher) Hide(text, replacement string) string {
	for i, p := range m.patterns {
		if hint := hints()[i]; strings.Contains(text, hint) {
			text = p.ReplaceAllLiteralString(text, replacement)
		}
	}
	return text
}

// hints are literal parts of the shapes, in the same order.
func hints() [17]string {
	return [...]string{"IA", "gh", "github_pat_", "glpat-", "k_", "xox", "hooks.slack.com", "AIza", "SG.", "npm_", "sk-", "sk-ant-", "SK",
		"cf", "-----BEGIN", "eyJ", "://"}
}

// SecretName reports whether the name of a variable suggests that it holds a secret.
func SecretName(name string) bool {
	n := strings.ToLower(name)
	return slices.ContainsFunc([]string{"key", "secret", "token", "passw", "credential", "dsn"}, func(w string) bool {
		return strings.Contains(n, w)
	})
}

// HighEntropy reports whether value looks random: at least 20 characters and at
// least 3.5 bits of Shannon entropy per character.
func HighEntropy(value string) bool {
	return len(value) >= 20 && Entropy(value) >= 3.5
}

// Entropy is the Shannon entropy of value in bits per byte.
func Entropy(value string) float64 {
	if value == "" {
		return 0
	}
	var counts [256]int
	for i := range len(value) {
		counts[value[i]]++
	}
	var bits float64
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(value))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
