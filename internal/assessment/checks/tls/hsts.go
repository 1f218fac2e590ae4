package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hsts judges whether browsers are told to stay on HTTPS, by the setting or by a response header
// rule.
func hsts() check.Check {
	return check.Check{
		ID: "CFL-SSL-004", Title: "HSTS is on",
		Category: "ssl", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "A visit that starts over plain HTTP can be kept there by anyone between the browser and Cloudflare. With HSTS a browser refuses " +
			"plain HTTP after its first visit over HTTPS, and with preload before it.",
		Fix: "Turn HSTS on once every host of the zone serves HTTPS, first for one day and then for at least 180 days.",
		Words: hstsTo(`{value: {strict_transport_security: (.result.value.strict_transport_security + {enabled: true, max_age: 15552000})}}`,
			snapshot.HSTS{MaxAge: halfYear}, posture.Words{
				Problem: "Browsers receive no HSTS from {zone}",
				Impact: "Someone on the same network, such as an open Wi-Fi, can keep a visit on plain HTTP, read what is typed and take the session " +
					"cookie.",
				Breaks:    "Hosts that do not serve HTTPS become unreachable for browsers that saw the header, until its lifetime has passed.",
				Dashboard: "SSL/TLS › Edge Certificates › HTTP Strict Transport Security (HSTS) › Enable HSTS. Choose a Max Age of 6 months or more.",
			}),
		References: []string{"https://developers.cloudflare.com/ssl/edge-certificates/additional-options/http-strict-transport-security/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Browsers that know the site use encryption only."),
			check.Supports("soc2 CC6.7", "Visits after the first cannot be downgraded."),
			check.Supports("pci 4.2.1", "Browsers refuse plain HTTP and false certificates."),
			check.Supports("nist PR.DS-02", "Data on the wire cannot be downgraded once a browser knows the site."),
		},
		Aliases: []string{"prowler:zone_hsts_enabled", "cnspec:hsts-enabled", "cfsi:no-hsts", "grclanker:CF-ZONE-04",
			"flareinspect:CFL-SSL-004"},
		Paths: []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/security_header", Risk: "high", Reversible: true,
			Body: `{"value": {"strict_transport_security": <existing object with enabled true and max_age raised to at least 15552000; ` +
				`include_subdomains, preload and nosniff kept as they are>}}`,
			Inverse: "PATCH the complete captured object; if it was off, PATCH enabled false with max_age 0 first and wait until browsers have " +
				"seen it",
			Caution: "Browsers remember HSTS for as long as max-age says, at least 180 days, so undoing it takes that long. Every " +
				"host must serve HTTPS.",
			Propose: proposeHSTS},
		Needs:    []snapshot.Named{snapshot.ZoneList, snapshot.ZoneSetting("security_header"), snapshot.ZoneDNSRecords},
		Optional: traffic.HSTS().Needs,
		Evaluate: evaluateHSTS,
	}
}

