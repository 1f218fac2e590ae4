package explain_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/explain"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const host = "www." + goodtest.Domain

func asked(t *testing.T, address string) explain.Query {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	return explain.Query{URL: u, Method: "GET", Source: netip.MustParsePrefix("8.8.4.4/32"), Country: "FR",
		Header: http.Header{"User-Agent": {"curl/8"}}}
}

func entry(k snapshot.Key[snapshot.Ruleset], phase string, rules ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneRulesets, goodtest.Zone, func(infos *[]snapshot.RulesetInfo) {
			*infos = append(*infos, snapshot.RulesetInfo{ID: "x", Kind: "zone", Phase: phase})
		})
		snapshot.Put(b, k, goodtest.Zone, snapshot.Ruleset{ID: "x", Kind: "zone", Phase: phase, Rules: rules})
	}
}

// allowed allows a visitor whom a custom rule blocks.
func allowed(target, value string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		entry(snapshot.ZonePhaseCustom, "http_request_firewall_custom", snapshot.Rule{ID: "cr", Enabled: true, Action: "block",
			Expression: "true"})(b)
		snapshot.Put(b, snapshot.ZoneIPAccessRules, goodtest.Zone, []snapshot.IPAccessRule{
			{ID: "ok", Mode: "whitelist", Target: target, Value: value}})
	}
}

func routes(all ...snapshot.WorkerRoute) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneWorkerRoutes, goodtest.Zone, all) }
}

func pageRule(target, action, value string) func(*snapshot.Builder) {
	return goodtest.PageRules(snapshot.PageRule{ID: "p1", Status: "active", Targets: []string{target},
		Actions: map[string]string{action: value}})
}

// bulk enables a list with these redirects.
func bulk(items ...snapshot.ListRedirect) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccountRulesets, goodtest.Account, func(infos *[]snapshot.RulesetInfo) {
			*infos = append(*infos, snapshot.RulesetInfo{ID: "br", Kind: "root", Phase: "http_request_redirect"})
		})
		snapshot.Put(b, snapshot.AccountPhaseRedirect, goodtest.Account, snapshot.Ruleset{ID: "br", Rules: []snapshot.Rule{{ID: "b1",
			Enabled: true, Action: "redirect", Expression: "http.request.full_uri in $moved", Params: snapshot.RuleParams{FromList: "moved"}}}})
		snapshot.Put(b, snapshot.AccountLists, goodtest.Account, []snapshot.List{{ID: "l1", Name: "moved", Kind: "redirect"}})
		var all []snapshot.ListItem
		for i := range items {
			all = append(all, snapshot.ListItem{ID: fmt.Sprint("i", i), Redirect: &items[i]})
		}
		snapshot.Put(b, snapshot.AccountListItems, "l1", all)
	}
}

// deployed runs the Cloudflare Managed Ruleset.
func deployed() snapshot.Rule {
	return snapshot.Rule{ID: "m1", Enabled: true, Action: "execute", Description: "Managed", Expression: "true",
		Params: snapshot.RuleParams{ExecuteID: snapshot.ManagedRulesetID}}
}

// excepted is an exception of the managed rules.
func excepted(p snapshot.RuleParams) snapshot.Rule {
	return snapshot.Rule{ID: "ex", Enabled: true, Action: "skip", Description: "Upload", Expression: "true", Params: p}
}

func blocking(expression string) func(*snapshot.Builder) {
	return entry(snapshot.ZonePhaseCustom, "http_request_firewall_custom", snapshot.Rule{ID: "cr", Enabled: true, Action: "block",
		Description: "B", Expression: expression})
}

// records adds records of the zone: a label with its dot, the type and whether it is proxied.
func records(of ...any) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneDNSRecords, goodtest.Zone, func(all *[]snapshot.DNSRecord) {
			for i := 0; i+2 < len(of); i += 3 {
				*all = append(*all, snapshot.DNSRecord{ID: fmt.Sprint("r", i), Name: fmt.Sprint(of[i], goodtest.Domain), Type: fmt.Sprint(of[i+1]),
					Content: "8.8.8.8", Proxied: of[i+2] == true})
			}
		})
	}
}

// customer adds a custom hostname for itself and the names below it.
func customer(minTLS string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneCustomHostnames, goodtest.Zone, []snapshot.CustomHostname{{ID: "c1", Hostname: "shop.customer.example",
			Status: "active", Wildcard: true, MinTLS: minTLS}})
	}
}

func cacheRules(of ...snapshot.CacheParams) func(*snapshot.Builder) {
	var rules []snapshot.Rule
	for i := range of {
		rules = append(rules, snapshot.Rule{ID: fmt.Sprint("c", i+1), Description: fmt.Sprint("C", i+1), Enabled: true,
			Action: "set_cache_settings", Expression: "true", Params: snapshot.RuleParams{Cache: &of[i]}})
	}
	return entry(snapshot.ZonePhaseCache, "http_request_cache_settings", rules...)
}

