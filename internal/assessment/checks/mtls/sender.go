package mtls

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// sender returns what is fixed for requests to one host without a verified
// certificate, or with a revoked one. A host that starts with *. means every name
// below.
func sender(z snapshot.Zone, host string, revoked bool) func(expression.Expr) exposure.Fact {
	zone := exposure.OfZone(z)
	fixed := func(field string) (value, known bool) {
		switch field {
		case "cf.tls_client_auth.cert_verified":
			return revoked, true
		case "cf.tls_client_auth.cert_revoked":
			return revoked, revoked // without a certificate nothing is said about it
		case "cf.tls_client_auth.cert_presented":
			return revoked, revoked
		default:
			return false, false
		}
	}
	return func(e expression.Expr) exposure.Fact {
		switch e := e.(type) {
		case expression.Flag:
			if value, known := fixed(fieldOf(e.Value)); known {
				return exposure.Fixed(value)
			}
			if c, ok := e.Value.(expression.Call); ok && len(c.Args) == 2 && fieldOf(c.Args[0]) == "http.host" {
				return onEnd(c, host)
			}
		case expression.Test:
			name := fieldOf(e.Left)
			if value, known := fixed(name); known {
				return onSwitch(e, value)
			}
			if name == "http.host" {
				return onHost(e, host)
			}
		}
		return zone(e)
	}
}

func onSwitch(t expression.Test, value bool) exposure.Fact {
	want, ok := t.Right.(expression.Bool)
	switch {
	case ok && t.Op == expression.Eq:
		return exposure.Fixed(value == bool(want))
	case ok && t.Op == expression.Ne:
		return exposure.Fixed(value != bool(want))
	default:
		return exposure.Unclear
	}
}

func onHost(t expression.Test, host string) exposure.Fact {
	parent, wild := strings.CutPrefix(host, "*.")
	if !wild {
		if holds, ok := t.OnText(strings.ToLower(host)); ok {
			return exposure.Fixed(holds)
		}
		return exposure.Unclear
	}
	if pattern, ok := t.Right.(expression.Text); ok && (t.Op == expression.Wildcard || t.Op == expression.StrictWildcard) &&
		exposure.Same(string(pattern), "*."+parent) {
		return exposure.Always
	}
	return exposure.Unclear
}

// onEnd judges starts_with and ends_with of the host.
func onEnd(c expression.Call, host string) exposure.Fact {
	text, ok := c.Args[1].(expression.Text)
	parent, wild := strings.CutPrefix(strings.ToLower(host), "*.")
	switch {
	case !ok:
		return exposure.Unclear
	case c.Name == "ends_with" && wild:
		if strings.HasSuffix("."+parent, string(text)) {
			return exposure.Always
		}
		return exposure.Unclear
	case c.Name == "ends_with":
		return exposure.Fixed(strings.HasSuffix(strings.ToLower(host), string(text)))
	case c.Name == "starts_with" && !wild:
		return exposure.Fixed(strings.HasPrefix(strings.ToLower(host), string(text)))
	default:
		return exposure.Unclear
	}
}

// fieldOf names the field behind an operand; lower does not change what a host
// test means.
func fieldOf(o expression.Operand) string {
	switch o := o.(type) {
	case expression.Field:
		return o.Name
	case expression.Call:
		if o.Name == "lower" && len(o.Args) == 1 {
			return fieldOf(o.Args[0])
		}
	}
	return ""
}
