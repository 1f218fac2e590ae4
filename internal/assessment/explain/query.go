package explain

import (
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Query is a request as far as the user describes it. Empty fields are unknown.
type Query struct {
	URL       *url.URL // with scheme and host
	Method    string
	Source    netip.Prefix // address or network of the visitor
	Country   string       // ISO 3166-1, two letters
	UserAgent string
	Header    http.Header
}

// Host is the host in the form in which names are compared.
func (q Query) Host() string {
	return strings.TrimSuffix(strings.ToLower(snapshot.ASCII(q.URL.Hostname())), ".")
}

func (q Query) secure() bool { return q.URL.Scheme == "https" }

func (q Query) path() string {
	if p := q.URL.EscapedPath(); p != "" {
		return p
	}
	return "/"
}

// normalised is the request as rules see it after URL normalization
// (developers.cloudflare.com/rules/normalization/how-it-works/).
func (q Query) normalised(snap *snapshot.Snapshot, zone snapshot.Zone) Query {
	n, sec := snapshot.Read(snap, snapshot.ZoneURLNormalization, zone.ID)
	if sec.Status != snapshot.OK || n.Scope == "none" {
		return q
	}
	u := *q.URL
	path := u.EscapedPath()
	if n.Type == "cloudflare" {
		path = strings.ReplaceAll(path, `\`, "/")
		for strings.Contains(path, "//") {
			path = strings.ReplaceAll(path, "//", "/")
		}
	}
	path = withoutDots(path)
	if plain, err := url.PathUnescape(path); err == nil {
		u.Path, u.RawPath = plain, path
		q.URL = &u
	}
	return q
}

// withoutDots removes dot segments (RFC 3986, section 5.2.4).
func withoutDots(path string) string {
	var out []string
	segments := strings.Split(path, "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch s {
		case "..":
			if len(out) > 1 {
				out = out[:len(out)-1]
			}
		case ".":
		default:
			out = append(out, s)
			continue
		}
		if last {
			out = append(out, "")
		}
	}
	return strings.Join(out, "/")
}

// condition is the expression that matches only such requests, without their host. Of the headers
// that rules read (asked), those that are neither given nor sent by browsers on their own are taken
// as absent.
func (q Query) condition(asked []string) string {
	terms := []string{"http.request.uri.path eq " + quote(q.path()), "http.request.uri.query eq " + quote(q.URL.RawQuery)}
	if q.secure() {
		terms = append(terms, "ssl")
	} else {
		terms = append(terms, "not ssl")
	}
	terms = append(terms, "http.request.method eq "+quote(q.Method))
	if q.Source.IsValid() {
		terms = append(terms, "ip.src in {"+q.Source.String()+"}")
	}
	if q.Country != "" {
		terms = append(terms, "ip.src.country eq "+quote(q.Country))
	}
	if q.UserAgent != "" {
		terms = append(terms, "http.user_agent eq "+quote(q.UserAgent))
	}
	for _, name := range slices.Sorted(maps.Keys(q.Header)) {
		key := `http.request.headers[` + quote(strings.ToLower(name)) + `][*]`
		for _, v := range q.Header[name] {
			terms = append(terms, "any("+key+" eq "+quote(v)+")")
		}
	}
	for _, name := range asked {
		if q.Header.Get(name) == "" && !ofBrowsers(name) {
			terms = append(terms, `not any(http.request.headers[`+quote(name)+`][*] contains "")`)
		}
	}
	return strings.Join(terms, " and ")
}

// ofBrowsers reports whether browsers, or the edge, send a header on their own.
func ofBrowsers(name string) bool {
	return strings.HasPrefix(name, "sec-") || strings.HasPrefix(name, "cf-") || strings.HasPrefix(name, "accept") ||
		slices.Contains([]string{"cache-control", "connection", "content-length", "content-type", "cookie", "dnt", "host", "origin", "pragma",
			"priority", "range", "referer", "te", "upgrade-insecure-requests", "user-agent", "x-forwarded-for", "x-forwarded-proto"}, name)
}

// headersAsked names the request headers that rules of the zone and of the account read.
func headersAsked(snap *snapshot.Snapshot, zone snapshot.Zone) []string {
	var conditions []string
	add := func(set snapshot.Ruleset, _ snapshot.Section) {
		for _, r := range set.Rules {
			conditions = append(conditions, r.Expression)
		}
	}
	for _, k := range []snapshot.Key[snapshot.Ruleset]{snapshot.ZonePhaseRedirect, snapshot.ZonePhaseConfig, snapshot.ZonePhaseOrigin,
		snapshot.ZonePhaseCustom, snapshot.ZonePhaseRate, snapshot.ZonePhaseManaged, snapshot.ZonePhaseRequest, snapshot.ZonePhaseCache,
		snapshot.ZonePhaseResponse, snapshot.ZonePhaseLeaks} {
		add(snapshot.Read(snap, k, zone.ID))
	}
	for _, k := range []snapshot.Key[snapshot.Ruleset]{snapshot.AccountPhaseCustom, snapshot.AccountPhaseRate, snapshot.AccountPhaseManaged} {
		add(snapshot.Read(snap, k, snap.Account.ID))
	}
	for _, id := range snap.Scopes(snapshot.AccountRulesetCustom.Source()) {
		add(snapshot.Read(snap, snapshot.AccountRulesetCustom, id))
	}
	snippets, _ := snapshot.Read(snap, snapshot.ZoneSnippetRules, zone.ID)
	for _, r := range snippets {
		conditions = append(conditions, r.Expression)
	}
	var out []string
	for _, c := range conditions {
		e, err := expression.Parse(c)
		if err != nil {
			continue
		}
		for _, f := range expression.FieldsOf(e) {
			if strings.TrimPrefix(f.Name, "raw.") == "http.request.headers" && len(f.Index) > 0 {
				out = append(out, strings.ToLower(f.Index[0]))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// quote formats a string literal of the rules language
// (developers.cloudflare.com/ruleset-engine/rules-language/values/#string-values-and-regular-expressions).
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
