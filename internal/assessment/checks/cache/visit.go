package cache

import (
	"path"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
)

// samples returns paths with personal responses: the usual ones, and those that the texts of a rule
// name, also with a file name that has an extension they name.
func samples(texts ...string) []string {
	out := []string{"/login", "/account", "/account/profile", "/api", "/api/v1/orders", "/cart", "/cart/items", "/admin", "/admin/users"}
	for _, p := range paths(texts) {
		if !exposure.Personal(p) {
			continue
		}
		all := []string{p}
		for _, t := range texts {
			if ending := strings.TrimPrefix(t, "."); ending != "" && !strings.ContainsAny(ending, "/.*") {
				all = append(all, strings.TrimSuffix(p, "/")+"/x."+ending)
			}
		}
		for _, s := range all {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// paths converts texts that a rule compares with into matching paths.
func paths(texts []string) []string {
	out := make([]string, 0, len(texts))
	for _, t := range texts {
		p := strings.ReplaceAll(pathOf(t), "*", "x")
		if !strings.HasPrefix(p, "/") {
			p = "/" + p
		}
		out = append(out, p)
	}
	return out
}

// pathOf removes scheme and host from a URL or a pattern of one; a pattern without a path that ends
// in a star stands for every path.
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
		field, values := compared(e)
		if !strings.HasPrefix(field, "http.request.") {
			return nil
		}
		if t, ok := e.(expression.Test); ok && t.Op == expression.Matches {
			return spelled(t.Right)
		}
		return values
	}})
}

// compared returns the field that a condition reads, and the values it compares it with.
func compared(e expression.Expr) (field string, to []string) {
	switch e := e.(type) {
	case expression.Test:
		return fieldOf(e.Left), values(e.Right)
	case expression.Flag:
		if c, ok := e.Value.(expression.Call); ok && len(c.Args) == 2 && (c.Name == "starts_with" || c.Name == "ends_with") {
			return fieldOf(c.Args[0]), values(c.Args[1])
		}
	}
	return "", nil
}

// spelled lists paths that a pattern may match: its personal words alone, and first and last in a
// path.
func spelled(o expression.Operand) []string {
	var out []string
	for _, t := range values(o) {
		for _, w := range exposure.Words(t) {
			if exposure.Personal(w) {
				out = append(out, "/"+w, "/"+w+"/x", "/x/"+w)
			}
		}
	}
	return out
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

// visitor is a person who requests one path of a host, with or without a session in a cookie of any
// name or in the Authorization header, and over plain HTTP or not.
type visitor struct {
	host, path string
	session    bool
	plain      bool
}

// fact returns the fact of a condition for the requests of the visitor.
func (q visitor) fact(e expression.Expr) exposure.Fact {
	if readsSession(e) {
		if fact := withSession(e); q.session || fact == exposure.Unclear {
			return fact
		}
		return exposure.Fixed(withSession(e) == exposure.Never)
	}
	if f, ok := e.(expression.Flag); ok && fieldOf(f.Value) == "ssl" {
		return exposure.Fixed(!q.plain)
	}
	field, to := compared(e)
	value, known := q.part(field)
	if !known {
		return exposure.Varies
	}
	switch e := e.(type) {
	case expression.Flag:
		holds := strings.HasPrefix
		if e.Value.(expression.Call).Name == "ends_with" { //nolint:forcetypeassert // compared has looked
			holds = strings.HasSuffix
		}
		if len(to) == 1 {
			return exposure.Fixed(holds(value, to[0]))
		}
	case expression.Test:
		return onText(e, value)
	}
	return exposure.Unclear
}

// part returns the value of a field that follows from the scheme, the host and the path.
func (q visitor) part(field string) (string, bool) {
	scheme := "https"
	if q.plain {
		scheme = "http"
	}
	switch field {
	case "http.host":
		return q.host, true
	case "http.request.uri.path", "http.request.uri":
		return q.path, true
	case "http.request.uri.path.extension":
		return strings.TrimPrefix(path.Ext(q.path), "."), true
	case "http.request.full_uri":
		return scheme + "://" + q.host + q.path, true
	case "http.request.scheme":
		return scheme, true
	case "http.request.method":
		return "GET", true // answers to other methods are not stored (developers.cloudflare.com/cache/concepts/default-cache-behavior/)
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

// readsSession reports whether a condition reads headers or cookies that carry sessions.
func readsSession(e expression.Expr) bool {
	carrier := func(name string) bool {
		return strings.EqualFold(name, "authorization") || strings.EqualFold(name, "cookie")
	}
	var named []string
	switch e := inner(e).(type) {
	case expression.Test:
		named = values(e.Right)
	case expression.Flag:
		if c, ok := e.Value.(expression.Call); ok && len(c.Args) > 0 {
			named = values(c.Args[len(c.Args)-1])
		}
	}
	return slices.ContainsFunc(expression.FieldsOf(e), func(f expression.Field) bool {
		switch f.Name {
		case "http.request.headers":
			return slices.ContainsFunc(append(named, f.Index...), carrier)
		case "http.request.headers.names":
			return slices.ContainsFunc(named, carrier)
		default:
			return f.Name == "http.cookie" || strings.HasPrefix(f.Name, "http.request.cookies")
		}
	})
}

// inner unwraps any(…) and all(…) from a condition on each of several values.
func inner(e expression.Expr) expression.Expr {
	if f, ok := e.(expression.Flag); ok {
		if c, ok := f.Value.(expression.Call); ok && len(c.Args) == 1 {
			if n, ok := c.Args[0].(expression.Nested); ok {
				return n.X
			}
		}
	}
	return e
}

// withSession evaluates a test of the session for a visitor who has one: a test for a name or text
// matches, a test for absence does not.
func withSession(e expression.Expr) exposure.Fact {
	t, isTest := inner(e).(expression.Test)
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

// fieldOf returns the field of an operand, ignoring case conversions around it.
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
