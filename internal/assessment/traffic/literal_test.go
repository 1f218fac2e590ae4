package traffic_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// This file is a second, slow reading of what Cloudflare publishes: it goes through the rules of a zone one by one for one request.
// It shares nothing with the resolver: conditions are made as a text for the one and as a function for the other.

// visit is one request.
type visit struct {
	host, path, method, country string
	source                      netip.Addr
	secure                      bool
	header                      string // x-key, "" when it is not sent
	score                       int
}

// text writes the condition that only this request meets.
func (v visit) text() string {
	secure := "not ssl"
	if v.secure {
		secure = "ssl"
	}
	header := `not any(http.request.headers["x-key"][*] contains "")`
	if v.header != "" {
		header = fmt.Sprintf(`any(http.request.headers["x-key"][*] eq %q)`, v.header)
	}
	return fmt.Sprintf(`http.request.uri.path eq %q and http.request.method eq %q and ip.src eq %s and ip.src.country eq %q and %s and %s `+
		`and cf.bot_management.score eq %d`, v.path, v.method, v.source, v.country, secure, header, v.score)
}

// condition is the same condition twice.
type condition struct {
	text string
	is   func(visit) bool
}

type literalRule struct {
	snapshot.Rule
	is func(visit) bool
}

// site is a made-up zone with its rules.
type site struct {
	random *rand.Rand
	plan   string
	hosts  []string
	ssl    string
	hsts   snapshot.HSTS
	list   []netip.Prefix

	config, custom, rate, managed, response            []literalRule
	accountCustom, accountRate, accountManaged, deeper []literalRule
	pages                                              []page
}

type page struct {
	host, path string // path ends with * or stands for itself
	ssl        string
}

func (s *site) pick(of ...string) string { return of[s.random.IntN(len(of))] }

func (s *site) condition(depth int) condition {
	if depth > 0 {
		switch s.random.IntN(4) {
		case 0:
			a, b := s.condition(depth-1), s.condition(depth-1)
			return condition{"(" + a.text + " and " + b.text + ")", func(v visit) bool { return a.is(v) && b.is(v) }}
		case 1:
			a, b := s.condition(depth-1), s.condition(depth-1)
			return condition{"(" + a.text + " or " + b.text + ")", func(v visit) bool { return a.is(v) || b.is(v) }}
		case 2:
			a := s.condition(depth - 1)
			return condition{"not (" + a.text + ")", func(v visit) bool { return !a.is(v) }}
		}
	}
	switch s.random.IntN(14) {
	case 0:
		return condition{"true", func(visit) bool { return true }}
	case 1:
		h := s.pick(append([]string{"gone.site.example", "other.example"}, s.hosts...)...)
		return condition{fmt.Sprintf("http.host eq %q", h), func(v visit) bool { return v.host == h }}
	case 2:
		return condition{`ends_with(http.host, ".site.example")`, func(v visit) bool { return strings.HasSuffix(v.host, ".site.example") }}
	case 3:
		p := s.pick("/", "/login", "/api", "/api/v1", "/upload")
		return condition{fmt.Sprintf("http.request.uri.path eq %q", p), func(v visit) bool { return v.path == p }}
	case 4:
		p := s.pick("/a", "/api", "/api/", "/up")
		return condition{fmt.Sprintf("starts_with(http.request.uri.path, %q)", p), func(v visit) bool { return strings.HasPrefix(v.path, p) }}
	case 5:
		p := s.pick("api", "log", "v1", ".php")
		return condition{fmt.Sprintf("http.request.uri.path contains %q", p), func(v visit) bool { return strings.Contains(v.path, p) }}
	case 6:
		p := s.pick("/api/*", "*/v1*", "/UPLOAD*")
		return condition{fmt.Sprintf("http.request.uri.path wildcard %q", p),
			func(v visit) bool { return stars(strings.ToLower(p), strings.ToLower(v.path)) }}
	case 7:
		return condition{`http.request.method in {"POST" "PUT"}`, func(v visit) bool { return v.method == "POST" || v.method == "PUT" }}
	case 8:
		r := netip.MustParsePrefix(s.pick("45.60.0.0/16", "45.60.10.0/24", "8.8.4.4/32"))
		return condition{"ip.src in {" + r.String() + "}", func(v visit) bool { return r.Contains(v.source) }}
	case 9:
		return condition{"ip.src in $office", func(v visit) bool {
			return slices.ContainsFunc(s.list, func(p netip.Prefix) bool { return p.Contains(v.source) })
		}}
	case 10:
		c := s.pick("DE", "FR", "US")
		return condition{fmt.Sprintf("ip.src.country ne %q", c), func(v visit) bool { return v.country != c }}
	case 11:
		return condition{`any(http.request.headers["x-key"][*] eq "k1")`, func(v visit) bool { return v.header == "k1" }}
	case 12:
		return condition{"cf.bot_management.score lt 30", func(v visit) bool { return v.score < 30 }}
	default:
		if s.random.IntN(2) == 0 {
			return condition{"ssl", func(v visit) bool { return v.secure }}
		}
		return condition{`http.request.full_uri wildcard "https://site.example/api*"`, func(v visit) bool {
			return v.secure && v.host == "site.example" && strings.HasPrefix(strings.ToLower(v.path), "/api")
		}}
	}
}

