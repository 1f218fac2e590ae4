package attackpath_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestPathsAskWhoPasses: an application that lets everyone in guards nothing, and a network that Gateway closes is not reached.
func TestPathsAskWhoPasses(t *testing.T) {
	account := posture.Resource{Type: posture.ResourceAccount, ID: goodtest.Account}
	bypass := func(rule snapshot.AccessRule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				p := &(*as)[0].Policies[0]
				p.Decision, p.Include = "bypass", []snapshot.AccessRule{rule}
			})
		}
	}
	domain := func(d string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				(*as)[0].Domain, (*as)[0].Domains = d, []string{d}
			})
		}
	}
	network := func(change func(*snapshot.GatewayRule)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.GatewayRules, goodtest.Account, func(rs *[]snapshot.GatewayRule) {
				for i := range *rs {
					if (*rs)[i].ID == goodtest.NetworkRule {
						change(&(*rs)[i])
					}
				}
			})
		}
	}
	// held lets only people of a group into a private range, or everyone without a login.
	held := func(network, group string) func(*snapshot.Builder) {
		policy := snapshot.AccessPolicy{ID: "o", Decision: "allow", Include: []snapshot.AccessRule{{Kind: "okta", Value: group}}}
		if group == "" {
			policy.Decision, policy.Include = "bypass", []snapshot.AccessRule{{Kind: "everyone"}}
		}
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.GatewayRules, goodtest.Account, func(rs *[]snapshot.GatewayRule) { *rs = nil })
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				*as = append(*as, snapshot.AccessApp{ID: "net", Name: "Network", Type: "self_hosted", Policies: []snapshot.AccessPolicy{policy},
					Elsewhere: []snapshot.AccessDestination{{Type: "private", Value: network}}})
			})
		}
	}
	tunnel := func(status string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.Tunnels, goodtest.Account, func(ts *[]snapshot.Tunnel) { (*ts)[0].Status = status })
		}
	}
	ingress := func(rules ...snapshot.Ingress) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			domain("elsewhere.example")(b)
			snapshot.Put(b, snapshot.TunnelConfig, goodtest.Tunnel, snapshot.TunnelSettings{Version: 1, Ingress: rules})
		}
	}
	const admin = "admin." + goodtest.Domain
	private := func(host, path string) snapshot.Ingress {
		return snapshot.Ingress{Hostname: host, Path: path, Service: "http://10.0.0.5"}
	}
	beside := func(kind, content string, proxied bool) func(*snapshot.Builder) {
		return goodtest.Edits(ingress(private(admin, "")), goodtest.EditRecords(func(r *snapshot.DNSRecord) {
			if r.Name == admin {
				r.Type, r.Content, r.Proxied = kind, content, proxied
			}
		}), goodtest.AddRecord(snapshot.DNSRecord{ID: "star", Name: "*." + goodtest.Domain, Type: "CNAME",
			Content: goodtest.Tunnel + ".cfargotunnel.com", Proxied: true}))
	}
	open := goodtest.Edits(bypass(snapshot.AccessRule{Kind: "everyone"}), network(func(r *snapshot.GatewayRule) { r.Enabled = false }))
	for _, c := range []struct {
		name, kind string
		edit       func(*snapshot.Builder)
		found      bool
	}{
		{"the tunnel is down", "tunnel-without-access", goodtest.Edits(open, tunnel("down")), true},
		{"the tunnel was never connected", "tunnel-without-access", goodtest.Edits(open, tunnel("inactive")), false},
		{"the tunnel is down", "open-enrolment", goodtest.Edits(open, tunnel("down")), true},
		{"the tunnel was never connected", "open-enrolment", goodtest.Edits(open, tunnel("inactive")), false},
		{"the application asks for a login", "tunnel-without-access", nil, false},
		{"the application lets everyone in", "tunnel-without-access", bypass(snapshot.AccessRule{Kind: "everyone"}), true},
		{"the application lets one address in", "tunnel-without-access", bypass(snapshot.AccessRule{Kind: "ip", Value: "45.60.10.9"}), false},
		{"a more specific application lets everyone in", "tunnel-without-access", func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				open := (*as)[0]
				open.ID, open.Policies = "open", []snapshot.AccessPolicy{{ID: "o", Decision: "bypass",
					Include: []snapshot.AccessRule{{Kind: "everyone"}}}}
				(*as)[0].Domain, (*as)[0].Domains = "*.shop.example", []string{"*.shop.example"}
				*as = append(*as, open)
			})
		}, true},
		{"the star of the application stands for another label", "tunnel-without-access", domain("*.example"), true},
		{"the application leaves everything public", "tunnel-without-access", func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				for _, d := range append((*as)[0].Domains, (*as)[0].Domain) {
					(*as)[0].Public = append((*as)[0].Public, snapshot.AccessPublic{Address: d, Path: "/*"})
				}
			})
		}, true},
		{"a more specific application leaves everything public", "tunnel-without-access", func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				open := (*as)[0]
				open.ID, open.Public = "open", []snapshot.AccessPublic{{Address: open.Domain, Path: "/*"}}
				(*as)[0].Domain, (*as)[0].Domains = "*.shop.example", []string{"*.shop.example"}
				*as = append(*as, open)
			})
		}, true},
		{"the application lets in a group nobody knows", "tunnel-without-access", bypass(snapshot.AccessRule{Kind: "group", Value: "g9"}), false},
		{"a star in the rule stands for the host", "tunnel-without-access", ingress(private("*."+goodtest.Domain, "")), true},
		{"the last rule serves what an earlier one serves in part", "tunnel-without-access", ingress(snapshot.Ingress{Hostname: admin,
			Path: "^/health$", Service: "http_status:200"}, private("", "")), true},
		{"an earlier rule takes the host", "tunnel-without-access", ingress(snapshot.Ingress{Hostname: admin, Service: "http_status:404"},
			private(admin, "")), false},
		{"an earlier rule with a star takes the host", "tunnel-without-access", ingress(snapshot.Ingress{Hostname: "*." + goodtest.Domain,
			Service: "http_status:404"}, private(admin, "")), false},
		{"clients name the machine", "tunnel-without-access", ingress(snapshot.Ingress{Hostname: admin, Service: "bastion"}), true},
		{"a wildcard leads to the tunnel, and the host has a record of its own", "tunnel-without-access", beside("AAAA", "100::", true), false},
		{"a wildcard leads to the tunnel, and the host has a direct record", "tunnel-without-access", beside("A", "45.60.10.9", false), false},
		{"the network is blocked", "open-enrolment", nil, false},
		{"the block is off", "open-enrolment", network(func(r *snapshot.GatewayRule) { r.Enabled = false }), true},
		{"the block is for web requests", "open-enrolment", network(func(r *snapshot.GatewayRule) { r.Filters = []string{"http"} }), true},
		{"the block is for some people", "open-enrolment",
			network(func(r *snapshot.GatewayRule) { r.Identity = `identity.email == "a@b.c"` }), true},
		{"a block of a list with the network", "open-enrolment", goodtest.Edits(goodtest.GatewayList("l1", "10.0.0.0/8"),
			network(func(r *snapshot.GatewayRule) { r.Traffic = "net.dst.ip in $l1" })), false},
		{"a block of a list of other networks", "open-enrolment", goodtest.Edits(goodtest.GatewayList("l1", "192.168.0.0/16"),
			network(func(r *snapshot.GatewayRule) { r.Traffic = "net.dst.ip in $l1" })), true},
		{"a block of an empty list", "open-enrolment", goodtest.Edits(goodtest.GatewayList("l1"),
			network(func(r *snapshot.GatewayRule) { r.Traffic = "net.dst.ip in $l1" })), true},
		{"a block of a list that was not read", "open-enrolment",
			network(func(r *snapshot.GatewayRule) { r.Traffic = "net.dst.ip in $l1" }), false},
		{"a block that cannot be read", "open-enrolment", network(func(r *snapshot.GatewayRule) { r.Traffic = "net.dst.ip ???" }), false},
		{"an application holds the network", "open-enrolment", held("10.0.0.0/8", "okta"), false},
		{"an application holds a part of the network", "open-enrolment", held("10.0.30.0/24", "okta"), true},
		{"an application for the network lets everyone in", "open-enrolment", held("10.0.0.0/8", ""), true},
	} {
		t.Run(c.kind+", "+c.name, func(t *testing.T) {
			b := goodtest.Snapshot()
			if c.edit != nil {
				c.edit(b)
			}
			snap, err := b.Build()
			require.NoError(t, err)
			findings := []posture.Verdict{{ID: "f", Result: posture.Fail, Resource: &account, Rule: &posture.Rule{CheckID: "CFL-ZT-003"}}}
			g, nodeOf := graph.Build(snap, findings)
			found := false
			for _, p := range attackpath.Find(g, snap, findings, nodeOf) {
				found = found || p.Kind == c.kind
			}
			require.Equal(t, c.found, found)
		})
	}
}

