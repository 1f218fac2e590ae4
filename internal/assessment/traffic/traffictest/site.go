// Package traffictest is a second, slow implementation of what Cloudflare publishes: it evaluates
// the rules of a generated zone one by one for one request. It shares no code with the package
// under test: each condition exists as an expression for the one and as a function for the other.
package traffictest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Visit is one request.
type Visit struct {
	Host, Path, Method, Country string
	Source                      netip.Addr
	Secure                      bool
	Header                      string // x-key, "" when not sent
	Score                       int
}

// Text writes the condition that only this request meets.
func (v Visit) Text() string {
	secure := "not ssl"
	if v.Secure {
		secure = "ssl"
	}
	header := `not any(http.request.headers["x-key"][*] contains "")`
	if v.Header != "" {
		header = fmt.Sprintf(`any(http.request.headers["x-key"][*] eq %q)`, v.Header)
	}
	return fmt.Sprintf(`http.request.uri.path eq %q and http.request.uri.query eq "" and http.request.method eq %q and ip.src eq %s `+
		`and ip.src.country eq %q and %s and %s and cf.bot_management.score eq %d`,
		v.Path, v.Method, v.Source, v.Country, secure, header, v.Score)
}

// condition is the same condition as expression and as function.
type condition struct {
	text string
	is   func(Visit) bool
}

type literalRule struct {
	snapshot.Rule
	is func(Visit) bool
}

// Site is a generated zone with its rules.
type Site struct {
	random *rand.Rand
	plan   string
	hosts  []string
	ssl    string
	hsts   snapshot.HSTS
	list   []netip.Prefix

	config, custom, rate, managed, response, redirect  []literalRule
	accountCustom, accountRate, accountManaged, deeper []literalRule
	pages                                              []page
	worker, spared                                     string // routes with and without a script
	bulk                                               []snapshot.ListRedirect
}

type page struct {
	id           string
	host, path   string // path ends with * or is exact
	ssl, forward string
	always       bool
}

// target is where a redirect leads, and whether that is HTTPS for a request over plain HTTP.
type target struct {
	text string
	is   func(Visit) bool
}

// secure reports whether a target without a condition is HTTPS.
func secure(to string) func(Visit) bool {
	return func(Visit) bool { return strings.HasPrefix(to, "https://") }
}

func targets() []target {
	return []target{{"https://site.example/", secure("https://")}, {"http://other.example/", secure("http://")},
		{`concat("https://", http.host, http.request.uri.path)`, secure("https://")},
		{`wildcard_replace(http.request.full_uri, "http://*/api*", "https://${1}/v2${2}")`,
			func(v Visit) bool { return strings.HasPrefix(strings.ToLower(v.Path), "/api") }},
		{`wildcard_replace(http.request.uri.path, "/up*", "https://site.example/${1}")`,
			func(v Visit) bool { return strings.HasPrefix(strings.ToLower(v.Path), "/up") }},
		{`regex_replace(http.request.uri.path, "^/api", "https://x/")`,
			func(v Visit) bool { return strings.HasPrefix(v.Path, "/api") }}}
}

func (s *Site) pick(of ...string) string { return of[s.random.IntN(len(of))] }

