package gateway

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// everything returns the fact of a test that matches any traffic: a pattern that matches unrelated
// names, or a range of all addresses or ports.
func everything(e expression.Expr) exposure.Fact {
	switch admission.MatchesAll(e, samples(e)...) {
	case truth.Yes:
		return exposure.Always
	case truth.Undecided:
		return exposure.Unclear
	}
	m, ok := admission.MemberOf(e)
	if !ok {
		return exposure.Varies
	}
	if wider(m.Values, 1) {
		return exposure.Always
	}
	if strings.HasSuffix(m.Field, ".port") && everyPort(m.Ports()) {
		return exposure.Always
	}
	return exposure.Varies
}

// everyPort reports whether ranges hold all ports together.
func everyPort(ranges []expression.Numbers) bool {
	slices.SortFunc(ranges, func(a, b expression.Numbers) int { return cmp.Compare(a.Lo, b.Lo) })
	next := int64(1)
	for _, r := range ranges {
		if r.Lo > next {
			return false
		}
		next = max(next, min(r.Hi, lastPort)+1)
	}
	return next > lastPort
}

// samples returns unrelated texts of the kind that a test is about: paths, addresses of pages or names.
func samples(e expression.Expr) []string {
	is := func(part string) func(string) bool {
		return func(field string) bool { return strings.Contains(field, part) }
	}
	switch fields := expression.Fields(e); {
	case slices.ContainsFunc(fields, is(".path")):
		return []string{"/", "/z/y.html"}
	case slices.ContainsFunc(fields, is(".uri")), slices.ContainsFunc(fields, is(".url")):
		return []string{"https://x.y/z?q=1", "https://zq8x7v.k3.test/"}
	}
	return []string{"a.example", "zq8x7v.k3.test", "intranet"}
}

// wider reports whether ranges hold, together, more addresses in a row than a prefix of some length. Wider than 1 is all
// IPv4 or all IPv6 addresses but for less than half.
func wider(values []expression.Operand, bits int) bool {
	var ranges []expression.Addresses
	for _, o := range values {
		if a, ok := o.(expression.Addresses); ok {
			ranges = append(ranges, a)
		}
	}
	slices.SortFunc(ranges, func(a, b expression.Addresses) int { return a.Lo.Compare(b.Lo) })
	for i, r := range ranges {
		if last := ranges[max(i-1, 0)]; last.Hi.BitLen() == r.Lo.BitLen() && (last.Hi.Compare(r.Lo) >= 0 || last.Hi.Next() == r.Lo) {
			ranges[i].Lo = last.Lo // one that touches or overlaps the one before
			if last.Hi.Compare(r.Hi) > 0 {
				ranges[i].Hi = last.Hi
			}
		}
		if ranges[i].Wider(bits, bits) {
			return true
		}
	}
	return false
}

// manyAddresses is the length of prefix from which on a range is more than a few sites.
const manyAddresses = 4

// mostly is everything for nearly any traffic: a test for named sites, addresses or categories
// matches hardly any of it, so that its opposite matches nearly all.
func mostly(e expression.Expr) exposure.Fact {
	if f := everything(e); f != exposure.Varies || wideTarget(e) == exposure.Always {
		return f
	}
	elsewhere := slices.ContainsFunc(expression.Fields(e), func(field string) bool {
		return !hostField(field) && !slices.ContainsFunc([]string{"category", ".uri", ".url", ".dst", "app."}, func(part string) bool {
			return strings.Contains("."+field, part)
		})
	})
	some := slices.ContainsFunc(samples(e), func(text string) bool { return admission.MatchesAll(e, text) == truth.Yes })
	if m, ok := admission.MemberOf(e); elsewhere || some || ok && wider(m.Values, manyAddresses) {
		return exposure.Varies
	}
	return exposure.Never
}

// wideTarget returns the fact of a test for a top-level domain or a kind of application, so that
// covering all of it makes the rule wide.
func wideTarget(e expression.Expr) exposure.Fact {
	if t, ok := e.(expression.Test); ok && t.Op == expression.Matches {
		field, _ := t.Left.(expression.Field)
		pattern, _ := t.Right.(expression.Text)
		end := strings.TrimRight(strings.ReplaceAll(string(pattern), `\.`, "."), "$)")
		rest := strings.TrimLeft(end, "^.*(")
		if hostField(field.Name) && !strings.ContainsAny(rest, `.\[|`) && (rest == "" || strings.HasSuffix(end, "."+rest)) {
			return exposure.Always
		}
		return exposure.Varies
	}
	m, ok := admission.MemberOf(e)
	if !ok {
		return exposure.Varies
	}
	if strings.HasPrefix(m.Field, "app.type") || strings.Contains(m.Field, "app.category") {
		return exposure.Always
	}
	for _, o := range m.Values {
		text, isText := o.(expression.Text)
		name := strings.Trim(strings.TrimPrefix(string(text), "*"), ".")
		if isText && strings.Contains(m.Field, "domain") && !strings.Contains(name, ".") {
			return exposure.Always
		}
	}
	return exposure.Varies
}

func hostField(name string) bool {
	return strings.Contains(name, "domain") || strings.Contains(name, "host") || strings.HasSuffix(name, ".sni") ||
		strings.HasSuffix(name, ".fqdn")
}
