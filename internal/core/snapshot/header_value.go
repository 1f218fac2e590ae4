package snapshot

import (
	"slices"
	"strings"
)

// readsOf names what an expression that computes a header reads: fields and functions, a request
// header with its name. Quoted strings, which may be secret, are left out.
func readsOf(expression string) string {
	var out []string
	for rest := expression; rest != ""; {
		if n := textLength(rest); n > 0 {
			rest = rest[n:]
			continue
		}
		n := 0
		for n < len(rest) && word(rest[n]) {
			n++
		}
		name := strings.ToLower(rest[:n])
		rest = rest[max(n, 1):]
		field := strings.HasPrefix(name, "http.") || strings.HasPrefix(name, "raw.http.") || strings.HasPrefix(name, "cf.") ||
			strings.HasPrefix(name, "ip.") || name == "ssl"
		if !field && (n == 0 || !strings.HasPrefix(rest, "(")) {
			continue
		}
		if text, ok := strings.CutPrefix(rest, `["`); ok && strings.HasSuffix(name, "http.request.headers") {
			if header, _, closed := strings.Cut(text, `"]`); closed && !strings.ContainsAny(header, " \"\\") {
				name += "[" + strings.ToLower(header) + "]"
			}
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// textLength returns the length of the quoted string at the start of s, 0 when there is none:
// "a\"b", r"a\" or r#"a"b"#.
func textLength(s string) int {
	if raw, ok := strings.CutPrefix(s, "r"); ok {
		marks := len(raw) - len(strings.TrimLeft(raw, "#"))
		if strings.HasPrefix(raw[marks:], `"`) {
			start := 1 + marks + 1
			if end := strings.Index(s[start:], `"`+strings.Repeat("#", marks)); end >= 0 {
				return start + end + 1 + marks
			}
			return len(s)
		}
		return 0
	}
	if !strings.HasPrefix(s, `"`) {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

func word(c byte) bool {
	return c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// plainWord reports whether a value is easy to guess.
func plainWord(value string) bool {
	return slices.Contains([]string{"true", "yes", "on", "1", "ok", "y", "t", "enabled", "success", "verified", "valid", "allowed", "allow",
		"trusted", "internal", "admin", "employee", "staff", "authenticated", "cloudflare", "200"},
		strings.ToLower(strings.TrimSpace(value)))
}