func managed(overrides *snapshot.Overrides) func(*snapshot.Builder) {
	return entry(snapshot.ZonePhaseManaged, "http_request_firewall_managed", snapshot.Rule{ID: "m1", Description: "M", Enabled: true,
		Action: "execute", Expression: "true", Params: snapshot.RuleParams{ExecuteID: snapshot.ManagedRulesetID, Overrides: overrides}})
}

func accessPolicy(decision, kind, value string) snapshot.AccessPolicy {
	return snapshot.AccessPolicy{ID: decision + kind, Decision: decision, Include: []snapshot.AccessRule{{Kind: kind, Value: value}}}
}

// guarded puts an application with these policies before the host.
func guarded(policies ...snapshot.AccessPolicy) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(apps *[]snapshot.AccessApp) {
			for i := range *apps {
				if a := &(*apps)[i]; a.ID == goodtest.App {
					a.Domain, a.Domains, a.Policies = host, nil, policies
				}
			}
		})
	}
}

// stars lists an application for an address before that of the good snapshot, which gets another.
func stars(first, own string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
			(*as)[0].Domain, (*as)[0].Domains = own, []string{own}
			*as = append([]snapshot.AccessApp{{ID: "0", Name: "Star", Type: "self_hosted", Domain: first, Domains: []string{first}}}, *as...)
		})
	}
}

