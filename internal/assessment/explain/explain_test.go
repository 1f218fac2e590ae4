package explain_test

import (
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
		UserAgent: "curl/8", Header: http.Header{}}
}

func entry(k snapshot.Key[snapshot.Ruleset], phase string, rules ...snapshot.Rule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneRulesets, goodtest.Zone, func(infos *[]snapshot.RulesetInfo) {
			*infos = append(*infos, snapshot.RulesetInfo{ID: "x", Kind: "zone", Phase: phase})
		})
		snapshot.Put(b, k, goodtest.Zone, snapshot.Ruleset{ID: "x", Kind: "zone", Phase: phase, Rules: rules})
	}
}

// allowed allows a visitor whom another entry blocks.
func allowed(target, value string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		entry(snapshot.ZonePhaseCustom, "http_request_firewall_custom", snapshot.Rule{ID: "cr", Enabled: true, Action: "block",
			Expression: "true"})(b)
		snapshot.Put(b, snapshot.ZoneIPAccessRules, goodtest.Zone, []snapshot.IPAccessRule{
			{ID: "no", Mode: "block", Target: "ip_range", Value: "8.8.4.0/24"}, {ID: "ok", Mode: "whitelist", Target: target, Value: value}})
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
		outcome          explain.Outcome
		by, detail       string
		last             bool // the request ends here
	}{
		{name: "a host without a record", url: "https://none." + goodtest.Domain + "/", phase: "dns", outcome: explain.Passed, last: true,
			detail: "No record of " + goodtest.Domain + " answers for none." + goodtest.Domain + "."},
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
		{name: "an address that is blocked", url: "https://" + host + "/", phase: "ip_access_rules", outcome: explain.Blocked, by: "ip",
			last:   true,
			detail: "The IP Access rule for 8.8.4.0/24 blocks the request.",
			edit: func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneIPAccessRules, goodtest.Zone, []snapshot.IPAccessRule{{ID: "ip", Mode: "block", Target: "ip_range",
					Value: "8.8.4.0/24"}})
			}},
		{name: "an address that is allowed and blocked", url: "https://" + host + "/admin", phase: "ip_access_rules", outcome: explain.Applied,
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
		{name: "a rule that hangs on a score", url: "https://" + host + "/", phase: "http_request_firewall_custom", outcome: explain.Unclear,
			detail: "It depends on the bot score: the rule Bots blocks the request or no rule takes the request.",
			edit: entry(snapshot.ZonePhaseCustom, "http_request_firewall_custom", snapshot.Rule{ID: "cr", Enabled: true, Action: "block",
				Description: "Bots", Expression: "cf.bot_management.score lt 30"})},
		{name: "a phase that is skipped", url: "https://" + host + "/", phase: "http_ratelimit", outcome: explain.Skipped, by: "cs",
			detail: "The rule Partner skips this phase.",
			edit: entry(snapshot.ZonePhaseCustom, "http_request_firewall_custom", snapshot.Rule{ID: "cs", Enabled: true, Action: "skip",
				Description: "Partner", Expression: "ip.src eq 8.8.4.4", Params: snapshot.RuleParams{Phases: []string{"http_ratelimit"}}})},
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
			got := explain.Of(snap, snap.Zones[0], asked(t, tc.url))
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
