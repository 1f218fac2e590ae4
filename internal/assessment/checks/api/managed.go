package api

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// managed judges whether someone reviews discovered endpoints. Only operations that await review
// are read, so discovery counts as having found nothing when none is waiting and none was ever
// saved.
func managed() check.Check {
	return check.Check{
		ID: "CFL-API-001", Title: "Discovered endpoints are managed",
		Category: "api", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Plans: []string{"enterprise"},
		Why:   "API Discovery finds endpoints in traffic. Until they are saved, API Shield does not protect them.",
		Fix:   "Save the endpoints that are real and ignore the rest.",
		Words: posture.Words{
			Problem: "Discovered API endpoints of {zone} are not managed",
			Impact: "Endpoints that are not managed have neither schema validation nor limits, so an attacker can probe them " +
				"freely.",
			Breaks:    "Nothing; saving an endpoint only starts its measurement.",
			Dashboard: "Security › Web assets › Discovery: save or ignore each endpoint.",
		},
		References: []string{"https://developers.cloudflare.com/api-shield/security/api-discovery/", docsInsights},
		Controls: check.Controls{
			check.Supports("cis 1.1", "Endpoints seen in traffic are on the list of what is managed."),
			check.Touches("cis 2.1", "It lists endpoints, not the software behind them."),
			check.Supports("soc2 CC3.2", "Risks of an interface can be analysed only when it is known."),
			check.Supports("pci 12.5.1", "Public interfaces are part of an inventory; other components are not in it."),
			check.Supports("nist ID.AM-02", "The interfaces that services offer are inventoried from traffic."),
		},
		Aliases: []string{"cfsi:api-new-endpoints", "flareinspect:CFL-API-001"},
		Needs:   []snapshot.Named{snapshot.ZoneAPIOperations, snapshot.ZoneAPIDiscovery},
		Evaluate: func(v *check.View) check.Outcome {
			saved, review, odd := len(check.Read(v, snapshot.ZoneAPIOperations)), 0, ""
			for _, o := range check.Read(v, snapshot.ZoneAPIDiscovery) {
				switch o.State {
				case "review":
					review++
				case "saved", "ignored":
				default:
					odd = o.Method + " " + o.Host + o.Endpoint
				}
			}
			seen := check.Evidence(snapshot.ZoneAPIDiscovery, "", check.Count(review, "operation", "")+" or more in state review", "none")
			switch {
			case review == 0 && odd != "":
				return v.Unknown("the discovered operation " + odd + " has a state this check does not know")
			case review == 0 && saved == 0:
				return v.NotApplicable("discovery finds nothing that waits, and no operation is saved")
			case review == 0:
				return v.Pass("No discovered operation waits for review.")
			case saved == 0:
				return v.Fail("Discovered endpoints of "+v.Zone().Name+" wait for review and none is managed.", seen)
			default:
				return v.Warn("Discovered endpoints of "+v.Zone().Name+" wait for review.", seen)
			}
		},
	}
}

func managedExamples() []goodtest.Example {
	found := func(all ...snapshot.APIOperation) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneAPIDiscovery, goodtest.Zone, all) }
	}
	waiting := snapshot.APIOperation{ID: "d1", Method: "GET", Host: "api." + goodtest.Domain, Endpoint: "/v2/users", State: "review"}
	done := waiting
	done.State = "ignored"
	odd, untold := waiting, waiting
	odd.State, untold.State = "postponed", ""
	return []goodtest.Example{
		{Name: "nothing waits", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "some wait, none is managed", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(found(waiting), saved())},
		{Name: "some wait beside managed ones", Want: posture.Warning, Resource: goodtest.Zone, Edit: found(waiting)},
		{Name: "all were looked at", Want: posture.Pass, Edit: found(done)},
		{Name: "a state nobody knows", Want: posture.Unknown, Resource: goodtest.Zone, Edit: found(odd)},
		{Name: "the state is not told, and none is managed", Want: posture.Unknown, Edit: goodtest.Edits(found(untold), saved())},
		{Name: "one waits, of another the state is not told", Want: posture.Warning, Edit: found(untold, waiting)},
		{Name: "nothing found", Want: posture.NotApplicable, Edit: saved()},
		{Name: "no API protection", Want: posture.NotApplicable, Edit: notEntitled()},
		{Name: "business plan", Want: posture.NotApplicable, Edit: goodtest.Edits(found(waiting), business())},
	}
}