func TestSteps(t *testing.T) {
	on := true
	for _, tc := range []struct {
		name, url, phase string
		edit             func(*snapshot.Builder)
		ask              func(*explain.Query) // changes what is given of the request
		outcome          explain.Outcome
		by, detail       string
		last             bool // the request ends here
	}{
		{name: "a host without a record", url: "https://none." + goodtest.Domain + "/", phase: "dns", outcome: explain.Passed, last: true,
			detail: "No record of " + goodtest.Domain + " answers for none." + goodtest.Domain + "."},
		{name: "a host in Unicode", url: "https://bücher." + goodtest.Domain + "/", phase: "dns", outcome: explain.Passed, last: true,
			detail: "No record of " + goodtest.Domain + " answers for xn--bcher-kva." + goodtest.Domain + "."},
		{name: "below a name with a record, which ends a wildcard", url: "https://deeper.label.sub1." + goodtest.Domain + "/", phase: "dns",
			outcome: explain.Passed, last: true, edit: records("*.", "A", true, "sub1.", "TXT", false),
			detail: "No record of " + goodtest.Domain + " answers for deeper.label.sub1." + goodtest.Domain + "."},
		{name: "a name with a record that is no address", url: "https://sub1." + goodtest.Domain + "/", phase: "dns", outcome: explain.Passed,
			last: true, edit: records("sub1.", "TXT", false),
			detail: "No record of " + goodtest.Domain + " answers for sub1." + goodtest.Domain + "."},
		{name: "below another name, by the wildcard", url: "https://deeper.label." + goodtest.Domain + "/", phase: "dns",
			outcome: explain.Applied, edit: records("*.", "A", true, "sub1.", "TXT", false),
			detail: "The edge answers for deeper.label." + goodtest.Domain + "; behind it is the origin server."},
		{name: "a balancer that is not proxied", url: "https://" + host + "/", phase: "dns", outcome: explain.Passed, last: true,
			detail: "The load balancer of " + host + " is not proxied, so the request goes to the server itself and not through Cloudflare.",
			edit: func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{{ID: "lb", Name: host, Enabled: true}})
			}},
		{name: "below a custom hostname", url: "https://a.shop.customer.example/", phase: "dns", outcome: explain.Applied, by: "c1",
			detail: "The edge answers for a.shop.customer.example; behind it is the origin server.", edit: customer("")},
		{name: "the TLS of a custom hostname", url: "https://shop.customer.example/", phase: "edge_tls", outcome: explain.Applied, by: "c1",
			detail: "Visitors need TLS 1.0 or newer.", edit: customer("1.0")},
		{name: "the TLS of host names that was not read", url: "https://" + host + "/", phase: "edge_tls", outcome: explain.Unclear,
			detail: "Not known, because zone/hostname_min_tls was not read: Cloudflare refused it.", edit: func(b *snapshot.Builder) {
				b.Mark(snapshot.ZoneHostnameMinTLS.Source(), snapshot.Denied, "Zone: SSL and Certificates Read", "Cloudflare refused it")
			}},
		{name: "a port that is not proxied", url: "https://" + host + ":2222/", phase: "dns", outcome: explain.Passed, last: true,
			detail: "Cloudflare does not proxy requests over HTTPS to port 2222."},
		{name: "plain HTTP", url: "http://" + host + "/a?b=1", phase: "always_use_https", outcome: explain.Applied, last: true,
			detail: "The request is redirected to https://" + host + "/a?b=1."},
		{name: "a redirect rule", url: "https://" + host + "/old", phase: "http_request_dynamic_redirect", outcome: explain.Applied, by: "sr",
			last: true, detail: "Old pages redirects the request to https://new.example/.",
			edit: entry(snapshot.ZonePhaseRedirect, "http_request_dynamic_redirect", snapshot.Rule{ID: "sr", Enabled: true, Action: "redirect",
				Description: "Old pages", Expression: `http.request.uri.path eq "/old"`,
				Params: snapshot.RuleParams{RedirectTo: "https://new.example/", StatusCode: 301}})},
		{name: "the first page rule", url: "https://" + host + "/a", phase: "page_rules", outcome: explain.Applied, by: "p2",
			detail: "The page rule " + host + "/* acts, and no other page rule: cache_level.",
			edit: func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, []snapshot.PageRule{
					{ID: "p1", Status: "active", Priority: 1, Targets: []string{"*" + goodtest.Domain + "/*"}, Actions: map[string]string{"ssl": "off"}},
					{ID: "p2", Status: "active", Priority: 2, Targets: []string{host + "/*"}, Actions: map[string]string{"cache_level": "bypass"}}})
			}},
		{name: "an address that no rule allows", url: "https://" + host + "/", phase: "ip_access_rules", outcome: explain.Unclear,
			detail: "No rule lets the visitor past the firewall; rules that block or challenge are not read."},
		{name: "an address that is allowed", url: "https://" + host + "/admin", phase: "ip_access_rules", outcome: explain.Applied,
			by: "ok", detail: "The IP Access rule for 8.8.4.4 lets the visitor past the firewall.", edit: allowed("ip", "8.8.4.4")},
		{name: "a rule that an allowed address is not seen by", url: "https://" + host + "/admin", phase: "http_request_firewall_custom",
			outcome: explain.Skipped, by: "ok", detail: "The IP Access rule for 8.8.4.4 lets the visitor past this phase.",
			edit: allowed("ip", "8.8.4.4")},
		{name: "managed rules and a country that is allowed", url: "https://" + host + "/admin", phase: "http_request_firewall_managed",
			outcome: explain.Unclear, edit: allowed("country", "FR"), detail: "What the managed rules do to a visitor whose country is let " +
				"past the rules before them is not worked out here."},
		{name: "rules of the account that are not read", url: "https://" + host + "/", phase: "http_request_dynamic_redirect",
			outcome: explain.Unclear, detail: "The account has rules in the phase http_request_dynamic_redirect, which are not read.",
			edit: func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.AccountRulesets, goodtest.Account, func(infos *[]snapshot.RulesetInfo) {
					*infos = append(*infos, snapshot.RulesetInfo{ID: "ar", Kind: "root", Phase: "http_request_dynamic_redirect"})
				})
			}},
		{name: "an application on a path with a dot", url: "https://" + host + "/wp-login.php", phase: "access", outcome: explain.Challenged,
			by: goodtest.App, detail: "The application Admin lets in people, devices or services that are named.",
			edit: func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
					for i := range *as {
						if (*as)[i].ID == goodtest.App {
							(*as)[i].Domain, (*as)[i].Domains = host+"/wp-login.php", nil
						}
					}
				})
			}},
		{name: "a bypass for another country", url: "https://" + host + "/", phase: "access", outcome: explain.Blocked, by: goodtest.App,
			last: true, detail: "The application Admin does not let the visitor in.", edit: guarded(accessPolicy("bypass", "geo", "DE"))},
		{name: "a bypass for another address", url: "https://" + host + "/", phase: "access", outcome: explain.Challenged, by: goodtest.App,
			detail: "The application Admin lets in people, devices or services that are named.",
			edit:   guarded(accessPolicy("bypass", "ip", "1.1.1.1/32"), accessPolicy("allow", "email", "a@b.example"))},
		{name: "a bypass for the device client", url: "https://" + host + "/", phase: "access", outcome: explain.Challenged, by: goodtest.App,
			detail: "The application Admin lets in anybody with the WARP client.", edit: func(b *snapshot.Builder) {
				guarded(accessPolicy("bypass", "device_posture", "w"))(b)
				snapshot.Put(b, snapshot.DevicePosture, goodtest.Account, []snapshot.PostureRule{{ID: "w", Name: "WARP", Type: "warp"}})
			}},
		{name: "a bypass for the address", url: "https://" + host + "/", phase: "access", outcome: explain.Passed, by: goodtest.App,
			detail: "The application Admin lets the visitor in without a login.",
			edit:   guarded(accessPolicy("allow", "email", "a@b.example"), accessPolicy("bypass", "ip", "8.8.4.0/24"))},
		{name: "a block for the address", url: "https://" + host + "/", phase: "access", outcome: explain.Blocked, by: goodtest.App, last: true,
			detail: "The application Admin does not let the visitor in.",
			edit:   guarded(accessPolicy("deny", "ip", "8.8.4.0/24"), accessPolicy("allow", "email", "a@b.example"))},
		{name: "a block for a group of the country", url: "https://" + host + "/", phase: "access", outcome: explain.Blocked, by: goodtest.App,
			last: true, detail: "The application Admin does not let the visitor in.", edit: func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.AccessGroups, goodtest.Account, []snapshot.AccessGroup{{ID: "g", Name: "Here",
					Include: []snapshot.AccessRule{{Kind: "geo", Value: "FR"}}}})
				guarded(accessPolicy("deny", "group", "g"), accessPolicy("allow", "everyone", ""))(b)
			}},
		{name: "a bypass for an address, and none is given", url: "https://" + host + "/", phase: "access", outcome: explain.Unclear,
			ask:    func(q *explain.Query) { q.Source = netip.Prefix{} },
			detail: "Whether the application Admin lets the visitor in depends on the address of the visitor.",
			edit:   guarded(accessPolicy("bypass", "ip", "8.8.4.0/24"))},
		{name: "a bypass for a list of addresses", url: "https://" + host + "/", phase: "access", outcome: explain.Unclear,
			detail: "Whether the application Admin lets the visitor in depends on what a list of addresses holds.",
			edit:   guarded(accessPolicy("bypass", "ip_list", "l1"))},
		{name: "a bypass for a list with the address", url: "https://" + host + "/", phase: "access", outcome: explain.Passed, by: goodtest.App,
			detail: "The application Admin lets the visitor in without a login.",
			edit:   goodtest.Edits(guarded(accessPolicy("bypass", "ip_list", "l1")), goodtest.GatewayList("l1", "45.60.10.0/24", "8.8.4.0/24"))},
		{name: "a bypass for a list without the address", url: "https://" + host + "/", phase: "access", outcome: explain.Blocked,
			by: goodtest.App, last: true, detail: "The application Admin does not let the visitor in.",
			edit: goodtest.Edits(guarded(accessPolicy("bypass", "ip_list", "l1")), goodtest.GatewayList("l1", "45.60.10.0/24"))},
		{name: "an application with a star before the one of the host", url: "https://" + host + "/", phase: "access",
			outcome: explain.Challenged, by: goodtest.App, detail: "The application Admin lets in people, devices or services that are named.",
			edit: stars("*."+goodtest.Domain, host)},
		{name: "an application with a star for another label", url: "https://" + host + "/", phase: "access", outcome: explain.Passed,
			detail: "No application guards this address.", edit: stars("*.example", "elsewhere.example")},
		{name: "an application for what lies below a path", url: "https://" + host + "/alpha", phase: "access", outcome: explain.Passed,
			detail: "No application guards this address.", edit: stars("elsewhere.example", host+"/alpha/*")},
		{name: "an application whose path has a star in the middle", url: "https://" + host + "/food/stuff/bar", phase: "access",
			outcome: explain.Challenged, by: goodtest.App, detail: "The application Admin lets in people, devices or services that are named.",
			edit: stars("elsewhere.example", host+"/foo*/bar")},
		{name: "a path that an application leaves public", url: "https://" + host + "/api/x", phase: "access", outcome: explain.Passed,
			by: goodtest.App, detail: "The application Admin leaves this path to everybody.", edit: func(b *snapshot.Builder) {
				stars("elsewhere.example", host)(b)
				snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
					(*as)[1].Public = []snapshot.AccessPublic{{Address: host, Path: "/api/*"}}
				})
			}},
		{name: "a custom rule that blocks", url: "https://" + host + "/admin", phase: "http_request_firewall_custom", outcome: explain.Blocked,
			by: "cr", last: true, detail: "The rule No admin blocks the request.",
			edit: entry(snapshot.ZonePhaseCustom, "http_request_firewall_custom", snapshot.Rule{ID: "cr", Enabled: true, Action: "block",
				Description: "No admin", Expression: `starts_with(http.request.uri.path, "/admin")`})},
		{name: "a pattern in a quoted string", url: "https://" + host + "/a.b", phase: "http_request_firewall_custom", outcome: explain.Passed,
			detail: "No rule takes the request.", edit: blocking(`http.request.uri.path matches "^/a\\\\.b$"`)},
		{name: "a header that is not sent is not another", url: "https://" + host + "/", phase: "http_request_firewall_custom",
			outcome: explain.Unclear, detail: "Whether the rule B takes the request cannot be told from here.",
			edit: blocking(`http.request.headers["x-key"][0] ne "k"`)},
		{name: "the name of a header with capitals", url: "https://" + host + "/", phase: "http_request_firewall_custom",
			outcome: explain.Passed, detail: "No rule takes the request.", edit: blocking(`any(http.request.headers["X-Key"][*] eq "k")`),
			ask: func(q *explain.Query) { q.Header.Set("X-Key", "k") }},
		{name: "a cookie and where the visitor came from", url: "https://" + host + "/", phase: "http_request_firewall_custom",
			outcome: explain.Blocked, last: true, by: "cr", detail: "The rule B blocks the request.",
			edit: blocking(`http.cookie contains "debug=1" and http.referer eq "https://a.example/" and http.user_agent contains "curl"`),
			ask: func(q *explain.Query) {
				q.Header.Set("Cookie", "a=b; debug=1")
				q.Header.Set("Referer", "https://a.example/")
			}},
		{name: "an argument of the query", url: "https://" + host + "/?to=1&q=2", phase: "http_request_firewall_custom",
			outcome: explain.Blocked, last: true, by: "cr", detail: "The rule B blocks the request.",
			edit: blocking(`any(http.request.uri.args["to"][*] eq "1") and not any(http.request.uri.args["To"][*] contains "")`)},
		{name: "the port, the agent and the continent", url: "https://" + host + ":8443/", phase: "http_request_firewall_custom",
			outcome: explain.Blocked, last: true, by: "cr", detail: "The rule B blocks the request.",
			edit: blocking(`cf.edge.server_port eq 8443 and any(http.request.headers["user-agent"][*] contains "curl") and ` +
				`ip.src.continent eq "EU" and ip.src.is_in_european_union`)},
		{name: "a rule that hangs on a score", url: "https://" + host + "/", phase: "http_request_firewall_custom", outcome: explain.Unclear,
			detail: "It depends on the bot score: the rule Bots blocks the request or no rule takes the request.",
			edit: entry(snapshot.ZonePhaseCustom, "http_request_firewall_custom", snapshot.Rule{ID: "cr", Enabled: true, Action: "block",
				Description: "Bots", Expression: "cf.bot_management.score lt 30"})},
		{name: "a phase that is skipped", url: "https://" + host + "/", phase: "http_ratelimit", outcome: explain.Skipped, by: "cs",
			detail: "The rule Partner skips this phase.",
			edit: entry(snapshot.ZonePhaseCustom, "http_request_firewall_custom", snapshot.Rule{ID: "cs", Enabled: true, Action: "skip",
				Description: "Partner", Expression: "ip.src eq 8.8.4.4", Params: snapshot.RuleParams{Phases: []string{"http_ratelimit"}}})},
		{name: "an exception behind the managed rules", url: "https://" + host + "/", phase: "http_request_firewall_managed",
			outcome: explain.Applied, by: "m1", detail: "The rule raa of the account runs a managed ruleset, the rule Managed runs a managed " +
				"ruleset and the rule Upload skips the rules after it.",
			edit: entry(snapshot.ZonePhaseManaged, "http_request_firewall_managed", deployed(), excepted(snapshot.RuleParams{Ruleset: "current"}))},
		{name: "an exception from single managed rules", url: "https://" + host + "/", phase: "http_request_firewall_managed",
			outcome: explain.Applied, by: "m1", detail: "The rule raa of the account runs a managed ruleset, the rule Upload skips single managed " +
				"rules and the rule Managed runs a managed ruleset.",
			edit: entry(snapshot.ZonePhaseManaged, "http_request_firewall_managed", excepted(snapshot.RuleParams{
				Rules: map[string][]string{snapshot.ManagedRulesetID: {"r"}}}), deployed())},
		{name: "rules that were not read", url: "https://" + host + "/", phase: "http_request_firewall_custom", outcome: explain.Unclear,
			detail: "Not known, because zone/ruleset/http_request_firewall_custom was not read: Cloudflare refused it.",
			edit: func(b *snapshot.Builder) {
				b.Mark(snapshot.ZonePhaseCustom.Source(), snapshot.Denied, "Zone: Zone WAF Read", "Cloudflare refused it")
			}},
		{name: "an application", url: "https://admin." + goodtest.Domain + "/", phase: "access", outcome: explain.Challenged, by: goodtest.App,
			detail: "The application Admin lets in people, devices or services that are named."},
		{name: "a Worker", url: "https://" + host + "/shop/1", phase: "workers", outcome: explain.Applied, by: "w2",
			detail: "The Worker shop takes the request; what its code does cannot be told from here.",
			edit: func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneWorkerRoutes, goodtest.Zone, []snapshot.WorkerRoute{{ID: "w1", Pattern: host + "/*", Script: "all"},
					{ID: "w2", Pattern: host + "/shop/*", Script: "shop"}})
			}},
		{name: "a Worker by the more specific host", url: "https://" + host + "/a", phase: "workers", outcome: explain.Applied, by: "w2",
			detail: "The Worker shop takes the request; what its code does cannot be told from here.",
			edit: routes(snapshot.WorkerRoute{ID: "w1", Pattern: "*." + goodtest.Domain + "/a", Script: "all"},
				snapshot.WorkerRoute{ID: "w2", Pattern: host + "/*", Script: "shop"})},
		{name: "a Worker by the star without a slash", url: "https://" + host + "/images/a", phase: "workers", outcome: explain.Applied, by: "w2",
			detail: "The Worker shop takes the request; what its code does cannot be told from here.",
			edit: routes(snapshot.WorkerRoute{ID: "w1", Pattern: host + "/images/*", Script: "all"},
				snapshot.WorkerRoute{ID: "w2", Pattern: host + "/images*", Script: "shop"})},
		{name: "a route before the domain of a Worker", url: "https://" + host + "/", phase: "workers", outcome: explain.Applied, by: "w1",
			detail: "The Worker all takes the request; what its code does cannot be told from here.", edit: func(b *snapshot.Builder) {
				routes(snapshot.WorkerRoute{ID: "w1", Pattern: host + "/*", Script: "all"})(b)
				snapshot.Put(b, snapshot.WorkerDomains, goodtest.Account, []snapshot.WorkerDomain{{ID: "d", Hostname: host, Script: "shop"}})
			}},
		{name: "a page rule that a Worker switches off", url: "https://" + host + "/a", phase: "page_rules", outcome: explain.Skipped, by: "w1",
			detail: "The page rule " + host + "/* would act, but the route " + host + "/* takes the request: forwarding_url.",
			edit: func(b *snapshot.Builder) {
				routes(snapshot.WorkerRoute{ID: "w1", Pattern: host + "/*", Script: "all"})(b)
				pageRule(host+"/*", "forwarding_url", `{"url":"https://new.example/","status_code":302}`)(b)
			}},
		{name: "a page rule, whatever the query", url: "https://" + host + "/login?x=1", phase: "page_rules", outcome: explain.Applied, by: "p1",
			detail: "The page rule " + host + "/login acts, and no other page rule: ssl.", edit: pageRule(host+"/login", "ssl", "off")},
		{name: "a page rule for a query", url: "https://" + host + "/login?x=1", phase: "page_rules", outcome: explain.Passed,
			detail: "None of the rules (1) takes the request.", edit: pageRule(host+"/login?y=1", "ssl", "off")},
		{name: "a bulk redirect of what is below a path", url: "https://" + host + "/old/a?b=1", phase: "http_request_redirect",
			outcome: explain.Applied, last: true, by: "i0",
			detail: "The bulk redirect of " + host + "/old redirects the request to https://new.example/n/a.",
			edit:   bulk(snapshot.ListRedirect{Source: host + "/old", Target: "https://new.example/n", Subpaths: true})},
		{name: "the most specific bulk redirect", url: "https://" + host + "/old/a/b?c=1", phase: "http_request_redirect",
			outcome: explain.Applied, last: true, by: "i2",
			detail: "The bulk redirect of https://" + host + "/old/a redirects the request to https://b.example/?c=1.",
			edit: bulk(snapshot.ListRedirect{Source: host + "/old/", Target: "https://a.example/", Subpaths: true},
				snapshot.ListRedirect{Source: host + "/old/a", Target: "https://c.example/", Subpaths: true},
				snapshot.ListRedirect{Source: "https://" + host + "/old/a", Target: "https://b.example/", Subpaths: true, KeepSuffix: new(bool),
					KeepQuery: true})},
		{name: "cache rules that add up", url: "https://" + host + "/", phase: "http_request_cache_settings", outcome: explain.Applied, by: "c2",
			detail: "C1 and C2 keep the answer in the cache, whatever the origin says of it.", edit: cacheRules(
				snapshot.CacheParams{Eligible: true, EdgeMode: "override_origin"}, snapshot.CacheParams{Eligible: true})},
		{name: "a page rule that keeps everything", url: "https://" + host + "/", phase: "http_request_cache_settings", outcome: explain.Applied,
			by: "p1", detail: "The page rule " + host + "/* lets the answer be kept in the cache.",
			edit: pageRule(host+"/*", "cache_level", "cache_everything")},
		{name: "a page rule that keeps everything, and a cache rule that does not", url: "https://" + host + "/",
			phase: "http_request_cache_settings", outcome: explain.Applied, by: "c1",
			detail: "The page rule " + host + "/* and C1 keep the answer out of the cache.",
			edit:   goodtest.Edits(pageRule(host+"/*", "cache_level", "cache_everything"), cacheRules(snapshot.CacheParams{}))},
		{name: "managed rules that are off", url: "https://" + host + "/", phase: "http_request_firewall_managed", outcome: explain.Applied,
			by: "m1", edit: managed(&snapshot.Overrides{Enabled: new(bool)}), detail: "The rule raa of the account runs a managed ruleset " +
				"and the rule M runs a managed ruleset of which every rule is off."},
		{name: "managed rules that log", url: "https://" + host + "/", phase: "http_request_firewall_managed", outcome: explain.Applied, by: "m1",
			detail: "The rule raa of the account runs a managed ruleset and the rule M runs a managed ruleset that only logs, unless an " +
				"override of a rule says otherwise.",
			edit: managed(&snapshot.Overrides{Action: "log"})},
		{name: "AI crawlers that are blocked", url: "https://" + host + "/", phase: "http_request_sbfm", outcome: explain.Applied,
			detail: "Crawlers that collect data for AI are blocked; others go on.", edit: func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneBotManagement, goodtest.Zone, snapshot.BotManagement{AIBots: "block"})
			}},
		{name: "a waiting room", url: "https://" + host + "/", phase: "not_followed", outcome: explain.Unclear,
			detail: "What a waiting room, schema validation and token validation would do with the request is not worked out here.",
			edit: func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.WaitingRooms, goodtest.Account, []snapshot.WaitingRoom{{ID: "w", Host: host}})
			}},
		{name: "plain HTTP to a zone in strict mode", url: "http://" + host + "/", phase: "origin", outcome: explain.Applied,
			detail: "The edge speaks to the server in the clear, as the visitor does: only the mode Strict (SSL-Only Origin Pull) encrypts " +
				"that, too.", edit: goodtest.Setting("always_use_https", "off")},
		{name: "plain HTTP to a zone that always encrypts", url: "http://" + host + "/", phase: "origin", outcome: explain.Applied,
			detail: "The edge speaks to the server over TLS and checks its certificate.",
			edit:   goodtest.Edits(goodtest.Setting("always_use_https", "off"), goodtest.Setting("ssl", "origin_pull"))},
		{name: "a name below that of a customer", url: "https://a.shop.customer.example/", phase: "edge_tls", outcome: explain.Applied,
			detail: "Visitors need TLS 1.2 or newer.", edit: goodtest.Each(snapshot.ZoneCustomHostnames, goodtest.Zone,
				func(h *snapshot.CustomHostname) { h.Wildcard, h.MinTLS = true, "1.3" })},
		{name: "the mode of a rule", url: "https://" + host + "/", phase: "origin", outcome: explain.Applied, by: "cfg",
			detail: "The edge speaks to the server in the clear, also for visitors who use HTTPS.",
			edit: entry(snapshot.ZonePhaseConfig, "http_config_settings", snapshot.Rule{ID: "cfg", Enabled: true, Action: "set_config",
				Expression: "true", Params: snapshot.RuleParams{Config: &snapshot.ConfigParams{SSL: "flexible", EmailObfuscation: &on}}})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := goodtest.Snapshot()
			if tc.edit != nil {
				tc.edit(b)
			}
			snap, err := b.Build()
			require.NoError(t, err)
			q := asked(t, tc.url)
			if tc.ask != nil {
				tc.ask(&q)
			}
			got := explain.Of(snap, snap.Zones[0], q)
			at := -1
			for i, s := range got.Steps {
				if s.Phase == tc.phase {
					at = i
				}
			}
			require.GreaterOrEqual(t, at, 0, "%+v", got)
			step := got.Steps[at]
			require.Equal(t, tc.outcome, step.Outcome, step.Detail)
			require.Equal(t, tc.detail, step.Detail)
			if tc.by != "" {
				require.NotNil(t, step.By)
				require.Equal(t, tc.by, step.By.ID)
				require.True(t, strings.HasPrefix(step.Dashboard, "https://") && strings.Contains(step.Dashboard, goodtest.Account), step.Dashboard)
			}
			require.Equal(t, tc.last, at == len(got.Steps)-1)
			if tc.last {
				require.Equal(t, tc.detail, got.Outcome)
			}
		})
	}
}