// TestABucketIsReadAtTheHostsThatAreOpen: rules keep strangers out at the other ones, which the finding leaves out.
func TestABucketIsReadAtTheHostsThatAreOpen(t *testing.T) {
	bucket := posture.Resource{Type: posture.ResourceBucket, ID: goodtest.Bucket}
	b := goodtest.Snapshot()
	var domains []snapshot.R2Domain
	for _, host := range []string{"closed.shop.example", "open.shop.example"} {
		domains = append(domains, snapshot.R2Domain{Domain: host, Enabled: true, ZoneID: goodtest.Zone})
		goodtest.AddRecord(snapshot.DNSRecord{ID: host, Name: host, Type: "CNAME", Content: "public.r2.dev", Proxied: true})(b)
	}
	snapshot.Put(b, snapshot.R2CustomDomains, goodtest.Bucket, domains)
	snap, err := b.Build()
	require.NoError(t, err)
	findings := []posture.Verdict{{ID: "f", Result: posture.Warning, Resource: &bucket, Rule: &posture.Rule{CheckID: "CFL-R2-001"},
		Evidence: []posture.Evidence{{Source: snapshot.R2CustomDomains.Source(), Pointer: "/open.shop.example/enabled"}}}}
	g, nodeOf := graph.Build(snap, findings)
	var read []string
	for _, p := range attackpath.Find(g, snap, findings, nodeOf) {
		if p.Kind == "public-bucket" {
			read = append(read, p.Nodes[2])
		}
	}
	require.Equal(t, []string{"service:open.shop.example"}, read)
}

