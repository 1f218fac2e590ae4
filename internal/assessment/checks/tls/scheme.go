package tls

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// scheme returns what is fixed for all requests to a zone that come over http, or
// over https.
func scheme(z snapshot.Zone, name string) func(expression.Expr) exposure.Fact {
	zone := exposure.OfZone(z)
	return func(e expression.Expr) exposure.Fact {
		switch e := e.(type) {
		case expression.Flag:
			if f, ok := e.Value.(expression.Field); ok && f.Name == "ssl" {
				return exposure.Fixed(name == "https")
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
					return exposure.Fixed((bool(b) == (name == "https")) == (e.Op == expression.Eq))
				}
				return exposure.Unclear
			case "http.request.scheme":
				if holds, ok := e.OnText(name); ok {
					return exposure.Fixed(holds)
				}
				return exposure.Unclear
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
func uriStart(want, name, rest string) exposure.Fact {
	own, other := name+"://", "http://"
	if name == "http" {
		other = "https://"
	}
	switch {
	case want == own+rest:
		return exposure.Always
	case strings.HasPrefix(want, other):
		return exposure.Never
	default:
		return exposure.Varies
	}
}

func fieldName(o expression.Operand) string {
	if f, ok := o.(expression.Field); ok {
		return f.Name
	}
	return ""
}
