package script

import (
	"cmp"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// contentPolicy judges whether pages may load scripts from anywhere.
func contentPolicy() check.Check {
	return check.Check{
		ID: "CFL-PAGESHIELD-003", Title: "A content policy limits scripts",
		Category: "page-shield", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Plans: []string{"enterprise"},
		Why:   "Monitoring tells after a skimmer ran. A content security policy keeps the browser from loading it.",
		Fix:   "Create a policy in log mode, read its reports for a week, then allow only the sources that you know.",
		Words: posture.Words{
			Problem:   "No content policy limits scripts on {zone}",
			Impact:    "A script that was added to a third-party library runs on checkout pages and reads card numbers.",
			Breaks:    "Scripts from sources that the policy does not name no longer load.",
			Dashboard: "Security › Web assets › Client-side resources › Content security rules: create a rule.",
		},
		References: []string{docsClientSide},
		Controls: check.Controls{
			check.Supports("cis 16.11", "The content policy is a protection that browsers carry out."),
			check.Supports("soc2 CC6.8", "Scripts that were not authorised do not run."),
			check.Supports("pci 6.4.3", "Authorised scripts are listed and others refused; their justification is not seen."),
			check.Supports("nist PR.PS-05", "Unauthorised scripts cannot run in the browser."),
		},
		Aliases:  []string{"union:csp-policy"},
		Needs:    []snapshot.Named{snapshot.ZonePageShieldPolicies, snapshot.ZonePageShield},
		Optional: traffic.Reaches("").Needs,
		Evaluate: evaluateContentPolicy,
	}
}

func contentPolicyExamples() []goodtest.Example {
	no := false
	policies := func(all ...snapshot.PagePolicy) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZonePageShieldPolicies, goodtest.Zone, all) }
	}
	return []goodtest.Example{
		{Name: "a policy allows", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "no policy", Want: posture.Fail, Resource: goodtest.Zone, Edit: policies()},
		{Name: "a disabled policy", Want: posture.Fail, Edit: policies(snapshot.PagePolicy{ID: "p1", Action: "allow"})},
		{Name: "only log", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: policies(snapshot.PagePolicy{ID: "p1", Action: "log", Enabled: true}, snapshot.PagePolicy{ID: "p2", Action: "allow"})},
		{Name: "log beside allow", Want: posture.Pass, Edit: policies(snapshot.PagePolicy{ID: "p1", Action: "log", Enabled: true},
			snapshot.PagePolicy{ID: "p2", Action: "allow", Enabled: true})},
		{Name: "only reports are asked for", Want: posture.Warning,
			Edit: policies(snapshot.PagePolicy{ID: "p1", Action: "add_reporting_directives", Enabled: true})},
		{Name: "scripts of any host are allowed", Want: posture.Warning,
			Edit: policies(snapshot.PagePolicy{ID: "p1", Action: "allow", Enabled: true, AnySource: true})},
		{Name: "for one page", Want: posture.Pass, Edit: policies(snapshot.PagePolicy{ID: "p1", Action: "allow", Enabled: true,
			Expression: `http.request.uri.path eq "/checkout"`})},
		{Name: "for a host that is not there", Want: posture.Fail, Edit: policies(snapshot.PagePolicy{ID: "p1", Action: "allow", Enabled: true,
			Expression: `http.host eq "old.shop.example"`})},
		{Name: "an expression nobody can read", Want: posture.Unknown, Edit: policies(snapshot.PagePolicy{ID: "p1", Action: "allow",
			Enabled: true, Expression: "odd("})},
		{Name: "an action nobody knows", Want: posture.Unknown, Edit: policies(snapshot.PagePolicy{ID: "p1", Action: "smile", Enabled: true})},
		{Name: "not monitored", Want: posture.NotApplicable, Edit: goodtest.Edits(policies(), watching(&no))},
		{Name: "not returned whether monitored", Want: posture.Unknown, Edit: goodtest.Edits(policies(), watching(nil))},
		{Name: "no right to policies", Want: posture.NotApplicable, Edit: marked(snapshot.ZonePageShieldPolicies, snapshot.NotEntitled)},
		{Name: "policies are not in use", Want: posture.NotApplicable, Edit: marked(snapshot.ZonePageShieldPolicies, snapshot.Absent)},
		{Name: "business plan", Want: posture.NotApplicable, Edit: goodtest.Edits(policies(), goodtest.Plan("business"))},
	}
}

func evaluateContentPolicy(v *check.View) check.Outcome {
	on := check.Read(v, snapshot.ZonePageShield).Enabled
	switch {
	case on != nil && !*on:
		return v.NotApplicable("scripts are not monitored")
	case v.StatusOf(snapshot.ZonePageShieldPolicies) == snapshot.Absent, v.StatusOf(snapshot.ZonePageShield) == snapshot.Absent:
		return v.NotApplicable("content policies are not in use")
	}
	var limits, weak, unread bool
	odd := ""
	_, doubt := check.Hosts(v, v.Zone())
	served := len(check.Lanes(v, traffic.Reaches("true"), v.Zone())) > 0
	for _, p := range check.Read(v, snapshot.ZonePageShieldPolicies) {
		if !p.Enabled {
			continue
		}
		reach := check.Reaches(v, v.Zone(), cmp.Or(p.Expression, "true")).Some
		switch {
		case reach == truth.No && served:
		case p.Action == "log" || p.Action == "add_reporting_directives" || p.AnySource:
			weak = true
		case p.Action != "allow":
			odd = p.Action
		case reach == truth.Undecided:
			unread = true
		default:
			limits = true
		}
	}
	name := v.Zone().Name
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZonePageShieldPolicies, "", observed, "an enabled policy with action allow that names its sources")
	}
	switch {
	case limits:
		return v.Pass("An enabled content policy allows known sources only.")
	case on == nil:
		return v.Unknown("Cloudflare did not return whether scripts are monitored")
	case unread && doubt != nil:
		return v.Doubtful(*doubt)
	case unread:
		return v.Unknown("whether requests of the zone meet the expression of a content policy is not known")
	case odd != "":
		return v.Unknown("a content policy has an action this check does not know: " + odd)
	case weak:
		return v.Warn("The content policies of "+name+" only log, or allow scripts of any host.", seen("no policy that limits scripts"))
	}
	return v.Fail("No content policy limits the scripts of "+name+".", seen("no enabled policy for its hosts"))
}
