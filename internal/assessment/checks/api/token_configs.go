package api

import (
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const docsTokens = "https://developers.cloudflare.com/api-shield/security/jwt-validation/"

func configResource(v *check.View, c snapshot.TokenConfig) posture.Resource {
	name := c.Title
	if name == "" {
		name = c.ID
	}
	return v.InZone(posture.ResourceRule, c.ID, name)
}

// configsInForce judges whether a rule enforces each token configuration.
func configsInForce() check.Check {
	return check.Check{
		ID: "CFL-API-006", Title: "Every token configuration is enforced by a rule",
		Category: "api", Severity: posture.Low, Resource: posture.ResourceRule, Scope: check.PerZone, Edge: true,
		Plans: []string{"enterprise"},
		Why: "A token configuration says where tokens stand and which keys verify them. Requests with forged tokens pass until a token " +
			"validation rule that names the configuration blocks them.",
		Fix: "Add a token validation rule with the action Block for the configuration, or delete the configuration.",
		Words: posture.Words{
			Problem:   "Tokens of the configuration {name} are not enforced on {zone}",
			Impact:    "Forged and expired tokens of this issuer reach the API, although the keys to tell them are there.",
			Breaks:    "Clients with expired tokens, or without one, are refused by the new rule.",
			Dashboard: "Security › Web assets › Token validation › Rules › Add rule: choose {name}, action Block.",
		},
		References: []string{docsTokens},
		Controls: check.Controls{
			check.Supports("soc2 CC6.1", "A request with a forged or expired token is refused at the edge."),
			check.Supports("nist PR.AA-04", "The signature of the identity assertion has consequences."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneAPIOperations, snapshot.ZoneTokenConfigs, snapshot.ZoneTokenRules},
		Unless:   check.Empty(snapshot.ZoneAPIOperations, nothingSaved),
		Evaluate: evaluateConfigsInForce,
	}
}

func evaluateConfigsInForce(v *check.View) check.Outcome {
	blocks, acts, odd := map[string]bool{}, map[string]bool{}, false
	operations := check.Read(v, snapshot.ZoneAPIOperations)
	for _, r := range check.Read(v, snapshot.ZoneTokenRules) {
		if !r.Enabled || !slices.ContainsFunc(operations, func(o snapshot.APIOperation) bool { return meets(r, o) }) {
			continue
		}
		odd = odd || len(r.Configs) == 0
		for _, id := range r.Configs {
			acts[id], blocks[id] = true, blocks[id] || r.Action == "block"
		}
	}
	j := v.Judge()
	for _, c := range check.Read(v, snapshot.ZoneTokenConfigs) {
		r := configResource(v, c)
		seen := func(observed string) posture.Evidence {
			return check.Evidence(snapshot.ZoneTokenRules, "", observed, "an enabled rule that blocks and names "+c.ID)
		}
		switch {
		case blocks[c.ID]:
			j.Pass()
		case odd:
			j.Unclear(r, "a token validation rule names its configuration in a way this check does not follow")
		case acts[c.ID]:
			j.Warn(r, "The rules for the token configuration "+r.Name+" do not block.", seen("only rules that log"))
			j.As(posture.Words{Problem: "Bad tokens of {name} are only logged on {zone}"})
		default:
			j.Fail(r, "No enabled rule enforces the token configuration "+r.Name+".", seen("no enabled rule"))
		}
	}
	return j.Done("Every token configuration is enforced by a rule.", "the zone has no token configuration")
}

// config is an example edit that leaves one configuration, last changed the given number of days
// ago.
func config(ago int) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		c := snapshot.TokenConfig{ID: "c1", Title: "Sign-in", Algorithms: []string{"ES256"}, CreatedAt: goodtest.InDays(-900)}
		if ago > 0 {
			c.Updated = goodtest.InDays(-ago)
		}
		snapshot.Put(b, snapshot.ZoneTokenConfigs, goodtest.Zone, []snapshot.TokenConfig{c})
	}
}