// TestAWorkerIsWhatTheRequestReaches: its record holds a placeholder, or leads to what it may ask.
func TestAWorkerIsWhatTheRequestReaches(t *testing.T) {
	domain := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.WorkerDomains, goodtest.Account, []snapshot.WorkerDomain{{ID: "d1", Hostname: host, Script: "app"}})
		goodtest.EditRecords(func(r *snapshot.DNSRecord) {
			if r.Name == host {
				r.Type, r.Content = "AAAA", "100::"
			}
		})(b)
	}
	for name, c := range map[string]struct {
		edit         func(*snapshot.Builder)
		want, origin string
	}{
		"a domain": {domain, "The request reaches the Worker app.", "The TLS mode of the zone does not matter: the request goes to the Worker."},
		"a route":  {routes(snapshot.WorkerRoute{ID: "w1", Pattern: host + "/*", Script: "edge"}), "The request reaches the Worker edge.", ""},
		"a route before a domain": {goodtest.Edits(domain, routes(snapshot.WorkerRoute{ID: "w1", Pattern: host + "/*", Script: "edge"})),
			"The request reaches the Worker edge.", ""},
		"a route without a Worker": {routes(snapshot.WorkerRoute{ID: "w1", Pattern: host + "/*"}), "The request reaches the origin server.", ""},
	} {
		b := goodtest.Snapshot()
		goodtest.OwnHosts(b)
		c.edit(b)
		snap, err := b.Build()
		require.NoError(t, err)
		got := explain.Of(snap, snap.Zones[0], asked(t, "https://"+host+"/"))
		require.True(t, strings.HasPrefix(got.Outcome, c.want), "%s: %s", name, got.Outcome)
		for _, s := range got.Steps {
			if s.Phase == "origin" && c.origin != "" {
				require.Equal(t, c.origin, s.Detail, name)
			}
		}
	}
}