func (s *Site) condition(depth int) condition {
	if depth > 0 {
		switch s.random.IntN(4) {
		case 0:
			a, b := s.condition(depth-1), s.condition(depth-1)
			return condition{"(" + a.text + " and " + b.text + ")", func(v Visit) bool { return a.is(v) && b.is(v) }}
		case 1:
			a, b := s.condition(depth-1), s.condition(depth-1)
			return condition{"(" + a.text + " or " + b.text + ")", func(v Visit) bool { return a.is(v) || b.is(v) }}
		case 2:
			a := s.condition(depth - 1)
			return condition{"not (" + a.text + ")", func(v Visit) bool { return !a.is(v) }}
		}
	}
	switch s.random.IntN(14) {
	case 0:
		return condition{"true", func(Visit) bool { return true }}
	case 1:
		h := s.pick(append([]string{"gone.site.example", "other.example"}, s.hosts...)...)
		return condition{fmt.Sprintf("http.host eq %q", h), func(v Visit) bool { return v.Host == h }}
	case 2:
		return condition{`ends_with(http.host, ".site.example")`, func(v Visit) bool { return strings.HasSuffix(v.Host, ".site.example") }}
	case 3:
		p := s.pick("/", "/login", "/api", "/api/v1", "/upload")
		return condition{fmt.Sprintf("http.request.uri.path eq %q", p), func(v Visit) bool { return v.Path == p }}
	case 4:
		p := s.pick("/a", "/api", "/api/", "/up")
		return condition{fmt.Sprintf("starts_with(http.request.uri.path, %q)", p), func(v Visit) bool { return strings.HasPrefix(v.Path, p) }}
	case 5:
		p := s.pick("api", "log", "v1", ".php")
		return condition{fmt.Sprintf("http.request.uri.path contains %q", p), func(v Visit) bool { return strings.Contains(v.Path, p) }}
	case 6:
		p := s.pick("/api/*", "*/v1*", "/UPLOAD*")
		return condition{fmt.Sprintf("http.request.uri.path wildcard %q", p),
			func(v Visit) bool { return stars(strings.ToLower(p), strings.ToLower(v.Path)) }}
	case 7:
		return condition{`http.request.method in {"POST" "PUT"}`,
			func(v Visit) bool { return v.Method == http.MethodPost || v.Method == http.MethodPut }}
	case 8:
		r := netip.MustParsePrefix(s.pick("45.60.0.0/16", "45.60.10.0/24", "8.8.4.4/32"))
		return condition{"ip.src in {" + r.String() + "}", func(v Visit) bool { return r.Contains(v.Source) }}
	case 9:
		return condition{"ip.src in $office", func(v Visit) bool {
			return slices.ContainsFunc(s.list, func(p netip.Prefix) bool { return p.Contains(v.Source) })
		}}
	case 10:
		c := s.pick("DE", "FR", "US")
		return condition{fmt.Sprintf("ip.src.country ne %q", c), func(v Visit) bool { return v.Country != c }}
	case 11:
		return condition{`any(http.request.headers["x-key"][*] eq "k1")`, func(v Visit) bool { return v.Header == "k1" }}
	case 12:
		return condition{"cf.bot_management.score lt 30", func(v Visit) bool { return v.Score < 30 }}
	default:
		if s.random.IntN(2) == 0 {
			return condition{"ssl", func(v Visit) bool { return v.Secure }}
		}
		return condition{`http.request.full_uri wildcard "https://site.example/api*"`, func(v Visit) bool {
			return v.Secure && v.Host == "site.example" && strings.HasPrefix(strings.ToLower(v.Path), "/api")
		}}
	}
}

// stars matches a pattern in which * stands for any text, by trying every position.
func stars(pattern, s string) bool {
	if pattern == "" {
		return s == ""
	}
	if pattern[0] == '*' {
		for i := 0; i <= len(s); i++ {
			if stars(pattern[1:], s[i:]) {
				return true
			}
		}
		return false
	}
	return s != "" && s[0] == pattern[0] && stars(pattern[1:], s[1:])
}

func (s *Site) rules(prefix string, most int, fill func(*snapshot.Rule)) []literalRule {
	var out []literalRule
	for i := range s.random.IntN(most + 1) {
		c := s.condition(s.random.IntN(3))
		r := snapshot.Rule{ID: fmt.Sprintf("%s%d", prefix, i), Enabled: s.random.IntN(8) > 0, Expression: c.text}
		fill(&r)
		out = append(out, literalRule{r, c.is})
	}
	return out
}

func (s *Site) firewallRule(r *snapshot.Rule) {
	r.Action = s.pick("block", "managed_challenge", "log", "skip", "skip")
	if r.Action == "skip" {
		switch s.random.IntN(4) {
		case 0:
			r.Params.Ruleset = "current"
		case 1:
			r.Params.Phases = []string{"http_ratelimit"}
		case 2:
			r.Params.Phases = []string{"http_request_firewall_managed"}
		default:
			r.Params.Phase = "current"
		}
	}
}