// TestApplicationsThatNameAWorkerGuardIt: the finding may be about its previews only.
func TestApplicationsThatNameAWorkerGuardIt(t *testing.T) {
	worker := posture.Resource{Type: posture.ResourceWorker, ID: goodtest.Worker}
	for kind, found := range map[string]bool{"": true, "all_workers": false, "worker": false, "all_preview_workers": true} {
		t.Run(kind, func(t *testing.T) {
			b := goodtest.Snapshot()
			snapshot.Edit(b, snapshot.WorkersBeta, goodtest.Account, func(as *[]snapshot.WorkerAddress) {
				(*as)[0].Switches = &snapshot.WorkerSwitches{Enabled: true, Previews: true}
			})
			snapshot.Edit(b, snapshot.Workers, goodtest.Account, func(ws *[]snapshot.Worker) { (*ws)[0].Tag = "w1" })
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				d := snapshot.AccessDestination{Type: kind}
				if kind == "worker" {
					d.Value = "w1"
				}
				(*as)[0].Elsewhere = []snapshot.AccessDestination{d}
			})
			snap, err := b.Build()
			require.NoError(t, err)
			findings := []posture.Verdict{{ID: "f", Result: posture.Warning, Resource: &worker, Rule: &posture.Rule{CheckID: "CFL-WORK-005"}}}
			g, nodeOf := graph.Build(snap, findings)
			require.Equal(t, found, slices.ContainsFunc(attackpath.Find(g, snap, findings, nodeOf), func(p posture.AttackPath) bool {
				return p.Kind == "open-worker-store"
			}))
		})
	}
}

