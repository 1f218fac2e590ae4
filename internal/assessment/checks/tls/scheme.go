package tls

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// scheme gives what is fixed for all requests to a zone that come over http, or
// over https.
func scheme(z snapshot.Zone, name string) func(expression.Expr) check.Fact {
	zone := check.OfZone(z)
	return func(e expression.Expr) check.Fact {
		switch e := e.(type) {
		case expression.Flag:
			if f, ok := e.Value.(expression.Field); ok && f.Name == "ssl" {
				return check.Fixed(name == "https")
			}
			if c, ok := e.Value.(expression.Call); ok && c.Name == "starts_with" && len(c.Args) == 2 &&
				fieldName(c.Args[0]) == "http.request.full_uri" {
				if s, ok := c.Args[1].(expression.Text); ok {
					return uriStart(string(s), name, "")
				}
			}
		case expression.Test:
			switch fieldName(e.Left) {
			case "ssl":
				if b, ok := e.Right.(expression.Bool); ok && (e.Op == expression.Eq || e.Op == expression.Ne) {
					return check.Fixed((bool(b) == (name == "https")) == (e.Op == expression.Eq))
				}
				return check.Unclear
			case "http.request.scheme":
				if holds, ok := e.OnText(name); ok {
					return check.Fixed(holds)
				}
				return check.Unclear
			case "http.request.full_uri":
				s, ok := e.Right.(expression.Text)
				if ok && (e.Op == expression.Wildcard || e.Op == expression.StrictWildcard) {
					return uriStart(string(s), name, "*")
				}
			}
		}
		return zone(e)
	}
}

// uriStart judges a test of how the full address starts; rest is what a pattern
// must add to say "and anything after that".
func uriStart(want, name, rest string) check.Fact {
	own, other := name+"://", "http://"
	if name == "http" {
		other = "https://"
	}
	switch {
	case want == own+rest:
		return check.Always
	case strings.HasPrefix(want, other):
		return check.Never
	default:
		return check.Varies
	}
}

func fieldName(o expression.Operand) string {
	if f, ok := o.(expression.Field); ok {
		return f.Name
	}
	return ""
}