// TestMark names open findings of the zone and of the rules that decide, and of records only that of the host.
func TestMark(t *testing.T) {
	snap, err := goodtest.Snapshot().Build()
	require.NoError(t, err)
	got := explain.Of(snap, snap.Zones[0], asked(t, "https://"+host+"/"))
	record := got.Steps[0].By.ID
	of := func(id string, r posture.Result, on posture.Resource, source snapshot.Named) posture.Finding {
		return posture.Finding{ID: id, Result: r, Resource: on, Evidence: []posture.Evidence{{Source: source.Source(), Pointer: "/ssl"}}}
	}
	got.Mark([]posture.Finding{
		of("tls", posture.Fail, posture.Resource{Type: posture.ResourceZone, ID: goodtest.Zone}, snapshot.ZoneSetting("ssl")),
		of("passed", posture.Pass, posture.Resource{Type: posture.ResourceZone, ID: goodtest.Zone}, snapshot.ZoneSetting("ssl")),
		of("record", posture.Warning, posture.Resource{Type: posture.ResourceDNSRecord, ID: record}, snapshot.ZoneDNSRecords),
		of("other record", posture.Fail, posture.Resource{Type: posture.ResourceDNSRecord, ID: "another"}, snapshot.ZoneDNSRecords),
	})
	named := map[string][]string{}
	for _, s := range got.Steps {
		for _, id := range s.FindingIDs {
			named[id] = append(named[id], s.Phase)
		}
	}
	require.Equal(t, map[string][]string{"tls": {"origin"}, "record": {"dns"}}, named)
	require.Equal(t, []explain.Named{{ID: "record"}, {ID: "tls"}}, got.Findings)
}

