package network

import (
	"maps"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// cluster judges what DNS Firewall keeps away from the name servers behind it. An account without
// name servers of its own needs no cluster.
func cluster() check.Check {
	return check.Check{
		ID: "CFL-DNS-005", Title: "DNS Firewall clusters limit abuse",
		Category: "dns-firewall", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A DNS Firewall cluster stands before your name servers. Without limits it forwards floods of random names " +
			"to them.",
		Fix: "Turn on attack mitigation, refuse ANY queries, and limit the queries that each data center forwards to your name servers.",
		Words: posture.Words{
			Problem: "DNS Firewall clusters of this account forward floods",
			Impact:  "An attacker can overload the name servers behind the cluster with queries for random names.",
			Breaks: "Above the limit, which all resolvers of a data center share, queries that are not in the cache get no answer; clients that " +
				"ask for ANY get a short one.",
			Dashboard: "DNS Firewall › Clusters › the cluster › Edit: attack mitigation, ANY queries, rate limit.",
		},
		References: []string{"https://developers.cloudflare.com/dns/dns-firewall/"},
		Controls: check.Controls{
			check.Touches("cis 4.9", "It limits a resolver that is offered; it points no system at one."),
			check.Supports("soc2 CC6.6", "Attacks by DNS floods are limited at the boundary."),
			check.Supports("pci 1.3.1", "Inbound queries are limited."),
			check.Supports("nist PR.IR-04", "Limits keep capacity for true queries."),
		},
		Aliases: []string{"flareinspect:CFL-DNS-005"},
		Remedy: &propose.Remedy{Operation: "PATCH /accounts/{account_id}/dns_firewall/{dns_firewall_id}", Risk: "medium", Reversible: true,
			Body:    `{"attack_mitigation": {"enabled": true}, "deprecate_any_requests": true}`,
			Inverse: "PATCH the two captured members",
			Caution: "Clients that send ANY queries get a short answer. The rate limit is not changed.",
			Propose: proposeDefence},
		Needs:    []snapshot.Named{snapshot.DNSFirewall},
		Unless:   check.Empty(snapshot.DNSFirewall, "no DNS Firewall cluster exists"),
		Evaluate: evaluateCluster,
	}
}

func clusterExamples() []goodtest.Example {
	off := false
	edit := func(change func(*snapshot.DNSCluster)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DNSFirewall, goodtest.Account, func(cs *[]snapshot.DNSCluster) { change(&(*cs)[0]) })
		}
	}
	return []goodtest.Example{
		{Name: "mitigation, limit and refusal", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "neither mitigation nor limit", Want: posture.Fail, Resource: goodtest.Account,
			Edit: edit(func(c *snapshot.DNSCluster) { c.Mitigation, c.RateLimit = &off, nil })},
		{Name: "mitigation was never set and there is no limit", Want: posture.Fail,
			Edit: edit(func(c *snapshot.DNSCluster) { c.Mitigation, c.RateLimit = nil, nil })},
		{Name: "no mitigation", Want: posture.Warning, Resource: goodtest.Account,
			Edit: edit(func(c *snapshot.DNSCluster) { c.Mitigation = &off })},
		{Name: "no limit", Want: posture.Warning, Edit: edit(func(c *snapshot.DNSCluster) { c.RateLimit = nil })},
		{Name: "a limit nobody reaches", Want: posture.Warning, Edit: edit(func(c *snapshot.DNSCluster) {
			*c.RateLimit = 1_000_000_000
		})},
		{Name: "questions for everything are answered", Want: posture.Warning, Edit: edit(func(c *snapshot.DNSCluster) { c.RefusesAny = &off })},
		{Name: "one of two clusters", Want: posture.Warning, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DNSFirewall, goodtest.Account, func(cs *[]snapshot.DNSCluster) {
				c := (*cs)[0]
				c.ID, c.Name, c.RefusesAny = "c2", "Second", &off
				*cs = append(*cs, c)
			})
		}},
		{Name: "no cluster", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.DNSFirewall, goodtest.Account, []snapshot.DNSCluster{})
		}},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.DNSFirewall.Source(),
				snapshot.NotEntitled, "", "")
		}},
	}
}

// mostQueries is the highest limit that is still effective, in queries per second that one data
// center forwards to the name servers
// (developers.cloudflare.com/api/resources/dns_firewall/methods/list/).
const mostQueries = 100_000

func evaluateCluster(v *check.View) check.Outcome {
	var open, partial []posture.Evidence
	for _, c := range check.Read(v, snapshot.DNSFirewall) {
		seen := func(member, expected string) posture.Evidence {
			return check.Evidence(snapshot.DNSFirewall, "/"+c.ID+"/"+member, c.Name+": not set", expected)
		}
		mitigates, limits := is(c.Mitigation), c.RateLimit != nil && *c.RateLimit > 0 && *c.RateLimit <= mostQueries
		switch {
		case !mitigates && !limits:
			open = append(open, seen("attack_mitigation", "enabled"))
		case !mitigates:
			partial = append(partial, seen("attack_mitigation", "enabled"))
		case !limits:
			partial = append(partial, seen("ratelimit", "a number of queries a second"))
		}
		if !is(c.RefusesAny) {
			partial = append(partial, seen("deprecate_any_requests", "true"))
		}
	}
	switch {
	case len(open) > 0:
		return v.Fail("A DNS Firewall cluster forwards floods to the name servers behind it.", append(open, partial...)...)
	case len(partial) > 0:
		return v.Warn("A DNS Firewall cluster lacks a limit.", partial...)
	}
	return v.Pass("Every DNS Firewall cluster limits abuse.")
}

// proposeDefence turns on mitigation and refuses ANY queries, with one edit per cluster. The query
// limit is left to the operator.
func proposeDefence(c *propose.Case) ([]change.Edit, error) {
	clusters, err := c.List(c.Path("/accounts/{account_id}/dns_firewall"))
	if err != nil {
		return nil, err
	}
	var out []change.Edit
	limitless := 0
	for _, live := range clusters {
		place := change.Place{Path: c.Path("/accounts/{account_id}/dns_firewall/{cluster}", "cluster", propose.Text(live, "id"))}
		want := map[string]any{}
		mitigation, _ := live["attack_mitigation"].(map[string]any)
		if !propose.Flag(mitigation, "enabled") {
			// The other members are sent too, in case the API resets what is not sent.
			whole := map[string]any{}
			maps.Copy(whole, mitigation)
			whole["enabled"] = true
			want["attack_mitigation"] = whole
		}
		if live["deprecate_any_requests"] != true {
			want["deprecate_any_requests"] = true
		}
		if live["ratelimit"] == nil {
			limitless++
		}
		if len(want) == 0 {
			continue
		}
		e := propose.Patch("PATCH", place, place.Path, live, want)
		e.Label = propose.Text(live, "name")
		out = append(out, e)
	}
	if len(out) == 0 && limitless > 0 {
		return nil, propose.Refuse("Only the query rate limit is missing. Choose a limit that fits your traffic and set it by hand.")
	}
	return out, nil
}
