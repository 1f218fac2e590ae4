package waf

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
)

func pathField(f string) bool {
	f = strings.TrimPrefix(f, "raw.")
	return f == "http.request.uri.path" || f == "http.request.uri" || f == "http.request.full_uri"
}

// pathLimits reports whether a test restricts a rule to part of the site. A full URI includes the
// query, which the client controls, so only its start counts.
func pathLimits(field string, t expression.Test) bool {
	values := expression.Set{t.Right}
	if set, ok := t.Right.(expression.Set); ok {
		values = set
	}
	for _, o := range values {
		s, ok := o.(expression.Text)
		if !ok || !textLimits(field, t.Op, string(s)) {
			return false
		}
	}
	return true
}

func textLimits(field string, op expression.Op, s string) bool {
	switch op {
	case expression.Eq, expression.In:
		return true
	case expression.Wildcard, expression.StrictWildcard:
		head, _, star := strings.Cut(s, "*")
		return !star || startLimits(field, head) || field == "http.request.uri.path" && strings.Trim(s, "*/") != ""
	case expression.Contains:
		return field == "http.request.uri.path" && strings.Trim(s, "/") != ""
	case expression.Matches:
		if field != "http.request.uri.path" {
			return false
		}
		re, err := expression.Pattern(s)
		// A pattern that matches two unrelated paths matches any.
		return err == nil && (!re.MatchString("/") || !re.MatchString("/zq8x7v/k3"))
	default:
		return false
	}
}

// startLimits reports whether a prefix of the path or URI extends past the host and the first
// slash.
func startLimits(field, start string) bool {
	if field == "http.request.full_uri" {
		_, rest, ok := strings.Cut(start, "://")
		if !ok {
			return false
		}
		i := strings.IndexByte(rest, '/')
		return i >= 0 && len(rest) > i+1
	}
	return len(start) > 1
}
