package tls

import (
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hsts judges whether browsers are told to stay on HTTPS, by the setting or by
// a response header rule.
func hsts() check.Check {
	return check.Check{
		ID: "CFL-SSL-004", Title: "HSTS is on",
		Category: "ssl", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Without the header a browser can be pushed to plain HTTP on the first request.",
		Fix: "Enable the header once every host speaks HTTPS.",
		References: []string{"https://developers.cloudflare.com/ssl/edge-certificates/additional-options/http-strict-transport-security/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: posture.Controls{CIS: []string{"3.10"}, SOC2: []string{"CC6.7"}, PCI: []string{"4.2.1"}, NIST: []string{"PR.DS-02"}},
		Aliases: []string{"prowler:zone_hsts_enabled", "cnspec:hsts-enabled", "cfsi:no-hsts", "grclanker:CF-ZONE-04",
			"flareinspect:CFL-SSL-004"},
		Paths: []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/security_header", Risk: "high", Reversible: true,
			Body: `{"value": {"strict_transport_security": <existing object with enabled true and max_age raised to at least 15552000; ` +
				`include_subdomains, preload and nosniff kept as they are>}}`,
			Inverse: "PATCH the complete captured object; if it was off, PATCH enabled false with max_age 0 first and wait until browsers have " +
				"seen it",
			Caution: "Merge, never replace: members not sent are reset. Browsers remember the header for max_age, so rollback is slow; start with " +
				"a short max_age.",
			Propose: proposeHSTS},
		Needs:    []snapshot.Named{snapshot.ZoneList, snapshot.ZoneSettings, snapshot.ZoneDNSRecords},
		Optional: []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseResponse},
		Evaluate: evaluateHSTS,
	}
}

func hstsExamples() []goodtest.Example {
	off := header(snapshot.HSTS{})
	sets := func(expression, value string) snapshot.Rule {
		return snapshot.Rule{ID: "h1", Enabled: true, Action: "rewrite", Expression: expression,
			Params: snapshot.RuleParams{Headers: map[string]snapshot.HeaderOp{"Strict-Transport-Security": {Operation: "set", Value: value}}}}
	}
	rules := func(rs ...snapshot.Rule) func(*snapshot.Builder) {
		return goodtest.Edits(off, entryPoint(snapshot.ZonePhaseResponse, rs...))
	}
	disabled, dynamic := sets("true", "max-age=31536000"), sets("true", "")
	disabled.Enabled = false
	dynamic.Params.Headers = map[string]snapshot.HeaderOp{"strict-transport-security": {Operation: "set", Dynamic: true}}
	return []goodtest.Example{
		{Name: "the setting is on", Want: posture.Pass, Resource: goodtest.Zone},
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
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Edits(off, denied(snapshot.ZonePhaseResponse))},
		{Name: "the ruleset list is not readable", Want: posture.Unknown, Edit: goodtest.Edits(off, denied(snapshot.ZoneRulesets))},
		{Name: "on, and the rules are not readable", Want: posture.Pass, Edit: denied(snapshot.ZonePhaseResponse)},
		{Name: "the setting is missing, a rule covers all", Want: posture.Pass, Edit: goodtest.Edits(rules(sets("true", "max-age=9")),
			goodtest.MissingSetting("security_header"))},
		{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("security_header")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

func evaluateHSTS(v *check.View) check.Outcome {
	if reason := check.LiveTraffic(v); reason != "" {
		return v.NotApplicable(reason)
	}
	h, returned := check.Read(v, snapshot.ZoneSettings).HSTS()
	if h.Enabled && h.MaxAge > 0 {
		return v.Pass("The zone setting sends the HSTS header.")
	}
	rules, ok := check.EntryPoint(v, snapshot.ZoneRulesets, snapshot.ZonePhaseResponse, v.Zone().ID)
	cover := exposure.Coverage{All: truth.Undecided, Some: truth.Undecided}
	if ok {
		cover = exposure.Coverage{}
		for _, r := range rules.Rules {
			cover = cover.Join(sendsHSTS(r, v.Zone()))
		}
	}
	observed := "off"
	if h.Enabled {
		observed = "on with max_age 0"
	}
	seen := check.Evidence(snapshot.ZoneSettings, "/security_header/strict_transport_security/enabled", observed, "on with max_age above 0")
	switch {
	case cover.All == truth.Yes:
		return v.Pass("A response header rule sends the HSTS header for all traffic.")
	case !returned:
		return v.Unknown("the provider did not return the setting security_header")
	case cover.Some == truth.No:
		return v.Fail("No setting and no rule of "+v.Zone().Name+" sends the HSTS header.", seen)
	case cover.All == truth.No && cover.Some == truth.Yes:
		return v.Warn("A rule sends the HSTS header for a part of the traffic of "+v.Zone().Name+" only.", seen)
	}
	return v.Unknown("HSTS is off in the zone settings; whether a response header rule sends it is not known")
}

// sendsHSTS returns for how much of the traffic a rule sets the header with a
// lifetime. Browsers ignore the header on plain HTTP, so only HTTPS counts.
func sendsHSTS(r snapshot.Rule, z snapshot.Zone) exposure.Coverage {
	if !r.Enabled {
		return exposure.Coverage{}
	}
	for name, op := range r.Params.Headers {
		if !strings.EqualFold(name, "strict-transport-security") || op.Operation == "remove" {
			continue
		}
		cover := exposure.Cover(r.Expression, scheme(z, "https"))
		if op.Dynamic {
			return exposure.Coverage{All: truth.And(truth.Undecided, cover.All), Some: truth.And(truth.Undecided, cover.Some)}
		}
		if maxAge(op.Value) > 0 {
			return cover
		}
	}
	return exposure.Coverage{}
}

func maxAge(value string) int {
	for part := range strings.SplitSeq(value, ";") {
		k, v, _ := strings.Cut(part, "=")
		if strings.EqualFold(strings.TrimSpace(k), "max-age") {
			n, err := strconv.Atoi(strings.Trim(strings.TrimSpace(v), `"`))
			if err != nil {
				return 0
			}
			return n
		}
	}
	return 0
}