// TestPublicApplicationIsOpen: an application that leaves a host public opens it, whatever its policies ask; a public part does not.
func TestPublicApplicationIsOpen(t *testing.T) {
	app := posture.Resource{Type: posture.ResourceAccessApp, ID: goodtest.App}
	for path, found := range map[string]bool{"": true, "/*": true, "/health": false} {
		t.Run(path, func(t *testing.T) {
			b := goodtest.Snapshot()
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				a := &(*as)[0]
				a.Domains, a.Public = []string{a.Domain}, []snapshot.AccessPublic{{Address: a.Domain, Path: path}}
			})
			snap, err := b.Build()
			require.NoError(t, err)
			findings := []posture.Verdict{{ID: "f", Result: posture.Fail, Resource: &app, Rule: &posture.Rule{CheckID: "CFL-ZT-007"}}}
			g, nodeOf := graph.Build(snap, findings)
			kinds := map[string]int{}
			for _, p := range attackpath.Find(g, snap, findings, nodeOf) {
				kinds[p.Kind]++
			}
			require.Equal(t, found, kinds["open-access-app"] == 1, kinds)
		})
	}
}

// TestEveryoneIsWhoCanSignIn: a policy for everyone opens an application to strangers only where strangers can sign in.
func TestEveryoneIsWhoCanSignIn(t *testing.T) {
	app := posture.Resource{Type: posture.ResourceAccessApp, ID: goodtest.App}
	for logins, found := range map[string]bool{"okta": false, "google": true, "onetimepin": true} {
		t.Run(logins, func(t *testing.T) {
			b := goodtest.Snapshot()
			goodtest.Logins(logins)(b)
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				p := &(*as)[0].Policies[0]
				p.Include, p.Require = []snapshot.AccessRule{{Kind: "everyone"}}, nil
				(*as)[0].AllowedIDPs = nil
			})
			snapshot.Edit(b, snapshot.AccessPolicies, goodtest.Account, func(ps *[]snapshot.AccessPolicy) {
				for i := range *ps {
					(*ps)[i].Include, (*ps)[i].Require = []snapshot.AccessRule{{Kind: "everyone"}}, nil
				}
			})
			snap, err := b.Build()
			require.NoError(t, err)
			findings := []posture.Verdict{{ID: "f", Result: posture.Fail, Resource: &app, Rule: &posture.Rule{CheckID: "CFL-ZT-007"}}}
			g, nodeOf := graph.Build(snap, findings)
			paths := 0
			for _, p := range attackpath.Find(g, snap, findings, nodeOf) {
				if p.Kind == "open-access-app" {
					t.Log(p.Severity, p.Title, p.Explanation)
					paths++
				}
			}
			require.Equal(t, found, paths > 0)
		})
	}
}

