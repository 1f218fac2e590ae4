package explain

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Query is a request as far as the user describes it. Empty fields are unknown.
type Query struct {
	URL     *url.URL // with scheme and host
	Method  string
	Source  netip.Prefix // address or network of the visitor
	Country string       // ISO 3166-1, two letters
	Header  http.Header
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
	path := cmp.Or(u.RawPath, u.EscapedPath()) // as it was sent
	if n.Type == "cloudflare" {
		path = strings.ReplaceAll(path, `\`, "/")
		for strings.Contains(path, "//") {
			path = strings.ReplaceAll(path, "//", "/")
		}
	}
	path = withoutDots(encoded(path))
	if plain, err := url.PathUnescape(path); err == nil {
		u.Path, u.RawPath = plain, path
		q.URL = &u
	}
	return q
}

// encoded decodes unreserved characters, encodes those that stand for nothing in an address, and
// writes encoded ones in upper case.
func encoded(path string) string {
	var out strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' && i+2 < len(path) {
			if v, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				c = byte(v)
				if i += 2; unreserved(c) {
					out.WriteByte(c)
				} else {
					fmt.Fprintf(&out, "%%%02X", c)
				}
				continue
			}
		}
		if unreserved(c) || strings.IndexByte("%:/?#[]@!$&'()*+,;=", c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// unreserved reports whether a character means the same encoded or not (RFC 3986, section 2.3).
func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
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
// and the arguments that rules read, those that are neither given nor sent by browsers on their own
// are taken as absent.
func (q Query) condition(headers, arguments []string) string {
	terms := []string{"http.request.uri.path eq " + quote(q.path()), "http.request.uri.query eq " + quote(q.URL.RawQuery)}
	if q.secure() {
		terms = append(terms, "ssl")
	} else {
		terms = append(terms, "not ssl")
	}
	terms = append(terms, "http.request.method eq "+quote(q.Method), fmt.Sprint("cf.edge.server_port eq ", q.port()))
	if q.Source.IsValid() {
		terms = append(terms, "ip.src in {"+q.Source.String()+"}")
	}
	if q.Country != "" {
		terms = append(terms, "ip.src.country eq "+quote(q.Country))
		if inUnion(q.Country) {
			terms = append(terms, "ip.src.is_in_european_union")
		} else {
			terms = append(terms, "not ip.src.is_in_european_union")
		}
		if c := continentOf(q.Country); c != "" {
			terms = append(terms, "ip.src.continent eq "+quote(c))
		}
	}
	for _, f := range [][2]string{{"User-Agent", "http.user_agent"}, {"Cookie", "http.cookie"}, {"Referer", "http.referer"}} {
		if v := q.Header.Get(f[0]); v != "" {
			terms = append(terms, f[1]+" eq "+quote(v))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q.Header)) {
		key := `http.request.headers[` + quote(strings.ToLower(name)) + `][*]`
		for _, v := range q.Header[name] {
			terms = append(terms, "any("+key+" eq "+quote(v)+")")
		}
	}
	for _, name := range headers {
		if q.Header.Get(name) == "" && !ofBrowsers(name) {
			terms = append(terms, `not any(http.request.headers[`+quote(name)+`][*] contains "")`)
		}
	}
	for _, name := range arguments {
		key := `http.request.uri.args[` + quote(name) + `][*]`
		switch values := argument(q.URL.RawQuery, name); len(values) {
		case 0:
			terms = append(terms, "not any("+key+` contains "")`)
		case 1:
			terms = append(terms, "any("+key+" eq "+quote(values[0])+")")
		}
	}
	return strings.Join(terms, " and ")
}

// port is the port that the request goes to.
func (q Query) port() int {
	port, err := strconv.Atoi(q.URL.Port())
	switch {
	case err == nil:
		return port
	case q.secure():
		return 443
	default:
		return 80
	}
}

// argument returns the values of an argument of a query, as they are sent.
func argument(query, name string) (out []string) {
	for pair := range strings.SplitSeq(query, "&") {
		if key, value, _ := strings.Cut(pair, "="); key == name && pair != "" {
			out = append(out, value)
		}
	}
	return out
}

// inUnion reports whether requests from a country count as from the European Union
// (developers.cloudflare.com/ruleset-engine/rules-language/fields/reference/ip.src.is_in_european_union/).
func inUnion(country string) bool {
	return slices.Contains(strings.Fields("AT AX BE BG CY CZ DE DK EE ES FI FR GF GP GR HR HU IE IT LT LU LV MF MQ MT NL PL PT RE RO SE SI "+
		"SK YT"), strings.ToUpper(country))
}

// continentOf returns the continent of a country, as
// developers.cloudflare.com/ruleset-engine/rules-language/fields/reference/ip.src.continent/ writes
// it; "" for countries that databases place differently.
func continentOf(country string) string {
	for continent, countries := range map[string]string{
		"AF": "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ NA NE NG RE RW SC SD SL SN " +
			"SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW",
		"AS": "AE AF BD BH BN BT CN HK ID IL IN IQ IR JO JP KG KH KP KR KW LA LB LK MM MN MO MV MY NP OM PH PK PS QA SA SG SY TH TJ TM TW UZ " +
			"VN YE",
		"EU": "AD AL AT AX BA BE BG BY CH CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK MT NL NO PL PT RO " +
			"RS SE SI SK SM UA VA",
		"NA": "AG AI AW BB BM BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI PA PR SV SX TC TT US VC VG VI",
		"OC": "AS AU CK FJ FM GU KI MH MP NC NR NU NZ PF PG PW SB TO TV VU WF WS",
		"SA": "AR BO BR CL CO EC FK GF GY PE PY SR UY VE",
	} {
		if slices.Contains(strings.Fields(countries), strings.ToUpper(country)) {
			return continent
		}
	}
	return ""
}

// ofBrowsers reports whether browsers, or the edge, send a header on their own.
func ofBrowsers(name string) bool {
	return strings.HasPrefix(name, "sec-") || strings.HasPrefix(name, "cf-") || strings.HasPrefix(name, "accept") ||
		slices.Contains([]string{"cache-control", "connection", "content-length", "content-type", "cookie", "dnt", "host", "origin", "pragma",
			"priority", "range", "referer", "te", "upgrade-insecure-requests", "user-agent", "x-forwarded-for", "x-forwarded-proto"}, name)
}

// asked names the keys of fields that rules of the zone and of the account read: request headers
// in lower case, and arguments of the query.
func asked(snap *snapshot.Snapshot, zone snapshot.Zone) (headers, arguments []string) {
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
	for _, c := range conditions {
		e, err := expression.Parse(c)
		if err != nil {
			continue
		}
		for _, f := range expression.FieldsOf(e) {
			switch name := strings.TrimPrefix(f.Name, "raw."); {
			case len(f.Index) == 0:
			case name == "http.request.headers":
				headers = append(headers, strings.ToLower(f.Index[0]))
			case name == "http.request.uri.args":
				arguments = append(arguments, f.Index[0])
			}
		}
	}
	slices.Sort(headers)
	slices.Sort(arguments)
	return slices.Compact(headers), slices.Compact(arguments)
}

// quote formats a string literal of the rules language
// (developers.cloudflare.com/ruleset-engine/rules-language/values/#string-values-and-regular-expressions).
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
