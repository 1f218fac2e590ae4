package waf

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// visitorCountry judges whether the origin receives the country of the visitor.
func visitorCountry() check.Check {
	return check.Check{
		ID: "CFL-WAF-023", Title: "The origin receives the visitor country",
		Category: "waf", Severity: posture.Informational, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Cloudflare knows the country of each visitor, and tells the origin in the header CF-IPCountry only when " +
			"this is turned on. Otherwise the application looks up an address of Cloudflare, or believes the client.",
		Fix: "Turn on IP Geolocation, or the managed transform Add visitor location headers.",
		Words: check.SettingTo("ip_geolocation", "on", posture.Words{
			Problem:   "The origin of {zone} does not learn visitors' countries",
			Impact:    "Checks by country in the application, such as for fraud or sanctions, work with a wrong country.",
			Breaks:    "Nothing that works today; requests to the origin carry one header more.",
			Dashboard: "Network › IP Geolocation: On.",
		}),
		References: []string{"https://developers.cloudflare.com/rules/transform/managed-transforms/",
			"https://developers.cloudflare.com/rules/configuration-rules/"},
		Controls: check.Controls{
			check.Touches("cis 13.10", "The country is a fact for the application; nothing is filtered by it."),
			check.Supports("soc2 CC7.2", "The application can notice visits from unusual countries."),
			check.Supports("nist DE.CM-01", "Logs of the application say where a request came from."),
		},
		Aliases: []string{"prowler:zone_ip_geolocation_enabled"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/ip_geolocation", Risk: "low", Reversible: true,
			Body:    `{"value": "on"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "None known.",
			Propose: propose.Setting("ip_geolocation", "on")},
		Needs:    []snapshot.Named{snapshot.ZoneList, snapshot.ZoneSetting("ip_geolocation"), snapshot.ZoneDNSRecords},
		Optional: append(traffic.Setting("ip_geolocation").Needs, snapshot.ZoneManagedHeaders),
		Evaluate: func(v *check.View) check.Outcome {
			lanes := check.Lanes(v, traffic.Setting("ip_geolocation"), v.Zone())
			reported := traffic.Cover(lanes, func(set traffic.Value[string]) truth.Value {
				return set.Holds(func(value string) bool { return value == "on" })
			}).All
			if reported == truth.Yes {
				return v.Pass("The origin receives the country of the visitor.")
			}
			headers, known := check.ReadOptional(v, snapshot.ZoneManagedHeaders)
			if known && headers.Request["add_visitor_location_headers"] {
				return v.Pass("The origin receives location headers.")
			}
			if !known {
				return v.Unknown("the setting is off; whether a managed header replaces it is not known")
			}
			for _, l := range lanes {
				switch {
				case l.Value.Doubt != nil:
					return v.Doubtful(*l.Value.Doubt)
				case l.Value.Is == "off":
					return v.Fail("IP Geolocation and the managed transform Add visitor location headers are off for "+v.Zone().Name+".",
						check.LaneEvidence([]traffic.Lane[traffic.Value[string]]{l}, "on, or the managed header add_visitor_location_headers")...).
						As(check.ByRuleWords(l.Value.By))
				case l.Value.Is != "on":
					return v.Unknown("ip_geolocation has a value this check does not know: " + l.Value.Is)
				}
			}
			return v.Unknown("no traffic of the zone is known")
		},
	}
}

func visitorCountryExamples() []goodtest.Example {
	off := goodtest.Setting("ip_geolocation", "off")
	header := func(on bool) func(*snapshot.Builder) { return requestHeader("add_visitor_location_headers", on) }
	return []goodtest.Example{
		{Name: "on", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "off", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(off, header(false))},
		{Name: "off, with the managed header", Want: posture.Pass, Edit: goodtest.Edits(off, header(true))},
		{Name: "off, the headers are not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(off, goodtest.Denied(snapshot.ZoneManagedHeaders))},
		{Name: "on, the headers are not readable", Want: posture.Pass, Edit: goodtest.Denied(snapshot.ZoneManagedHeaders)},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: goodtest.Edits(goodtest.Setting("ip_geolocation", "odd"), header(false))},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(off, goodtest.NotProxied())},
		{Name: "off, and on by a page rule", Want: posture.Pass,
			Edit: goodtest.Edits(off, header(false), goodtest.SetByPageRule("*"+goodtest.Domain+"/*", "ip_geolocation", "on"))},
		{Name: "on, and off by a page rule", Want: posture.Fail,
			Edit: goodtest.Edits(header(false), goodtest.SetByPageRule("*"+goodtest.Domain+"/*", "ip_geolocation", "off"))},
		{Name: "on, the page rules are not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(header(false), goodtest.Denied(snapshot.ZonePageRules))},
	}
}

// requestHeader is an example edit of one managed request header.
func requestHeader(id string, on bool) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneManagedHeaders, goodtest.Zone, func(h *snapshot.ManagedHeaders) { h.Request[id] = on })
	}
}