func configsInForceExamples() []goodtest.Example {
	rules := func(all ...snapshot.TokenValidationRule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneTokenRules, goodtest.Zone, all) }
	}
	rule := func(action string, on bool, configs ...string) snapshot.TokenValidationRule {
		return snapshot.TokenValidationRule{ID: "t1", Action: action, Enabled: on, Configs: configs}
	}
	none := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneTokenConfigs, goodtest.Zone, []snapshot.TokenConfig{})
	}
	return []goodtest.Example{
		{Name: "a rule blocks", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "no rule", Want: posture.Fail, Resource: "c1", Edit: rules()},
		{Name: "the rule is off", Want: posture.Fail, Edit: rules(rule("block", false, "c1"))},
		{Name: "a rule for another configuration", Want: posture.Fail, Edit: rules(rule("block", true, "c2"))},
		{Name: "a rule for a host without operations", Want: posture.Fail, Resource: "c1", Edit: rules(snapshot.TokenValidationRule{ID: "t1",
			Action: "block", Enabled: true, Configs: []string{"c1"}, Hosts: []string{"old.shop.example"}})},
		{Name: "a rule that leaves out the only operation", Want: posture.Fail, Edit: rules(snapshot.TokenValidationRule{ID: "t1",
			Action: "block", Enabled: true, Configs: []string{"c1"}, Excluded: []string{"o1"}})},
		{Name: "no operation", Want: posture.NotApplicable, Edit: saved()},
		{Name: "the rule logs", Want: posture.Warning, Resource: "c1", Edit: rules(rule("log", true, "c1"))},
		{Name: "one rule logs and one blocks", Want: posture.Pass, Edit: rules(rule("log", true, "c1"),
			snapshot.TokenValidationRule{ID: "t2", Action: "block", Enabled: true, Configs: []string{"c1", "c2"}})},
		{Name: "a rule that names none", Want: posture.Unknown, Resource: "c1", Edit: rules(rule("block", true))},
		{Name: "an action nobody knows", Want: posture.Warning, Edit: rules(rule("ponder", true, "c1"))},
		{Name: "no configuration", Want: posture.NotApplicable, Edit: none},
		{Name: "business plan", Want: posture.NotApplicable, Edit: business()},
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.ZoneTokenRules.Source(), snapshot.Denied, "Domain API Gateway Read", "")
		}},
	}
}

// keysRenewed judges the age of keys that verify tokens.
func keysRenewed() check.Check {
	return check.Check{
		ID: "CFL-API-007", Title: "Keys that verify session tokens are renewed",
		Category: "api", Severity: posture.Low, Resource: posture.ResourceRule, Scope: check.PerZone, Edge: true,
		Plans: []string{"enterprise"},
		Why: "Keys of a token configuration are a copy of what the issuer published when they were added. Cloudflare does not fetch " +
			"new ones, and goes on to accept keys that the issuer took back.",
		Fix: "Copy the keys that the issuer publishes today into the configuration, and repeat that whenever keys change.",
		Words: posture.Words{
			Problem:   "Token keys of {name} on {zone} are old",
			Impact:    "Someone who holds a key that the issuer retired signs tokens that the edge accepts.",
			Breaks:    "Tokens that were signed with a key that is no longer listed are refused.",
			Dashboard: "Security › Web assets › Token validation › Configurations › {name} › Edit: paste the keys of the issuer.",
		},
		References: []string{docsTokens},
		Controls: check.Controls{
			check.Supports("soc2 CC6.1", "Keys that were retired are not trusted for years."),
			check.Touches("pci 8.3.2", "It is about keys of an issuer, not about stored passwords."),
			check.Supports("nist PR.AA-01", "Credentials that verify identities are kept current."),
		},
		Needs: []snapshot.Named{snapshot.ZoneTokenConfigs},
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, c := range check.Read(v, snapshot.ZoneTokenConfigs) {
				r, since := configResource(v, c), c.Updated
				if since.IsZero() {
					since = c.CreatedAt
				}
				seen := check.Evidence(snapshot.ZoneTokenConfigs, "/"+c.ID+"/last_updated", since.Format(time.DateOnly), "less than a year ago")
				switch {
				case len(c.Algorithms) == 0:
					j.Unclear(r, "Cloudflare returned no key of the configuration")
				case since.IsZero():
					j.Unclear(r, "Cloudflare did not say when the keys were changed")
				case since.Before(v.Now().AddDate(-2, 0, 0)):
					j.Fail(r, "The keys of the token configuration "+r.Name+" were last changed on "+check.Day(since)+".", seen)
				case since.Before(v.Now().AddDate(-1, 0, 0)):
					j.Warn(r, "The keys of the token configuration "+r.Name+" were last changed on "+check.Day(since)+".", seen)
				default:
					j.Pass()
				}
			}
			return j.Done("The keys of every token configuration were changed within a year.", "the zone has no token configuration")
		},
	}
}

func keysRenewedExamples() []goodtest.Example {
	edit := func(change func(*snapshot.TokenConfig)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.ZoneTokenConfigs, goodtest.Zone, func(cs *[]snapshot.TokenConfig) {
				*cs = slices.Clone(*cs)
				change(&(*cs)[0])
			})
		}
	}
	return []goodtest.Example{
		{Name: "changed this year", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "two years old", Want: posture.Fail, Resource: "c1", Edit: config(800)},
		{Name: "one year old", Want: posture.Warning, Resource: "c1", Edit: config(400)},
		{Name: "never changed since they were added", Want: posture.Fail, Edit: config(0)},
		{Name: "no date", Want: posture.Unknown, Resource: "c1", Edit: edit(func(c *snapshot.TokenConfig) {
			c.CreatedAt, c.Updated = snapshot.Time{}, snapshot.Time{}
		})},
		{Name: "no key", Want: posture.Unknown, Edit: edit(func(c *snapshot.TokenConfig) { c.Algorithms = nil })},
		{Name: "no configuration", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneTokenConfigs, goodtest.Zone, []snapshot.TokenConfig{})
		}},
		{Name: "business plan", Want: posture.NotApplicable, Edit: business()},
	}
}
