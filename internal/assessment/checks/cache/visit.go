package cache

import (
	"path"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// samples are paths whose answers belong to one visitor: the usual ones, and
// those that the texts of a rule name.
func samples(texts ...string) []string {
	out := []string{"/login", "/account", "/account/profile", "/api", "/api/v1/orders", "/cart", "/cart/items", "/admin", "/admin/users"}
	for _, t := range texts {
		p := strings.ReplaceAll(pathOf(t), "*", "x")
		if !strings.HasPrefix(p, "/") {
			p = "/" + p
		}
		if isPersonal(p) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// isPersonal reports whether a word of the path names a place where people are
// signed in or buy.
func isPersonal(p string) bool {
	words := strings.FieldsFunc(strings.ToLower(p), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"login", "signin", "account", "accounts", "api", "cart", "checkout", "admin"}, w)
	})
}

// pathOf takes scheme and host off an address or a pattern of one; a pattern
// without any path stands for every path when it ends in a star.
func pathOf(text string) string {
	_, rest, hasScheme := strings.Cut(text, "://")
	if !hasScheme {
		return text
	}
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	if strings.HasSuffix(rest, "*") {
		return "*"
	}
	return "/"
}

// texts lists the values a rule compares paths with.
func texts(e expression.Expr) []string {
	none := func(...[]string) []string { return nil }
	join := func(all ...[]string) []string { return slices.Concat(all...) }
	if e == nil {
		return none()
	}
	return expression.Fold(e, expression.Algebra[[]string]{And: join, Or: join, Leaf: func(e expression.Expr, _ bool) []string {
		switch e := e.(type) {
		case expression.Test:
			if !strings.HasPrefix(fieldOf(e.Left), "http.request.") || e.Op == expression.Matches {
				return nil
			}
			return values(e.Right)
		case expression.Flag:
			if c, ok := e.Value.(expression.Call); ok && len(c.Args) == 2 && c.Name == "starts_with" {
				return values(c.Args[1])
			}
		}
		return nil
	}})
}

func values(o expression.Operand) []string {
	set, ok := o.(expression.Set)
	if !ok {
		set = expression.Set{o}
	}
	var out []string
	for _, v := range set {
		if t, ok := v.(expression.Text); ok {
			out = append(out, string(t))
		}
	}
	return out
}

// visit returns what is fixed for a visitor who reads one path of the zone and
// carries a session cookie, whatever that is called.
func visit(z snapshot.Zone, sample string) func(expression.Expr) exposure.Fact {
	zone := exposure.OfZone(z)
	address := "https://" + z.Name + sample
	return func(e expression.Expr) exposure.Fact {
		if slices.ContainsFunc(expression.Fields(e), isCookie) {
			return withCookie(e)
		}
		switch e := e.(type) {
		case expression.Flag:
			c, ok := e.Value.(expression.Call)
			if !ok || len(c.Args) != 2 || c.Name != "starts_with" && c.Name != "ends_with" {
				return zone(e)
			}
			have, want := fieldOf(c.Args[0]), values(c.Args[1])
			if len(want) != 1 {
				return exposure.Unclear
			}
			value, known := partOf(have, sample)
			switch {
			case have == "http.request.full_uri":
				value, want[0] = sample, pathOf(want[0])
			case !known:
				return zone(e)
			}
			if c.Name == "ends_with" {
				return exposure.Fixed(strings.HasSuffix(value, want[0]))
			}
			return exposure.Fixed(strings.HasPrefix(value, want[0]))
		case expression.Test:
			name := fieldOf(e.Left)
			if name == "http.request.full_uri" {
				return onAddress(e, sample, address)
			}
			if value, known := partOf(name, sample); known {
				return onText(e, value)
			}
		}
		return zone(e)
	}
}

// partOf returns the value of a field that follows from the path.
func partOf(field, sample string) (string, bool) {
	switch field {
	case "http.request.uri.path", "http.request.uri":
		return sample, true
	case "http.request.uri.path.extension":
		return strings.TrimPrefix(path.Ext(sample), "."), true
	default:
		return "", false
	}
}

func onText(t expression.Test, value string) exposure.Fact {
	if holds, ok := t.OnText(value); ok {
		return exposure.Fixed(holds)
	}
	pattern, isText := t.Right.(expression.Text)
	if t.Op != expression.Matches || !isText {
		return exposure.Unclear
	}
	re, err := expression.Pattern(string(pattern))
	if err != nil {
		return exposure.Unclear
	}
	return exposure.Fixed(re.MatchString(value))
}

// onAddress judges a test of the full address: the host may be any of the zone,
// so that a match of the path is enough.
func onAddress(t expression.Test, sample, address string) exposure.Fact {
	pattern, isText := t.Right.(expression.Text)
	if !isText {
		return onText(t, address)
	}
	if t.Op == expression.Contains || t.Op == expression.Matches || !strings.Contains(string(pattern), "://") {
		return onText(t, address)
	}
	t.Right = expression.Text(pathOf(string(pattern)))
	return onText(t, sample)
}

func isCookie(field string) bool {
	return field == "http.cookie" || strings.HasPrefix(field, "http.request.cookies")
}

// withCookie judges a test of the cookies: one that looks for a name or text
// finds it, one that wants none at all does not hold.
func withCookie(e expression.Expr) exposure.Fact {
	t, isTest := e.(expression.Test)
	if !isTest {
		return exposure.Always
	}
	empty := false
	switch right := t.Right.(type) {
	case expression.Text:
		empty = right == ""
	case expression.Number:
		empty = right == 0
	case expression.Bool:
		empty = !bool(right)
	}
	switch t.Op {
	case expression.Eq:
		return exposure.Fixed(!empty)
	case expression.Ne, expression.Gt:
		if empty {
			return exposure.Always
		}
		return exposure.Never
	case expression.Contains, expression.Matches, expression.Wildcard, expression.StrictWildcard, expression.In:
		return exposure.Always
	default:
		return exposure.Unclear
	}
}

// fieldOf names the field behind an operand, through changes of spelling.
func fieldOf(o expression.Operand) string {
	switch o := o.(type) {
	case expression.Field:
		return strings.TrimPrefix(o.Name, "raw.")
	case expression.Call:
		if len(o.Args) > 0 && (o.Name == "lower" || o.Name == "url_decode") {
			return fieldOf(o.Args[0])
		}
	}
	return ""
}