func (s *Site) managedRule(r *snapshot.Rule) {
	r.Action, r.Params.ExecuteID = "execute", s.pick("m1", "m2")
	switch s.random.IntN(4) {
	case 0:
		r.Action, r.Params.ExecuteID, r.Params.Ruleset = "skip", "", "current"
	case 1:
		r.Action, r.Params.ExecuteID, r.Params.Rulesets = "skip", "", []string{"m1"}
	}
}

// New generates a site.
func New(seed uint64) *Site {
	s := &Site{random: rand.New(rand.NewPCG(seed, 7)), list: []netip.Prefix{netip.MustParsePrefix("45.60.10.0/28")}}
	s.plan = s.pick("free", "pro", "enterprise", "enterprise")
	s.hosts = []string{"site.example", "www.site.example", "api.site.example"}[:1+s.random.IntN(3)]
	s.ssl = s.pick("flexible", "full", "strict")
	if s.random.IntN(2) == 0 {
		s.hsts = snapshot.HSTS{Enabled: true, MaxAge: 31536000}
	}
	s.config = s.rules("c", 4, func(r *snapshot.Rule) {
		r.Action, r.Params.Config = "set_config", &snapshot.ConfigParams{SSL: s.pick("off", "flexible", "full", "strict", "")}
	})
	s.response = s.rules("h", 3, func(r *snapshot.Rule) {
		op := snapshot.HeaderOp{Operation: s.pick("set", "remove", "add"), Value: s.pick("max-age=60", "max-age=0", "max-age=31536000")}
		r.Action, r.Params.Headers = "rewrite", map[string]snapshot.HeaderOp{"strict-transport-security": op}
	})
	for i := range s.random.IntN(3) {
		p := page{id: fmt.Sprint("p", i), host: s.pick(s.hosts...), path: s.pick("/*", "/api/*", "/login"), ssl: s.pick("", "off", "strict")}
		switch s.random.IntN(4) {
		case 0:
			p.forward = s.pick("https://a.example/", "http://a.example/")
		case 1:
			p.always = true
		}
		s.pages = append(s.pages, p)
	}
	s.redirect = s.rules("r", 3, func(r *snapshot.Rule) {
		to := targets()[s.random.IntN(len(targets()))].text
		r.Action, r.Params = "redirect", snapshot.RuleParams{RedirectTo: to, RedirectRaw: strings.Contains(to, "(")}
	})
	if s.random.IntN(3) == 0 {
		s.worker = s.pick(s.hosts...) + s.pick("/*", "/up*")
		s.spared = s.pick("", "site.example/upload/*")
	}
	for _, path := range []string{"/api", "/upload"}[:s.random.IntN(3)] {
		s.bulk = append(s.bulk, snapshot.ListRedirect{Source: s.pick(s.hosts...) + path,
			Target: s.pick("https://b.example/", "http://b.example/"), Subpaths: s.random.IntN(2) == 0})
	}
	s.custom = s.rules("z", 5, s.firewallRule)
	limit := func(r *snapshot.Rule) { r.Action = s.pick("block", "log") }
	s.rate, s.managed = s.rules("l", 3, limit), s.rules("g", 4, s.managedRule)
	if s.plan == "enterprise" {
		s.accountCustom = s.rules("a", 3, s.firewallRule)
		s.deeper = s.rules("d", 2, s.firewallRule)
		s.accountRate, s.accountManaged = s.rules("b", 2, limit), s.rules("e", 2, s.managedRule)
		if len(s.accountCustom) > 0 && len(s.deeper) > 0 {
			r := &s.accountCustom[s.random.IntN(len(s.accountCustom))]
			r.Action, r.Params = "execute", snapshot.RuleParams{ExecuteID: "deeper"}
		}
	}
	return s
}