// stars matches * with any text, by trying every place.
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

func (s *site) rules(prefix string, most int, fill func(*snapshot.Rule)) []literalRule {
	var out []literalRule
	for i := range s.random.IntN(most + 1) {
		c := s.condition(s.random.IntN(3))
		r := snapshot.Rule{ID: fmt.Sprintf("%s%d", prefix, i), Enabled: s.random.IntN(8) > 0, Expression: c.text}
		fill(&r)
		out = append(out, literalRule{r, c.is})
	}
	return out
}

func (s *site) firewallRule(r *snapshot.Rule) {
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

func (s *site) managedRule(r *snapshot.Rule) {
	r.Action, r.Params.ExecuteID = "execute", s.pick("m1", "m2")
	switch s.random.IntN(4) {
	case 0:
		r.Action, r.Params.ExecuteID, r.Params.Ruleset = "skip", "", "current"
	case 1:
		r.Action, r.Params.ExecuteID, r.Params.Rulesets = "skip", "", []string{"m1"}
	}
}

func newSite(seed uint64) *site {
	s := &site{random: rand.New(rand.NewPCG(seed, 7)), list: []netip.Prefix{netip.MustParsePrefix("45.60.10.0/28")}}
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
	for range s.random.IntN(3) {
		s.pages = append(s.pages, page{host: s.pick(s.hosts...), path: s.pick("/*", "/api/*", "/login"), ssl: s.pick("", "off", "strict")})
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

// snapshot is the zone as the resolver gets it.
func (s *site) snapshot(t *testing.T) *snapshot.Snapshot {
	t.Helper()
	const account, zone = "acc", "zone"
	b := snapshot.NewBuilder(snapshot.AccountRef{ID: account}, goodNow)
	b.Zones = []snapshot.Zone{{ID: zone, Name: "site.example", Status: "active", Type: "full", Plan: s.plan}}
	snapshot.Put(b, snapshot.ZoneList, account, b.Zones)
	var records []snapshot.DNSRecord
	for i, h := range s.hosts {
		records = append(records, snapshot.DNSRecord{ID: fmt.Sprint("r", i), Name: h, Type: "A", Content: "8.8.8.8", Proxied: true})
	}
	snapshot.Put(b, snapshot.ZoneDNSRecords, zone, records)
	settings := snapshot.Settings{}.With("ssl", s.ssl).With("always_use_https", "off").
		With("security_header", map[string]snapshot.HSTS{"strict_transport_security": s.hsts})
	snapshot.Put(b, snapshot.ZoneSettings, zone, settings)
	var pages []snapshot.PageRule
	for i, p := range s.pages {
		r := snapshot.PageRule{ID: fmt.Sprint("p", i), Status: "active", Priority: 100 - i, Targets: []string{p.host + p.path},
			Actions: map[string]string{"cache_level": "bypass"}}
		if p.ssl != "" {
			r.Actions["ssl"] = p.ssl
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
	put(snapshot.ZonePhaseConfig, zone, "zc", s.config)
	put(snapshot.ZonePhaseResponse, zone, "zh", s.response)
	put(snapshot.ZonePhaseCustom, zone, "zz", s.custom)
	put(snapshot.ZonePhaseRate, zone, "zl", s.rate)
	put(snapshot.ZonePhaseManaged, zone, "zg", s.managed)
	put(snapshot.AccountPhaseCustom, account, "aa", s.accountCustom)
	put(snapshot.AccountPhaseRate, account, "ab", s.accountRate)
	put(snapshot.AccountPhaseManaged, account, "ae", s.accountManaged)
	put(snapshot.AccountRulesetCustom, "deeper", "deeper", s.deeper)
	snapshot.Put(b, snapshot.AccountLists, account, []snapshot.List{{ID: "l", Name: "office", Kind: "ip", References: 1}})
	snapshot.Put(b, snapshot.AccountListItems, "l", []snapshot.ListItem{{ID: "i", IP: s.list[0].String()}})
	snap, err := b.Build()
	require.NoError(t, err)
	return snap
}

func (s *site) visit() visit {
	v := visit{host: s.pick(s.hosts...), path: s.pick("/", "/login", "/api", "/api/v1", "/API/x", "/upload/a.php", "/about"),
		method: s.pick("GET", "POST", "PUT"), country: s.pick("DE", "FR", "US", "JP"), secure: s.random.IntN(3) > 0,
		source: netip.MustParseAddr(s.pick("45.60.10.3", "45.60.10.99", "45.60.77.1", "8.8.4.4", "9.9.9.9", "2a00::1")),
		score:  []int{1, 29, 30, 99}[s.random.IntN(4)]}
	if s.random.IntN(3) == 0 {
		v.header = s.pick("k1", "k2")
	}
	return v
}

// fate is what becomes of a request.
type fate struct {
	mode  string
	hsts  int
	ended bool
	acts  map[string][]string // by phase
}

// literal follows one request.
//
//nolint:gocognit,gocyclo,nestif // a literal reading stands in one piece
func (s *site) literal(v visit) fate {
	f := fate{mode: s.ssl, acts: map[string][]string{}}
	for _, p := range s.pages { // the first that matches, whatever it sets
		if v.host == p.host && stars(p.path, v.path) {
			if p.ssl != "" {
				f.mode = p.ssl
			}
			break
		}
	}
	for _, r := range s.config {
		if r.Enabled && r.Params.Config.SSL != "" && r.is(v) {
			f.mode = r.Params.Config.SSL
		}
	}
	if s.hsts.Enabled {
		f.hsts = s.hsts.MaxAge
	}
	for _, r := range s.response {
		if !r.Enabled || !r.is(v) {
			continue
		}
		age := map[string]int{"max-age=60": 60, "max-age=31536000": 31536000}[r.Params.Headers["strict-transport-security"].Value]
		switch op := r.Params.Headers["strict-transport-security"].Operation; {
		case op == "remove":
			f.hsts = 0
		case op == "set", op == "add" && f.hsts == 0:
			f.hsts = age
		}
	}
	skipped := map[string]bool{}
	run := func(phase string, rules []literalRule) {
		for _, r := range rules {
			if f.ended || skipped[phase] {
				return
			}
			if !r.Enabled || !r.is(v) {
				continue
			}
			if r.Action == "execute" && r.Params.ExecuteID == "deeper" {
				for _, in := range s.deeper {
					if f.ended || skipped[phase] {
						return
					}
					if !in.Enabled || !in.is(v) {
						continue
					}
					f.acts[phase] = append(f.acts[phase], in.ID)
					f.ended = in.Action == "block"
					if in.Action == "skip" {
						for _, p := range in.Params.Phases {
							skipped[p] = true
						}
						if in.Params.Phase == "current" {
							skipped[phase] = true
						}
						if in.Params.Ruleset == "current" {
							break
						}
					}
				}
				continue
			}
			if r.Action == "execute" && skipped["managed "+r.Params.ExecuteID] {
				continue
			}
			f.acts[phase] = append(f.acts[phase], r.ID)
			if r.Action == "block" && phase != "http_ratelimit" {
				f.ended = true
			}
			if r.Action == "skip" {
				for _, p := range r.Params.Phases {
					skipped[p] = true
				}
				for _, id := range r.Params.Rulesets {
					skipped["managed "+id] = true
				}
				if r.Params.Phase == "current" {
					skipped[phase] = true
				}
				if r.Params.Ruleset == "current" {
					return
				}
			}
		}
	}
	run("http_request_firewall_custom", s.accountCustom)
	run("http_request_firewall_custom", s.custom)
	run("http_ratelimit", s.accountRate)
	run("http_ratelimit", s.rate)
	run("http_request_firewall_managed", s.accountManaged)
	run("http_request_firewall_managed", s.managed)
	return f
}

// TestSweepTheResolverAgreesWithALiteralReading sends random requests to random zones.
func TestSweepTheResolverAgreesWithALiteralReading(t *testing.T) {
	t.Parallel()
	zones, requests := 1000, 100
	if testing.Short() {
		zones, requests = 100, 20
	}
	lanes, undecided := 0, 0
	for n := range zones {
		s := newSite(uint64(n))
		snap := s.snapshot(t)
		zone := snap.Zones[0]
		count := func(open bool) {
			lanes++
			if open {
				undecided++
			}
		}
		modes, headers := traffic.OriginTLS().Lanes(snap, zone), traffic.HSTS().Lanes(snap, zone)
		flows := map[string][]traffic.Lane[traffic.Flow]{}
		for _, l := range modes {
			count(l.Value.Doubt != nil)
		}
		for _, l := range headers {
			count(l.Value.Doubt != nil)
		}
		for _, phase := range firewallPhases {
			flows[phase] = traffic.Firewall(phase).Lanes(snap, zone)
			for _, l := range flows[phase] {
				count(len(l.Value.Doubts) > 0 || slices.ContainsFunc(l.Value.Acts, func(a traffic.Act) bool { return !a.Sure }))
			}
		}
		for range requests {
			v := s.visit()
			want := s.literal(v)
			told := fmt.Sprintf("zone %d %s%s %+v", n, v.host, v.path, v)
			for _, l := range traffic.OriginTLS().Of(v.host, v.text()).Lanes(snap, zone) {
				if l.Value.Doubt == nil {
					require.Equal(t, want.mode, l.Value.Is, told)
				}
			}
			mode := func(x traffic.Value[string]) truth.Value {
				return x.Holds(func(m string) bool { return m == want.mode })
			}
			require.NotEqual(t, truth.No, traffic.Cover(on(modes, v.host), mode).Some, "no lane has the mode: %s", told)
			if v.secure {
				got := traffic.HSTS().Of(v.host, v.text()).Lanes(snap, zone)
				require.NotEmpty(t, got, told)
				for _, l := range got {
					if l.Value.Doubt == nil {
						require.Equal(t, want.hsts, l.Value.Is.MaxAge, told)
					}
				}
				age := func(x traffic.Value[snapshot.HSTS]) truth.Value {
					return x.Holds(func(h snapshot.HSTS) bool { return h.MaxAge == want.hsts })
				}
				require.NotEqual(t, truth.No, traffic.Cover(on(headers, v.host), age).Some, "no lane has the lifetime: %s", told)
			}
			for _, phase := range firewallPhases {
				agrees(t, traffic.Firewall(phase).Of(v.host, v.text()).Lanes(snap, zone), on(flows[phase], v.host), want, told)
			}
		}
	}
	t.Logf("%d lanes, %d undecided (%.2f %%)", lanes, undecided, 100*float64(undecided)/float64(lanes))
	require.Less(t, undecided*50, lanes, "at most 2 % are undecided")
}

// agrees holds the lane of a request, and the lanes of its host, against what becomes of it.
func agrees(t *testing.T, got, lanes []traffic.Lane[traffic.Flow], want fate, told string) {
	t.Helper()
	require.Len(t, got, 1, told)
	acts := want.acts[got[0].Value.Phase]
	require.Equal(t, acts, ids(got[0].Value), told)
	require.Equal(t, want.ended, got[0].Value.Ended, told)
	require.True(t, slices.ContainsFunc(lanes, func(l traffic.Lane[traffic.Flow]) bool {
		return slices.Equal(ids(l.Value), acts) && l.Value.Ended == want.ended
	}), "no lane is like it: %s", told)
}

func on[T any](lanes []traffic.Lane[T], host string) []traffic.Lane[T] {
	return slices.DeleteFunc(slices.Clone(lanes), func(l traffic.Lane[T]) bool {
		return !slices.ContainsFunc(l.Hosts, func(h traffic.Host) bool { return h.Name == host })
	})
}

var firewallPhases = []string{traffic.CustomRules, traffic.RateLimits, traffic.ManagedRules}

// ids names the rules of the phase that act.
func ids(f traffic.Flow) []string {
	var out []string
	for _, a := range f.Acts {
		if a.Phase == f.Phase {
			out = append(out, a.By.Rule)
		}
	}
	return out
}