func hstsExamples() []goodtest.Example {
	off := header(snapshot.HSTS{})
	sets := func(expression, value string) snapshot.Rule {
		return snapshot.Rule{ID: "h1", Enabled: true, Action: "rewrite", Expression: expression,
			Params: snapshot.RuleParams{Headers: map[string]snapshot.HeaderOp{"strict-transport-security": {Operation: "set", Value: value}}}}
	}
	rules := func(rs ...snapshot.Rule) func(*snapshot.Builder) {
		return goodtest.Edits(off, entryPoint(snapshot.ZonePhaseResponse, rs...))
	}
	removes := func(expression string) snapshot.Rule {
		return snapshot.Rule{ID: "h2", Enabled: true, Action: "rewrite", Expression: expression,
			Params: snapshot.RuleParams{Headers: map[string]snapshot.HeaderOp{"strict-transport-security": {Operation: "remove"}}}}
	}
	disabled, dynamic := sets("true", "max-age=31536000"), sets("true", "")
	disabled.Enabled = false
	dynamic.Params.Headers = map[string]snapshot.HeaderOp{"strict-transport-security": {Operation: "set", Dynamic: true}}
	return []goodtest.Example{
		{Name: "the setting is on", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a rule with a value in capitals", Want: posture.Pass, Edit: rules(sets("true", "Max-Age = 31536000 ; IncludeSubDomains"))},
		{Name: "a rule with a value without a number", Want: posture.Fail, Resource: goodtest.Zone, Edit: rules(sets("true", "max-age=year"))},
		{Name: "a rule for each host", Want: posture.Pass, Edit: goodtest.Edits(goodtest.OwnHosts,
			rules(sets(`ends_with(http.host, "shop.example")`, "max-age=31536000")))},
		{Name: "the setting is off", Want: posture.Fail, Resource: goodtest.Zone, Edit: off},
		{Name: "on with a lifetime of 0", Want: posture.Fail, Edit: header(snapshot.HSTS{Enabled: true})},
		{Name: "a rule for all traffic", Want: posture.Pass, Edit: rules(sets("true", `max-age="31536000"; includeSubDomains`))},
		{Name: "a rule for all https traffic", Want: posture.Pass, Edit: rules(sets("ssl", "max-age=31536000"))},
		{Name: "a rule with a lifetime of 0", Want: posture.Fail, Edit: rules(sets("true", "max-age=0"))},
		{Name: "a rule that is disabled", Want: posture.Fail, Edit: rules(disabled)},
		{Name: "a rule for one host", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: rules(sets(`http.host eq "shop.example"`, "max-age=31536000"))},
		{Name: "a value that is computed", Want: posture.Unknown, Edit: rules(dynamic)},
		{Name: "an expression nobody can read", Want: posture.Unknown, Edit: rules(sets("odd(", "max-age=31536000"))},
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Edits(off, goodtest.Denied(snapshot.ZonePhaseResponse))},
		{Name: "the ruleset list is not readable", Want: posture.Unknown, Edit: goodtest.Edits(off, goodtest.Denied(snapshot.ZoneRulesets))},
		{Name: "on, and the rules are not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.ZonePhaseResponse)},
		{Name: "on, and a rule removes it on a custom hostname that is not readable", Want: posture.Unknown, Edit: goodtest.Edits(
			entryPoint(snapshot.ZonePhaseResponse, removes(`http.host eq "shop.customer.example"`)), goodtest.Denied(snapshot.ZoneCustomHostnames))},
		{Name: "on, and the custom hostnames are not readable", Want: posture.Pass, Edit: goodtest.Denied(snapshot.ZoneCustomHostnames)},
		{Name: "the setting is missing, a rule covers all", Want: posture.Pass,
			Edit: goodtest.Edits(rules(sets("true", "max-age=31536000")), goodtest.MissingSetting("security_header"))},
		{Name: "on, and a rule removes it everywhere", Want: posture.Fail, Edit: entryPoint(snapshot.ZonePhaseResponse, removes("true"))},
		{Name: "on, and a rule removes it on a path", Want: posture.Warning,
			Edit: entryPoint(snapshot.ZonePhaseResponse, removes(`starts_with(http.request.uri.path, "/app")`))},
		{Name: "on, and a rule removes it from plain requests", Want: posture.Pass,
			Edit: entryPoint(snapshot.ZonePhaseResponse, removes("not ssl"))},
		{Name: "on, and a rule removes it on a host of another zone", Want: posture.Pass,
			Edit: entryPoint(snapshot.ZonePhaseResponse, removes(`http.host eq "other.example"`))},
		{Name: "removed, and set again by a later rule", Want: posture.Pass,
			Edit: entryPoint(snapshot.ZonePhaseResponse, removes("true"), sets("true", "max-age=31536000"))},
		{Name: "set by a rule, and removed by a later one", Want: posture.Fail,
			Edit: entryPoint(snapshot.ZonePhaseResponse, sets("true", "max-age=31536000"), removes("true"))},
		{Name: "on, and a rule makes it last an hour", Want: posture.Warning,
			Edit: entryPoint(snapshot.ZonePhaseResponse, sets("true", "max-age=3600"))},
		{Name: "on, and a rule makes it last an hour on one host", Want: posture.Warning,
			Edit: entryPoint(snapshot.ZonePhaseResponse, sets(`http.host eq "www.shop.example"`, "max-age=3600"))},
		{Name: "on for an hour by the setting", Want: posture.Warning, Edit: header(snapshot.HSTS{Enabled: true, MaxAge: 3600})},
		{Name: "a rule sets 0 everywhere", Want: posture.Fail, Edit: entryPoint(snapshot.ZonePhaseResponse, sets("true", "max-age=0"))},
		{Name: "the account has rules nobody reads", Want: posture.Unknown, Edit: accountPhase("http_response_headers_transform")},
		{Name: "the account has such rules, and the zone is not of the enterprise plan", Want: posture.Pass,
			Edit: goodtest.Edits(goodtest.Plan("pro"), accountPhase("http_response_headers_transform"))},
		{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("security_header")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

func evaluateHSTS(v *check.View) check.Outcome {
	lanes := check.Lanes(v, traffic.HSTS(), v.Zone())
	without := check.LanesWith(lanes, func(h snapshot.HSTS) bool { return !h.Enabled })
	short := check.LanesWith(lanes, func(h snapshot.HSTS) bool { return h.Enabled && h.MaxAge < halfYear })
	const expected = "a lifetime of 180 days or more on every host and path"
	switch d := check.DoubtOf(lanes, func(h snapshot.HSTS) bool { return h.Enabled && h.MaxAge >= halfYear }); {
	case len(without) > 0 && len(without) == traffic.Listed(lanes):
		return v.Fail("Browsers receive no HSTS header from "+v.Zone().Name+": "+check.ByRule(without[0].Value.By)+" decides.",
			check.LaneEvidence(without, expected)...).As(hstsWords(without[0].Value, halfYear, false, false))
	case len(without) > 0:
		return v.Warn("Browsers receive no HSTS header for a part of the traffic of "+v.Zone().Name+": "+check.ByRule(without[0].Value.By)+
			" decides for "+without[0].Example().Describe()+".", check.LaneEvidence(without, expected)...).
			As(hstsWords(without[0].Value, halfYear, false, false).Or(posture.Words{Problem: "A part of {zone} is served without HSTS"}))
	case d != nil:
		return v.Doubtful(*d)
	case len(short) > 0:
		return v.Warn("Browsers forget HSTS of "+check.HostsOf(short)+" within 180 days: "+check.ByRule(short[0].Value.By)+" decides.",
			check.LaneEvidence(short, expected)...).As(hstsWords(short[0].Value, halfYear, false, false).Or(posture.Words{
			Problem: "HSTS of {zone} lasts less than 180 days",
			Impact: "A browser that has not been there for a while forgets HSTS, so its next visit over plain HTTP can be read and changed on " +
				"the same network."}))
	}
	return v.Pass("Browsers receive an HSTS header from every host.")
}