// Snapshot returns the zone as input of the package under test.
func (s *Site) Snapshot(t *testing.T) *snapshot.Snapshot {
	t.Helper()
	const account, zone = "acc", "zone"
	b := snapshot.NewBuilder(snapshot.AccountRef{ID: account}, goodtest.Now())
	b.Zones = []snapshot.Zone{{ID: zone, Name: "site.example", Status: "active", Type: "full", Plan: s.plan}}
	snapshot.Put(b, snapshot.ZoneList, account, b.Zones)
	var records []snapshot.DNSRecord
	for i, h := range s.hosts {
		records = append(records, snapshot.DNSRecord{ID: fmt.Sprint("r", i), Name: h, Type: "A", Content: "8.8.8.8", Proxied: true})
	}
	snapshot.Put(b, snapshot.ZoneDNSRecords, zone, records)
	snapshot.Put(b, snapshot.ZoneLoadBalancers, zone, []snapshot.LoadBalancer{})
	snapshot.Put(b, snapshot.ZoneCustomHostnames, zone, []snapshot.CustomHostname{})
	settings := snapshot.Settings{}.With("ssl", s.ssl).With("always_use_https", "off").
		With("security_header", map[string]snapshot.HSTS{"strict_transport_security": s.hsts})
	snapshot.Put(b, snapshot.ZoneSettings, zone, settings)
	var pages []snapshot.PageRule
	for i, p := range s.pages {
		r := snapshot.PageRule{ID: p.id, Status: "active", Priority: 100 - i, Targets: []string{p.host + p.path},
			Actions: map[string]string{"cache_level": "bypass"}}
		if p.ssl != "" {
			r.Actions["ssl"] = p.ssl
		}
		if p.forward != "" {
			r.Actions["forwarding_url"] = fmt.Sprintf(`{"url": %q, "status_code": 301}`, p.forward)
		}
		if p.always {
			r.Actions["always_use_https"] = ""
		}
		pages = append(pages, r)
	}
	snapshot.Put(b, snapshot.ZonePageRules, zone, pages)
	put := func(k snapshot.Key[snapshot.Ruleset], scope, id string, rules []literalRule) {
		out := snapshot.Ruleset{ID: id}
		for _, r := range rules {
			out.Rules = append(out.Rules, r.Rule)
		}
		snapshot.Put(b, k, scope, out)
	}
	snapshot.Put(b, snapshot.ZoneRulesets, zone, []snapshot.RulesetInfo{})
	snapshot.Put(b, snapshot.AccountRulesets, account, []snapshot.RulesetInfo{})
	var routes []snapshot.WorkerRoute
	for _, r := range []snapshot.WorkerRoute{{ID: "w", Pattern: s.worker, Script: "w"}, {ID: "n", Pattern: s.spared}} {
		if r.Pattern != "" {
			routes = append(routes, r)
		}
	}
	snapshot.Put(b, snapshot.ZoneWorkerRoutes, zone, routes)
	put(snapshot.ZonePhaseConfig, zone, "zc", s.config)
	put(snapshot.ZonePhaseRedirect, zone, "zr", s.redirect)
	put(snapshot.AccountPhaseRedirect, account, "ar", []literalRule{{Rule: snapshot.Rule{ID: "bulk", Enabled: true, Action: "redirect",
		Expression: "http.request.full_uri in $moved", Params: snapshot.RuleParams{FromList: "moved"}}}})
	put(snapshot.ZonePhaseResponse, zone, "zh", s.response)
	put(snapshot.ZonePhaseCustom, zone, "zz", s.custom)
	put(snapshot.ZonePhaseRate, zone, "zl", s.rate)
	put(snapshot.ZonePhaseManaged, zone, "zg", s.managed)
	put(snapshot.AccountPhaseCustom, account, "aa", s.accountCustom)
	put(snapshot.AccountPhaseRate, account, "ab", s.accountRate)
	put(snapshot.AccountPhaseManaged, account, "ae", s.accountManaged)
	put(snapshot.AccountRulesetCustom, "deeper", "deeper", s.deeper)
	snapshot.Put(b, snapshot.AccountLists, account, []snapshot.List{{ID: "l", Name: "office", Kind: "ip", References: 1},
		{ID: "m", Name: "moved", Kind: "redirect", References: 1}})
	snapshot.Put(b, snapshot.AccountListItems, "l", []snapshot.ListItem{{ID: "i", IP: s.list[0].String()}})
	var moved []snapshot.ListItem
	for i := range s.bulk {
		moved = append(moved, snapshot.ListItem{ID: fmt.Sprint("m", i), Redirect: &s.bulk[i]})
	}
	snapshot.Put(b, snapshot.AccountListItems, "m", moved)
	snap, err := b.Build()
	require.NoError(t, err)
	return snap
}