// TestCopiesOfServiceTokens: a copy of a service token opens what lets the token in from anywhere, also through a group, and nothing that
// asks for the place, too.
func TestCopiesOfServiceTokens(t *testing.T) {
	token := posture.Resource{Type: posture.ResourceToken, ID: "st1", Name: "ci"}
	named := snapshot.AccessRule{Kind: "service_token", Value: "st1"}
	for name, c := range map[string]struct {
		policy snapshot.AccessPolicy
		found  bool
	}{
		"named":       {snapshot.AccessPolicy{Include: []snapshot.AccessRule{named}}, true},
		"another one": {snapshot.AccessPolicy{Include: []snapshot.AccessRule{{Kind: "service_token", Value: "st2"}}}, false},
		"any":         {snapshot.AccessPolicy{Include: []snapshot.AccessRule{{Kind: "any_valid_service_token"}}}, true},
		"any but this one": {snapshot.AccessPolicy{Include: rules("any_valid_service_token", ""), Exclude: []snapshot.AccessRule{named}},
			false},
		"any, of a group with this one": {snapshot.AccessPolicy{Include: rules("any_valid_service_token", ""),
			Require: []snapshot.AccessRule{named}}, true},
		"everyone who has it":    {snapshot.AccessPolicy{Include: rules("everyone", ""), Require: []snapshot.AccessRule{named}}, true},
		"a country, with it":     {snapshot.AccessPolicy{Include: rules("geo", "DE"), Require: []snapshot.AccessRule{named}}, true},
		"with another one":       {snapshot.AccessPolicy{Include: []snapshot.AccessRule{named}, Require: rules("service_token", "st2")}, false},
		"in a group":             {snapshot.AccessPolicy{Include: []snapshot.AccessRule{{Kind: "group", Value: "robots"}}}, true},
		"from one address":       {snapshot.AccessPolicy{Include: []snapshot.AccessRule{named}, Require: rules("ip", "45.60.10.9/32")}, false},
		"from a country":         {snapshot.AccessPolicy{Include: []snapshot.AccessRule{named}, Require: rules("geo", "DE")}, true},
		"with a certificate":     {snapshot.AccessPolicy{Include: []snapshot.AccessRule{named}, Require: rules("certificate", "")}, false},
		"with who knows what":    {snapshot.AccessPolicy{Include: []snapshot.AccessRule{named}, Require: rules("group", "gone")}, false},
		"and left out again":     {snapshot.AccessPolicy{Include: []snapshot.AccessRule{named}, Exclude: []snapshot.AccessRule{named}}, false},
		"a policy that lets in ": {snapshot.AccessPolicy{Decision: "allow", Include: []snapshot.AccessRule{named}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := goodtest.Snapshot()
			c.policy.ID, c.policy.Name = "p9", "Robots"
			if c.policy.Decision == "" {
				c.policy.Decision = "non_identity"
			}
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				(*as)[0].Policies = []snapshot.AccessPolicy{c.policy}
			})
			snapshot.Edit(b, snapshot.AccessGroups, goodtest.Account, func(gs *[]snapshot.AccessGroup) {
				*gs = append(*gs, snapshot.AccessGroup{ID: "robots", Name: "Robots", Include: []snapshot.AccessRule{named}})
			})
			snap, err := b.Build()
			require.NoError(t, err)
			findings := []posture.Verdict{{ID: "f", Result: posture.Fail, Resource: &token, Rule: &posture.Rule{CheckID: "CFL-ZT-006"}}}
			g, nodeOf := graph.Build(snap, findings)
			found := false
			for _, p := range attackpath.Find(g, snap, findings, nodeOf) {
				found = found || p.Kind == "lasting-service-token"
			}
			require.Equal(t, c.found, found)
		})
	}
}

// TestPathsSayWhoGetsIn: a path through an open application claims no more than the policy lets in.
func TestPathsSayWhoGetsIn(t *testing.T) {
	for name, c := range map[string]struct {
		policy  snapshot.AccessPolicy
		check   string
		needs   string
		blocked bool
	}{
		"bypass for a range": {policy: snapshot.AccessPolicy{Decision: "bypass", Include: rules("ip", "45.0.0.0/8")}, check: "CFL-ZT-026",
			needs: "they send the request from 45.0.0.0/8"},
		"Service Auth for a range": {policy: snapshot.AccessPolicy{Decision: "non_identity", Include: rules("ip", "45.0.0.0/8")},
			check: "CFL-ZT-007", needs: "they send the request from 45.0.0.0/8"},
		"bypass for the device client": {policy: snapshot.AccessPolicy{Decision: "bypass", Include: rules("device_posture", "w")},
			check: "CFL-ZT-007", needs: "they run the WARP client, which is free"},
		"a public mailbox in the company's directory": {policy: snapshot.AccessPolicy{Decision: "allow", Include: rules("email_domain",
			"gmail.com")}, check: "CFL-ZT-011", needs: "they have an account in the company's directory"},
		"a public mailbox, after a Block": {policy: snapshot.AccessPolicy{Decision: "allow", Include: rules("email_domain", "gmail.com")},
			check: "CFL-ZT-011", blocked: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := goodtest.Snapshot()
			c.policy.ID, c.policy.Name = "p9", "Open"
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				(*as)[0].Policies = []snapshot.AccessPolicy{c.policy}
				if c.blocked {
					(*as)[0].Policies = []snapshot.AccessPolicy{{ID: "d", Decision: "deny", Include: rules("everyone", "")}, c.policy}
				}
			})
			snapshot.Edit(b, snapshot.DevicePosture, goodtest.Account, func(rs *[]snapshot.PostureRule) {
				*rs = append(*rs, snapshot.PostureRule{ID: "w", Name: "WARP", Type: "warp"})
			})
			snap, err := b.Build()
			require.NoError(t, err)
			about := posture.Resource{Type: posture.ResourceAccessPolicy, ID: "p9"}
			if c.check == "CFL-ZT-007" {
				about = posture.Resource{Type: posture.ResourceAccessApp, ID: goodtest.App}
			}
			findings := []posture.Verdict{{ID: "f", Result: posture.Fail, Resource: &about, Rule: &posture.Rule{CheckID: c.check}}}
			g, nodeOf := graph.Build(snap, findings)
			var told []string
			for _, p := range attackpath.Find(g, snap, findings, nodeOf) {
				if p.Kind == "open-access-app" {
					told = append(told, p.SeverityReason)
					require.Equal(t, c.needs == "they send the request from 45.0.0.0/8", strings.Contains(p.Explanation, "45.0.0.0/8"), p.Explanation)
				}
			}
			if c.blocked {
				require.Empty(t, told)
				return
			}
			require.Len(t, told, 1)
			require.Contains(t, told[0], c.needs)
		})
	}
}

