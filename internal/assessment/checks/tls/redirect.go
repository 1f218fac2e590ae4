package tls

import (
	"encoding/json"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// redirect judges whether plain HTTP leads to HTTPS, by the setting, a redirect
// rule or a page rule.
func redirect() check.Check {
	return check.Check{
		ID: "CFL-SSL-005", Title: "Plain HTTP is always redirected",
		Category: "ssl", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "Content served over plain HTTP can be read and changed on the way.",
		Fix:        "Turn the redirect on.",
		References: []string{"https://developers.cloudflare.com/ssl/edge-certificates/additional-options/always-use-https/"},
		Controls:   posture.Controls{CIS: []string{"3.10"}, SOC2: []string{"CC6.7"}, PCI: []string{"4.2.1"}, NIST: []string{"PR.DS-02"}},
		Aliases: []string{"prowler:zone_https_redirect_enabled", "cnspec:always-use-https", "cfsi:no-always-https", "grclanker:CF-ZONE-04",
			"flareinspect:CFL-SSL-005"},
		Paths: []string{"weak-transport"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/always_use_https", Risk: "medium", Reversible: true,
			Body:    `{"value": "on"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Wait for an active certificate; hosts with mixed content may break, and ssl mode off makes redirect loops, so refuse when " +
				"CFL-SSL-001 fails.",
			Propose: proposeRedirect},
		Needs:    []snapshot.Named{snapshot.ZoneList, snapshot.ZoneSettings, snapshot.ZoneDNSRecords},
		Optional: []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseRedirect, snapshot.ZonePageRules},
		Evaluate: evaluateRedirect,
	}
}

func redirectExamples() []goodtest.Example {
	off := goodtest.Setting("always_use_https", "off")
	rule := func(expression, to string, raw bool) func(*snapshot.Builder) {
		return goodtest.Edits(off, entryPoint(snapshot.ZonePhaseRedirect, snapshot.Rule{ID: "d1", Enabled: true, Action: "redirect",
			Expression: expression, Params: snapshot.RuleParams{RedirectTo: to, RedirectRaw: raw}}))
	}
	page := func(target, action, value string) func(*snapshot.Builder) {
		return goodtest.Edits(off, func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, []snapshot.PageRule{{ID: "p1", Status: "active", Targets: []string{target},
				Actions: map[string]string{action: value}}})
		})
	}
	same := `concat("https://", http.host, http.request.uri.path)`
	return []goodtest.Example{
		{Name: "the setting is on", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "the setting is off", Want: posture.Fail, Resource: goodtest.Zone, Edit: off},
		{Name: "a rule for plain requests", Want: posture.Pass, Edit: rule(`http.request.scheme eq "http"`, same, true)},
		{Name: "a rule for requests without TLS", Want: posture.Pass, Edit: rule("not ssl", same, true)},
		{Name: "a rule of the dashboard template", Want: posture.Pass,
			Edit: rule(`(http.request.full_uri wildcard r"http://*")`, `wildcard_replace(http.request.full_uri, r"http://*", r"https://${1}")`,
				true)},
		{Name: "a rule for all requests with a fixed target", Want: posture.Pass, Edit: rule("true", "https://shop.example/", false)},
		{Name: "a rule that leads to plain HTTP", Want: posture.Fail, Edit: rule("true", "http://shop.example/", false)},
		{Name: "a rule for requests that have TLS already", Want: posture.Fail, Edit: rule("ssl", same, true)},
		{Name: "a rule for one path", Want: posture.Warning, Resource: goodtest.Zone, Edit: rule(`not ssl and http.request.uri.path eq "/login"`,
			same, true)},
		{Name: "a target nobody can read", Want: posture.Unknown, Edit: rule("not ssl", "http.request.full_uri", true)},
		{Name: "a page rule for the whole zone", Want: posture.Pass, Edit: page("http://*shop.example/*", "always_use_https", "")},
		{Name: "a forwarding page rule for the whole zone", Want: posture.Pass, Edit: page("http://*shop.example/*", "forwarding_url",
			`{"url":"https://$1shop.example/$2","status_code":301}`)},
		{Name: "a page rule for one host", Want: posture.Warning, Edit: page("www.shop.example/*", "always_use_https", "on")},
		{Name: "a page rule for requests that have TLS already", Want: posture.Fail, Edit: page("https://*shop.example/*", "always_use_https",
			"on")},
		{Name: "the page rules are not readable", Want: posture.Unknown, Edit: goodtest.Edits(off, denied(snapshot.ZonePageRules))},
		{Name: "a redirect rule is enough without page rules", Want: posture.Pass, Edit: goodtest.Edits(rule("not ssl", same, true),
			denied(snapshot.ZonePageRules))},
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Edits(off, denied(snapshot.ZoneRulesets))},
		{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("always_use_https")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

func evaluateRedirect(v *check.View) check.Outcome {
	if reason := check.LiveTraffic(v); reason != "" {
		return v.NotApplicable(reason)
	}
	value, ok := check.Read(v, snapshot.ZoneSettings).Text("always_use_https")
	if value == "on" {
		return v.Pass("The zone setting redirects plain HTTP.")
	}
	cover := exposure.Coverage{}
	unread := exposure.Coverage{All: truth.Undecided, Some: truth.Undecided}
	if rules, known := check.EntryPoint(v, snapshot.ZoneRulesets, snapshot.ZonePhaseRedirect, v.Zone().ID); known {
		for _, r := range rules.Rules {
			cover = cover.Join(ruleToHTTPS(r, v.Zone()))
		}
	} else {
		cover = cover.Join(unread)
	}
	if pages, known := check.ReadOptional(v, snapshot.ZonePageRules); known {
		for _, p := range pages {
			cover = cover.Join(pageToHTTPS(p, v.Zone()))
		}
	} else {
		cover = cover.Join(unread)
	}
	seen := check.Evidence(snapshot.ZoneSettings, "/always_use_https", value, "on")
	switch {
	case cover.All == truth.Yes:
		return v.Pass("A rule redirects every plain HTTP request.")
	case !ok:
		return v.Unknown("the provider did not return the setting always_use_https")
	case value != "off":
		return v.Unknown("always_use_https has a value this check does not know: " + value)
	case cover.Some == truth.No:
		return v.Fail("Plain HTTP requests to "+v.Zone().Name+" are served without a redirect.", seen)
	case cover.Some == truth.Yes && cover.All == truth.No:
		return v.Warn("Plain HTTP requests to only some hosts or paths of "+v.Zone().Name+" are redirected.", seen)
	}
	return v.Unknown("always_use_https is off; whether a rule redirects plain HTTP is not known")
}

func ruleToHTTPS(r snapshot.Rule, z snapshot.Zone) exposure.Coverage {
	if !r.Enabled || r.Action != "redirect" {
		return exposure.Coverage{}
	}
	to, cover := leadsToHTTPS(r.Params), exposure.Cover(r.Expression, scheme(z, "http"))
	return exposure.Coverage{All: truth.And(to, cover.All), Some: truth.And(to, cover.Some)}
}

// leadsToHTTPS reads the target of a redirect: fixed, joined, or a replacement
// whose new text names the scheme.
func leadsToHTTPS(p snapshot.RuleParams) truth.Value {
	if !p.RedirectRaw {
		return truth.If(p.RedirectTo != "", strings.HasPrefix(strings.ToLower(p.RedirectTo), "https://"))
	}
	o, err := expression.ParseValue(p.RedirectTo)
	if err != nil {
		return truth.Undecided
	}
	at := 0
	if c, ok := o.(expression.Call); ok {
		switch c.Name {
		case "concat":
		case "wildcard_replace", "regex_replace":
			at = 2
		default:
			return truth.Undecided
		}
		if len(c.Args) <= at {
			return truth.Undecided
		}
		o = c.Args[at]
	}
	s, ok := o.(expression.Text)
	switch {
	case ok && strings.HasPrefix(string(s), "https://"):
		return truth.Yes
	case ok && strings.HasPrefix(string(s), "http://"):
		return truth.No
	default:
		return truth.Undecided
	}
}

// pageToHTTPS judges a page rule. Its pattern covers the zone when it stands
// for the apex, every host below it and every path.
func pageToHTTPS(p snapshot.PageRule, z snapshot.Zone) exposure.Coverage {
	_, always := p.Actions["always_use_https"]
	if p.Status != "active" || !always && !forwardsToHTTPS(p.Actions["forwarding_url"]) {
		return exposure.Coverage{}
	}
	out := exposure.Coverage{}
	for _, target := range p.Targets {
		target = strings.ToLower(target)
		if strings.HasPrefix(target, "https://") {
			continue
		}
		pattern := strings.TrimPrefix(strings.TrimPrefix(target, "http://"), "*://")
		whole := pattern == "*"+strings.ToLower(z.Name)+"/*" || pattern == "*"+strings.ToLower(z.Name)+"*"
		out = out.Join(exposure.Coverage{All: truth.Is(whole), Some: truth.Yes})
	}
	return out
}

func forwardsToHTTPS(action string) bool {
	var f struct {
		URL string `json:"url"`
	}
	return json.Unmarshal([]byte(action), &f) == nil && strings.HasPrefix(strings.ToLower(f.URL), "https://")
}