// Visit generates a request.
func (s *Site) Visit() Visit {
	v := Visit{Host: s.pick(s.hosts...), Path: s.pick("/", "/login", "/api", "/api/v1", "/API/x", "/upload/a.php", "/about"),
		Method: s.pick("GET", "POST", "PUT"), Country: s.pick("DE", "FR", "US", "JP"), Secure: s.random.IntN(3) > 0,
		Source: netip.MustParseAddr(s.pick("45.60.10.3", "45.60.10.99", "45.60.77.1", "8.8.4.4", "9.9.9.9", "2a00::1")),
		Score:  []int{1, 29, 30, 99}[s.random.IntN(4)]}
	if s.random.IntN(3) == 0 {
		v.Header = s.pick("k1", "k2")
	}
	return v
}

// Fate is what happens to a request.
type Fate struct {
	Plain        bool   // over plain HTTP and not led to HTTPS
	Redirect     string // the rule that answers with a redirect, unless the firewall ends the request
	Mode, ModeBy string // of the connection to the origin, and the rule that sets it
	HSTS         int    // max-age
	Ended        bool
	EndedBy      string              // the rule
	Acts         map[string][]string // by phase
	Skipped      map[string]string   // phase → the rule that skips it
	Config       []string            // configuration rules that match the request
}

// Literal follows one request.
func (s *Site) Literal(v Visit) Fate {
	by, toHTTPS := s.redirected(v)
	f := Fate{Mode: s.ssl, Plain: !v.Secure && !toHTTPS, Redirect: by, Acts: map[string][]string{}, Skipped: map[string]string{}}
	for _, p := range s.pages { // the first match, whatever it sets
		if v.Host == p.host && stars(p.path, v.Path) {
			if p.ssl != "" {
				f.Mode, f.ModeBy = p.ssl, p.id
			}
			break
		}
	}
	for _, r := range s.config {
		if r.Enabled && r.is(v) {
			f.Config = append(f.Config, r.ID)
			if r.Params.Config.SSL != "" {
				f.Mode, f.ModeBy = r.Params.Config.SSL, r.ID
			}
		}
	}
	if s.hsts.Enabled {
		f.HSTS = s.hsts.MaxAge
	}
	for _, r := range s.response {
		if !r.Enabled || !r.is(v) {
			continue
		}
		age := map[string]int{"max-age=60": 60, "max-age=31536000": 31536000}[r.Params.Headers["strict-transport-security"].Value]
		switch op := r.Params.Headers["strict-transport-security"].Operation; {
		case op == "remove":
			f.HSTS = 0
		case op == "set", op == "add" && f.HSTS == 0:
			f.HSTS = age
		}
	}
	skipped := map[string]bool{}
	skip := func(phase, by string) {
		if !skipped[phase] {
			skipped[phase], f.Skipped[phase] = true, by
		}
	}
	run := func(phase string, account bool, rules []literalRule) {
		except := map[string]bool{} // of the rules at this level
		for _, r := range rules {
			if f.Ended || skipped[phase] {
				return
			}
			if !r.Enabled || !r.is(v) {
				continue
			}
			if r.Action == "execute" && r.Params.ExecuteID == "deeper" {
				for _, in := range s.deeper {
					if f.Ended || skipped[phase] {
						return
					}
					if !in.Enabled || !in.is(v) {
						continue
					}
					f.Acts[phase] = append(f.Acts[phase], in.ID)
					if in.Action == "block" {
						f.Ended, f.EndedBy = true, in.ID
					}
					if in.Action == "skip" {
						for _, p := range in.Params.Phases {
							skip(p, in.ID)
						}
						if in.Params.Ruleset == "current" || in.Params.RestOfPhase() { // of the account, which leaves the zone alone
							break
						}
					}
				}
				continue
			}
			if r.Action == "execute" && except[r.Params.ExecuteID] {
				continue
			}
			f.Acts[phase] = append(f.Acts[phase], r.ID)
			if r.Action == "block" && phase != "http_ratelimit" {
				f.Ended, f.EndedBy = true, r.ID
			}
			if r.Action == "skip" {
				for _, p := range r.Params.Phases {
					skip(p, r.ID)
				}
				for _, id := range r.Params.Rulesets {
					except[id] = true
				}
				if r.Params.RestOfPhase() && !account {
					skip(phase, r.ID)
				}
				if r.Params.Ruleset == "current" || r.Params.RestOfPhase() {
					return
				}
			}
		}
	}
	run("http_request_firewall_custom", true, s.accountCustom)
	run("http_request_firewall_custom", false, s.custom)
	run("http_ratelimit", true, s.accountRate)
	run("http_ratelimit", false, s.rate)
	run("http_request_firewall_managed", true, s.accountManaged)
	run("http_request_firewall_managed", false, s.managed)
	return f
}