func rules(kind, value string) []snapshot.AccessRule {
	return []snapshot.AccessRule{{Kind: kind, Value: value}}
}

// TestStolenTokensDoWhatTheyMay: a token with many rights on the account takes over no zone, so its path does not say so.
func TestStolenTokensDoWhatTheyMay(t *testing.T) {
	token := posture.Resource{Type: posture.ResourceToken, ID: "t1", Name: "media"}
	seen := []posture.Evidence{{Source: "account/tokens", Observed: "Images Write, Stream Write on com.cloudflare.api.account.1a"}}
	findings := []posture.Verdict{
		{ID: "f1", Result: posture.Fail, Resource: &token, Evidence: seen, Rule: &posture.Rule{CheckID: "CFL-TOK-004"}},
		{ID: "f2", Result: posture.Fail, Resource: &token, Rule: &posture.Rule{CheckID: "CFL-TOK-005"}}}
	snap, err := goodtest.Snapshot().Build()
	require.NoError(t, err)
	g, nodeOf := graph.Build(snap, findings)
	paths := attackpath.Find(g, snap, findings, nodeOf)
	require.Len(t, paths, 1)
	require.Contains(t, paths[0].SeverityReason, "Images Write, Stream Write")
	require.NotContains(t, paths[0].Title+paths[0].Explanation, "takes over")
	require.NotContains(t, paths[0].Explanation, "names of every zone")
}

// TestPasswordOfAnAdministratorByGroup: a member whose own role changes nothing administers the account through a user group, and a
// password is all that it takes.
func TestPasswordOfAnAdministratorByGroup(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"m2": "takes over the account Example Shop with every zone in it", "m1": ""} {
		b := goodtest.Snapshot()
		snapshot.Edit(b, snapshot.AccountMembers, goodtest.Account, func(ms *[]snapshot.Member) {
			for i := range *ms {
				(*ms)[i].Roles = []string{"Minimal Account Access"}
			}
		})
		snapshot.Put(b, snapshot.AccountUserGroups, goodtest.Account, []snapshot.UserGroup{{ID: "g1", Name: "Staff",
			Roles: []string{snapshot.RoleAdministrator}}})
		snapshot.Put(b, snapshot.UserGroupMembers, "g1", []snapshot.GroupMember{{ID: in}})
		snap, err := b.Build()
		require.NoError(t, err)
		findings := []posture.Verdict{{ID: "f1", Result: posture.Fail, Rule: &posture.Rule{CheckID: "CFL-ACC-001"},
			Resource: &posture.Resource{Type: posture.ResourceAccount, ID: goodtest.Account}},
			{ID: "f2", Result: posture.Fail, Rule: &posture.Rule{CheckID: "CFL-ACC-010"},
				Resource: &posture.Resource{Type: posture.ResourceMember, ID: "m2", Name: "b•••@shop.example"}}}
		g, nodeOf := graph.Build(snap, findings)
		got := ""
		for _, p := range attackpath.Find(g, snap, findings, nodeOf) {
			if p.Kind == "password-alone" {
				got = p.Explanation
			}
		}
		require.Equal(t, want != "", got != "", in)
		require.Contains(t, got, want, in)
	}
}
