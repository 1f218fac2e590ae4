package rule

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// redirectHost is what is known about the target of a redirect.
type redirectHost int

const (
	fixed   redirectHost = iota // to the host named in host, or to the requested host
	steered                     // the visitor controls the host or the scheme
	plain                       // to an http URL
	unclear
)

// readTarget determines where a redirect leads; host is "" when it stays on the requested host.
func readTarget(p snapshot.RuleParams) (t redirectHost, host string) {
	if !p.RedirectRaw {
		return ofText(p.RedirectTo)
	}
	o, err := expression.ParseValue(p.RedirectTo)
	if err != nil {
		return unclear, ""
	}
	switch o := o.(type) {
	case expression.Text:
		return ofText(string(o))
	case expression.Field:
		if o.Name == "http.request.full_uri" {
			return fixed, ""
		}
		return steered, ""
	case expression.Call:
		switch o.Name {
		case "concat":
			return ofParts(o.Args)
		case "wildcard_replace", "regex_replace":
			return ofReplacement(o)
		}
	}
	return unclear, ""
}

// ofText parses a constant URL.
func ofText(text string) (redirectHost, string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || text == "":
		return unclear, ""
	case u.Host == "" && u.Scheme == "":
		return fixed, "" // a path on the same host
	case strings.EqualFold(u.Scheme, "http"):
		return plain, u.Hostname()
	case u.Scheme == "" || strings.EqualFold(u.Scheme, "https"):
		return fixed, u.Hostname()
	default:
		return unclear, ""
	}
}

// ofParts parses a concatenated URL. Everything up to the slash after the host must be constant or
// the requested host.
func ofParts(parts []expression.Operand) (redirectHost, string) {
	head, own := "", false
	for i, p := range parts {
		text, constant := p.(expression.Text)
		switch {
		case constant:
			head += string(text)
		case startsPath(p) && strings.Contains(head, "://") && i > 0:
			head += "/"
		case strings.HasSuffix(head, "://") && askedHost(p):
			own = true
			head += "asked.invalid"
		case own || askedHost(p) && strings.Contains(head, "://"):
			if !askedHost(p) {
				return steered, ""
			}
			own = true // such as "www." before the requested host
			head += "asked.invalid"
		default:
			return steered, ""
		}
		if done, t, host := complete(head); done {
			if own && t == fixed {
				host = ""
			}
			return t, host
		}
	}
	t, host := ofText(head)
	if own && t == fixed {
		host = ""
	}
	return t, host
}

// complete reports whether the start of a URL includes the whole host.
func complete(head string) (bool, redirectHost, string) {
	scheme, rest, found := strings.Cut(head, "://")
	if !found {
		if strings.HasPrefix(head, "/") && !strings.HasPrefix(head, "//") && len(head) > 1 {
			return true, fixed, ""
		}
		return false, unclear, ""
	}
	if !strings.ContainsAny(rest, "/?#") {
		return false, unclear, ""
	}
	t, host := ofText(scheme + "://" + rest)
	return true, t, host
}

// startsPath reports whether a value begins with a slash: the path, or the path with its query.
func startsPath(o expression.Operand) bool {
	f, ok := o.(expression.Field)
	return ok && slices.Contains([]string{"http.request.uri.path", "http.request.uri", "raw.http.request.uri.path", "raw.http.request.uri"},
		f.Name)
}

// askedHost reports whether a value consists only of the requested host.
func askedHost(o expression.Operand) bool {
	fields := expression.Fields(expression.Flag{Value: o})
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(f string) bool { return f != "http.host" && f != "cf.zone.name" })
}

// ofReplacement parses a replacement. A captured part may stand for the host only if the pattern
// captured the host.
func ofReplacement(c expression.Call) (redirectHost, string) {
	if len(c.Args) < 3 {
		return unclear, ""
	}
	pattern, isText := c.Args[1].(expression.Text)
	text, replaced := c.Args[2].(expression.Text)
	if !isText || !replaced {
		return unclear, ""
	}
	scheme, rest, found := strings.Cut(string(text), "://")
	if !found {
		if strings.HasPrefix(string(text), "/") && !strings.HasPrefix(string(text), "//") {
			return fixed, ""
		}
		return unclear, ""
	}
	authority, _, _ := strings.Cut(rest, "/")
	switch {
	case strings.Contains(scheme, "$"):
		return steered, ""
	case strings.EqualFold(scheme, "http"):
		return plain, ""
	case !strings.Contains(authority, "$"):
		return fixed, strings.ToLower(authority)
	}
	// A constant suffix such as ".shop.example" keeps the host below it.
	if end := authority[strings.LastIndex(authority, "}")+1:]; strings.HasPrefix(end, ".") {
		return fixed, strings.TrimPrefix(end, ".")
	}
	before, _, _ := strings.Cut(string(pattern), "*")
	source, isField := c.Args[0].(expression.Field)
	if isField && source.Name == "http.request.full_uri" && strings.HasPrefix(authority, "${1}") && strings.HasSuffix(before, "://") {
		return fixed, ""
	}
	return steered, ""
}

// ofForwarding parses where a page rule forwards to: $1 in the address stands for what the first star
// of the target matched (developers.cloudflare.com/rules/page-rules/reference/wildcard-matching/).
func ofForwarding(target, to string) (redirectHost, string) {
	scheme, rest, found := strings.Cut(to, "://")
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	last := strings.LastIndex(authority, "$")
	switch {
	case !found:
		return unclear, ""
	case strings.Contains(scheme, "$"):
		return steered, ""
	case last < 0:
		return ofText(scheme + "://" + authority)
	}
	if _, after, has := strings.Cut(target, "://"); has {
		target = after
	}
	asked, _, _ := strings.Cut(target, "/")
	for n := 1; strings.Contains(asked, "*"); n++ {
		asked = strings.Replace(asked, "*", "$"+strconv.Itoa(n), 1)
	}
	below := strings.TrimLeft(authority[last+1:], "0123456789") // a constant end such as ".shop.example" keeps the host below it
	switch {
	case !strings.EqualFold(authority, asked) && !strings.HasPrefix(below, "."):
		return steered, ""
	case strings.EqualFold(scheme, "http"):
		return plain, ""
	case strings.EqualFold(authority, asked):
		return fixed, "" // the requested host
	}
	return fixed, strings.TrimPrefix(below, ".")
}

// own reports whether a host belongs to the organisation: to a zone of the account, to one of its
// Pages projects or to the operator's list. It is undecided for a host of Pages when the projects
// could not be read. The check must declare ZoneList and PagesProjects.
func own(v *check.View, host string) truth.Value {
	account := v.Account().ID
	projects, known := check.ReadOptionalAt(v, snapshot.PagesProjects, account)
	switch {
	case host == "",
		slices.ContainsFunc(check.ReadAt(v, snapshot.ZoneList, account), func(z snapshot.Zone) bool { return exposure.Within(host, z.Name) }),
		slices.ContainsFunc(projects, func(p snapshot.PagesProject) bool { return exposure.Within(host, p.Subdomain) }),
		slices.ContainsFunc(v.Policy.OwnHosts, func(d string) bool { return exposure.Within(host, d) }):
		return truth.Yes
	case !known && exposure.Within(host, "pages.dev"):
		return truth.Undecided
	}
	return truth.No
}

// perhapsOwn is the reason why a host of Pages is not judged; the projects that could not be read
// are named after it.
func perhapsOwn(host string) string {
	return "whether " + host + " is a Pages project of this account is not known"
}