// TestNormalisation holds the examples that Cloudflare publishes
// (developers.cloudflare.com/rules/normalization/examples/).
func TestNormalisation(t *testing.T) {
	for _, tc := range [][3]string{ // what is sent, and what rules read by RFC 3986 and by Cloudflare's own way
		{"/hello", "/hello", "/hello"},
		{`/%68ello//pa\th`, "/hello//pa%5Cth", "/hello/pa/th"},
		{"/hello//../path", "/hello/path", "/path"},
		{`/hello/\../path`, "/hello/%5C../path", "/path"},
		{"/a/%2e%2e/%61dmin", "/admin", "/admin"},
		{"/%7euser/%2f/%5c", "/~user/%2F/%5C", "/~user/%2F/%5C"},
		{"/é|x", "/%C3%A9%7Cx", "/%C3%A9%7Cx"},
	} {
		for i, kind := range []string{"rfc3986", "cloudflare"} {
			b := goodtest.Snapshot()
			snapshot.Put(b, snapshot.ZoneURLNormalization, goodtest.Zone, snapshot.URLNormalization{Type: kind, Scope: "incoming"})
			snap, err := b.Build()
			require.NoError(t, err)
			for _, s := range explain.Of(snap, snap.Zones[0], asked(t, "https://"+host+tc[0])).Steps {
				if s.Phase == "http_request_sanitize" {
					require.Equal(t, "Rules read the path "+tc[i+1]+".", s.Detail, tc[0])
				}
			}
		}
	}
}