// redirected returns the rule that redirects a request, and whether it leads one over plain HTTP to HTTPS.
func (s *Site) redirected(v Visit) (by string, https bool) {
	for _, r := range s.redirect {
		if r.Enabled && r.is(v) {
			i := slices.IndexFunc(targets(), func(t target) bool { return t.text == r.Params.RedirectTo })
			return r.ID, targets()[i].is(v)
		}
	}
	for _, p := range s.pages {
		if v.Host != p.host || !stars(p.path, v.Path) {
			continue
		}
		address := v.Host + v.Path
		switch {
		case p.always && !v.Secure:
			return p.id, true
		case p.forward != "" && (!stars(s.worker, address) || stars(s.spared, address)):
			return p.id, secure(p.forward)(v)
		}
		break
	}
	for i, b := range slices.Backward(s.bulk) { // the longest path first
		address := v.Host + v.Path
		if address == b.Source || address == b.Source+"/" || b.Subpaths && strings.HasPrefix(address, b.Source+"/") {
			return fmt.Sprint("m", i), secure(b.Target)(v)
		}
	}
	return "", false
}

// Blur makes the conditions of some rules unreadable, but for Literal.
func (s *Site) Blur() {
	for _, of := range []*[]literalRule{&s.config, &s.redirect, &s.response} {
		for i := range *of {
			if s.random.IntN(3) == 0 {
				(*of)[i].Expression = "unreadable("
			}
		}
	}
}

// Meets reports whether a request meets the condition of a rule.
func (s *Site) Meets(id string, v Visit) bool {
	for _, of := range s.sets() {
		for _, r := range *of {
			if r.ID == id {
				return r.is(v)
			}
		}
	}
	return false
}

// Grid returns a request of each kind that conditions tell apart.
func (s *Site) Grid() (out []Visit) {
	sources := []string{"45.60.10.3", "45.60.10.99", "45.60.77.1", "8.8.4.4", "9.9.9.9"}
	for _, head := range []string{"/", "/a", "/api", "/api/", "/up", "/upload", "/UPLOAD", "/login", "/API/"} {
		for _, tail := range []string{"", "x", "api", "log", "v1", "/v1", ".php", "log.php", "/v1log.php", "/V1"} {
			for n := range len(s.hosts) * 2 * 4 * len(sources) * 2 * 2 * 2 {
				v := Visit{Path: head + tail}
				pick := func(of int) int { at := n % of; n /= of; return at }
				v.Host, v.Method = s.hosts[pick(len(s.hosts))], []string{"GET", "POST"}[pick(2)]
				v.Country, v.Source = []string{"DE", "FR", "US", "JP"}[pick(4)], netip.MustParseAddr(sources[pick(len(sources))])
				v.Secure, v.Header, v.Score = pick(2) == 0, []string{"", "k1"}[pick(2)], []int{1, 99}[pick(2)]
				out = append(out, v)
			}
		}
	}
	return out
}

// Rule returns a rule by its id.
func (s *Site) Rule(id string) snapshot.Rule {
	for _, of := range s.sets() {
		for _, r := range *of {
			if r.ID == id {
				return r.Rule
			}
		}
	}
	return snapshot.Rule{}
}

// Drop removes a rule.
func (s *Site) Drop(id string) {
	for _, of := range s.sets() {
		*of = slices.DeleteFunc(*of, func(r literalRule) bool { return r.ID == id })
	}
}

func (s *Site) sets() []*[]literalRule {
	return []*[]literalRule{&s.config, &s.redirect, &s.custom, &s.rate, &s.managed, &s.response, &s.accountCustom, &s.accountRate,
		&s.accountManaged, &s.deeper}
}
