package goodtest

import (
	"encoding/json"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// OnOff returns the examples for a check of an on/off setting (check.OnOff): the setting itself,
// and the page rules that change it.
func OnOff(id, want string) []Example {
	bad := map[string]string{"on": "off", "off": "on"}[want]
	examples := []Example{
		{Name: want, Want: posture.Pass, Resource: Zone, Edit: Setting(id, want)},
		{Name: bad, Want: posture.Fail, Resource: Zone, Edit: Setting(id, bad)},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: Setting(id, "half")},
		{Name: "not returned", Want: posture.Unknown, Edit: MissingSetting(id)},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: Edits(Setting(id, bad), NotProxied())},
		{Name: "not active", Want: posture.NotApplicable,
			Edit: Edits(Setting(id, bad), EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
	}
	return examples
}

// OnOffByPageRule returns the examples of page rules that change such a setting.
func OnOffByPageRule(id, want string) []Example {
	bad := map[string]string{"on": "off", "off": "on"}[want]
	page := func(target, value string) func(*snapshot.Builder) { return SetByPageRule(target, id, value) }
	return []Example{
		{Name: bad + " by a page rule for everything", Want: posture.Fail, Edit: Edits(Setting(id, want), page("*"+Domain+"/*", bad))},
		{Name: bad + " by a page rule for a path", Want: posture.Pass, Edit: Edits(Setting(id, want), page("*"+Domain+"/api/*", bad))},
		{Name: bad + ", and " + want + " by a page rule for everything", Want: posture.Pass,
			Edit: Edits(Setting(id, bad), page("*"+Domain+"/*", want))},
		{Name: bad + ", and " + want + " by a page rule for a path", Want: posture.Fail,
			Edit: Edits(Setting(id, bad), page("*"+Domain+"/api/*", want))},
		{Name: bad + " by a page rule for everything but a custom hostname", Want: posture.Pass,
			Edit: Edits(Setting(id, want), page("*"+Domain+"/*", bad), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneCustomHostnames, Zone, []snapshot.CustomHostname{{ID: "c1", Hostname: "shop.customer.example",
					Status: "active"}})
			})},
		{Name: want + ", the page rules are not readable", Want: posture.Unknown, Edit: Edits(Setting(id, want), func(b *snapshot.Builder) {
			b.Mark(snapshot.ZonePageRules.Source(), snapshot.Denied, "Zone: Page Rules Read", "")
		})},
	}
}

// OnOffByRule returns the examples of configuration rules that change such a setting; member is its
// name in these rules.
func OnOffByRule(id, want, member string) []Example {
	bad := map[string]string{"on": "off", "off": "on"}[want]
	rule := func(id, expression, value string) snapshot.Rule {
		var config snapshot.ConfigParams
		raw, err := json.Marshal(map[string]bool{member: value == "on"})
		if err != nil || json.Unmarshal(raw, &config) != nil || config == (snapshot.ConfigParams{}) {
			panic("configuration rules have no " + member)
		}
		return ConfigRule(id, expression, config)
	}
	rules := func(all ...snapshot.Rule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePhaseConfig, Zone, snapshot.Ruleset{ID: "rx", Kind: "zone", Rules: all})
		}
	}
	return append(OnOffByPageRule(id, want), []Example{
		{Name: bad + " by a rule for everything", Want: posture.Fail, Edit: Edits(Setting(id, want), rules(rule("c1", "true", bad)))},
		{Name: bad + " by a rule for a path", Want: posture.Pass,
			Edit: Edits(Setting(id, want), rules(rule("c1", `starts_with(http.request.uri.path, "/api/")`, bad)))},
		{Name: bad + " by a rule for another zone", Want: posture.Pass,
			Edit: Edits(Setting(id, want), rules(rule("c1", `http.host eq "other.example"`, bad)))},
		{Name: bad + " by a rule that is off", Want: posture.Pass, Edit: Edits(Setting(id, want), rules(Off(rule("c1", "true", bad))))},
		{Name: bad + ", and " + want + " by a rule for everything", Want: posture.Pass,
			Edit: Edits(Setting(id, bad), rules(rule("c1", "true", want)))},
		{Name: bad + " by a rule, " + want + " again by a later one", Want: posture.Pass,
			Edit: Edits(Setting(id, want), rules(rule("c1", "true", bad), rule("c2", "ssl or not ssl", want)))},
		{Name: want + " by a rule, " + bad + " again by a later one", Want: posture.Fail,
			Edit: Edits(Setting(id, want), rules(rule("c1", "true", want), rule("c2", "ssl or not ssl", bad)))},
		{Name: want + ", the rules are not readable", Want: posture.Unknown, Edit: Edits(Setting(id, want), func(b *snapshot.Builder) {
			b.Mark(snapshot.ZonePhaseConfig.Source(), snapshot.Denied, "Zone: Config Rules Read", "")
		})},
		{Name: want + ", " + bad + " by a rule for a load balancer that is not readable", Want: posture.Unknown, Edit: Edits(Setting(id, want),
			rules(rule("c1", `http.host eq "lb.shop.example"`, bad)), Denied(snapshot.ZoneLoadBalancers))},
		{Name: bad + ", " + want + " by a rule for one host, and the load balancers are not readable", Want: posture.Fail, Edit: Edits(
			Setting(id, bad), rules(rule("c1", `http.host eq "www.shop.example"`, want)), Denied(snapshot.ZoneLoadBalancers))},
		{Name: want + ", and the load balancers are not readable", Want: posture.Pass, Edit: Edits(Setting(id, want), rules(),
			Denied(snapshot.ZoneLoadBalancers))},
	}...)
}

// Denied is an example edit: a source that the token may not read.
func Denied(k snapshot.Named) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { b.Mark(k.Source(), snapshot.Denied, "Zone Read", "") }
}

// PageRules is an example edit that sets the page rules of the zone.
func PageRules(all ...snapshot.PageRule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZonePageRules, Zone, all) }
}

// SetByPageRule is an example edit that adds one page rule for a setting, in a zone with only its
// own hosts.
func SetByPageRule(target, id, value string) func(*snapshot.Builder) {
	return Edits(OwnHosts, PageRules(snapshot.PageRule{ID: "p1", Status: "active", Targets: []string{target},
		Actions: map[string]string{id: value}}), func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneWorkerRoutes, Zone, []snapshot.WorkerRoute{}) // where a Worker acts, some actions do not
	})
}

// ConfigRule is an example rule that changes settings.
func ConfigRule(id, expression string, config snapshot.ConfigParams) snapshot.Rule {
	return snapshot.Rule{ID: id, Enabled: true, Action: "set_config", Expression: expression, Params: snapshot.RuleParams{Config: &config}}
}
