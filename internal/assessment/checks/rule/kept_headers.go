package rule

import (
	"fmt"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// keptHeaders judges rules that weaken responses: they remove a security header, or set a value
// that allows everything.
func keptHeaders() check.Check {
	phase := snapshot.ZonePhaseResponse
	return check.Check{
		ID: "CFL-TXRULE-001", Title: "Response rules keep security headers",
		Category: "rules", Severity: posture.Medium, Resource: posture.ResourceRule, Scope: check.PerZone,
		Why: "Security headers tell browsers to refuse frames, foreign scripts, guessed types and plain HTTP. A rule that " +
			"removes one, or sets a value that allows everything, ends that protection for the answers it matches.",
		Fix: "Delete the header from the rule, or set a value that protects: DENY, nosniff, a script-src without " +
			"'unsafe-inline' and wildcards, strict-origin-when-cross-origin, max-age=31536000.",
		Words: posture.Words{
			Problem: "Response rule {name} weakens the security headers of {zone}",
			Impact:  "Anyone who finds a gap that the header would have closed can use it against visitors of these pages.",
			Breaks: "Partners that show pages of the site in a frame, and scripts that a stricter policy does not allow, stop " +
				"working.",
			Dashboard: "Rules › Overview › {name}: delete the header, or change its value.",
		},
		References: []string{"https://developers.cloudflare.com/rules/transform/",
			"https://developers.cloudflare.com/ruleset-engine/rulesets-api/"},
		Controls: check.Controls{
			check.Supports("cis 16.11", "Protections that the application asked for reach the browser."),
			check.Supports("soc2 CC6.8", "Browsers go on refusing foreign code."),
			check.Supports("pci 6.2.4", "Rules do not remove what stops common attacks."),
			check.Supports("nist PR.PS-01", "The headers of the baseline are kept."),
		},
		Aliases:  []string{"flareinspect:CFL-TXRULE-001", "grclanker:spec-security-headers"},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, phase},
		Optional: traffic.Header("").Needs,
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			rules := check.Read(v, phase).Rules
			left := check.Left(v, v.Zone(), check.Conditions(rules))
			for i, r := range rules {
				if r.Enabled {
					judgeHeaders(v, j, rules, i, left)
				}
			}
			return j.Done("No rule removes a security header or sets it to a value that protects nobody.",
				"the zone has no enabled response header rule")
		},
	}
}

func keptHeadersExamples() []goodtest.Example {
	phase := snapshot.ZonePhaseResponse
	change := func(text, header, operation string) snapshot.Rule {
		return snapshot.Rule{ID: "t1", Enabled: true, Action: "rewrite", Expression: text,
			Params: snapshot.RuleParams{Headers: map[string]snapshot.HeaderOp{header: {Operation: operation}}}}
	}
	set := func(header, value string) func(*snapshot.Builder) {
		r := change("true", header, "set")
		r.Params.Headers[header] = snapshot.HeaderOp{Operation: "set", Value: value}
		return rules(phase, r)
	}
	valued := func(text, header, operation, value string) snapshot.Rule {
		r := change(text, header, operation)
		r.Params.Headers[header] = snapshot.HeaderOp{Operation: operation, Value: value}
		return r
	}
	out := []goodtest.Example{
		{Name: "another header", Want: posture.Pass, Resource: goodtest.Zone, Edit: rules(phase, change("true", "server", "remove"))},
		{Name: "set, not removed", Want: posture.Pass, Edit: rules(phase, change("true", "x-frame-options", "set"))},
		{Name: "removed for all", Want: posture.Fail, Resource: "t1", Edit: rules(phase, change("true", "content-security-policy", "remove"))},
		{Name: "removed for the zone by name", Want: posture.Fail,
			Edit: rules(phase, change(`cf.zone.name eq "shop.example"`, "strict-transport-security", "remove"))},
		{Name: "removed for a path", Want: posture.Warning, Resource: "t1",
			Edit: rules(phase, change(`http.request.uri.path eq "/x"`, "x-content-type-options", "remove"))},
		{Name: "removed for all, by two rules", Want: posture.Fail, Resource: "t1", Edit: rules(phase, change("ssl", "x-frame-options", "remove"),
			change("not ssl", "x-frame-options", "remove"))},
		{Name: "removed for a half and a path, by two rules", Want: posture.Warning, Resource: "t1", Edit: rules(phase,
			change("ssl", "x-frame-options", "remove"), change(`http.request.uri.path eq "/x"`, "x-frame-options", "remove"))},
		{Name: "removed for nobody", Want: posture.Pass, Edit: rules(phase, change(`http.host eq "other.test"`, "x-frame-options", "remove"))},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: "t1",
			Edit: rules(phase, change("odd(", "x-frame-options", "remove"))},
		{Name: "the rule is off", Want: posture.NotApplicable, Edit: rules(phase, goodtest.Off(change("true", "x-frame-options", "remove")))},
		{Name: "no rule", Want: posture.NotApplicable},
		{Name: "a weak value for a path", Want: posture.Warning, Resource: "t1",
			Edit: rules(phase, valued(`http.request.uri.path eq "/x"`, "x-frame-options", "set", "ALLOWALL"))},
		{Name: "a weak value for another zone", Want: posture.Pass,
			Edit: rules(phase, valued(`http.host eq "other.test"`, "x-frame-options", "set", "ALLOWALL"))},
		{Name: "a weak value added", Want: posture.Fail, Edit: rules(phase, valued("true", "referrer-policy", "add", "unsafe-url"))},
		{Name: "a weak policy beside that of the origin", Want: posture.Pass,
			Edit: rules(phase, valued("true", "content-security-policy", "add", "script-src *"))},
		{Name: "a weak value that a later rule mends", Want: posture.Pass, Edit: rules(phase,
			valued("true", "x-frame-options", "set", "ALLOWALL"), valued("true", "x-frame-options", "set", "DENY"))},
		{Name: "a good value that a later rule spoils", Want: posture.Fail, Edit: rules(phase,
			valued("true", "x-frame-options", "set", "DENY"), valued("true", "x-frame-options", "set", "ALLOWALL"))},
		{Name: "a removed header that a later rule sets", Want: posture.Pass, Edit: rules(phase,
			change("true", "x-frame-options", "remove"), valued("true", "x-frame-options", "set", "DENY"))},
		{Name: "a removed header that a later rule sets for a path", Want: posture.Fail, Edit: rules(phase,
			change("true", "x-frame-options", "remove"), valued(`http.request.uri.path eq "/x"`, "x-frame-options", "set", "DENY"))},
		{Name: "a header removed on a path, on which a later rule sets it", Want: posture.Pass, Edit: rules(phase,
			change(`http.request.uri.path eq "/x"`, "x-frame-options", "remove"),
			valued(`starts_with(http.request.uri.path, "/x")`, "x-frame-options", "set", "DENY"))},
		{Name: "a removed header that two later rules together set", Want: posture.Pass, Edit: rules(phase,
			change("true", "x-frame-options", "remove"), valued("ssl", "x-frame-options", "set", "DENY"),
			valued("not ssl", "x-frame-options", "set", "SAMEORIGIN"))},
		{Name: "a removed header that a later rule perhaps sets", Want: posture.Unknown, Resource: "t1", Edit: rules(phase,
			change("true", "x-frame-options", "remove"), valued("odd(", "x-frame-options", "set", "DENY"))},
		{Name: "the rule with a weak value is off", Want: posture.NotApplicable,
			Edit: rules(phase, goodtest.Off(valued("true", "x-frame-options", "set", "ALLOWALL")))},
		{Name: "a value that the rule computes", Want: posture.Unknown, Resource: "t1", Edit: func(b *snapshot.Builder) {
			r := change("true", "content-security-policy", "set")
			r.Params.Headers["content-security-policy"] = snapshot.HeaderOp{Operation: "set", Dynamic: true}
			rules(phase, r)(b)
		}},
	}
	return append(out, headerValues(set)...)
}

// headerValues returns examples that set a header of all responses to each value.
func headerValues(set func(header, value string) func(*snapshot.Builder)) []goodtest.Example {
	var out []goodtest.Example
	for _, e := range []struct {
		header, value string
		want          posture.Result
	}{
		{"content-security-policy", "script-src 'self' 'unsafe-inline'", posture.Fail},
		{"content-security-policy", "Default-Src *; report-uri /r", posture.Fail}, {"content-security-policy", "script-src https:",
			posture.Fail},
		{"content-security-policy", "default-src 'self'; frame-ancestors *", posture.Fail},
		{"content-security-policy", "script-src 'self'; script-src *", posture.Pass},
		{"content-security-policy", "script-src 'self'; script-src-elem *", posture.Fail},
		{"content-security-policy", "script-src-elem 'self'", posture.Pass},
		{"content-security-policy", "script-src 'unsafe-inline' 'nonce-abc'", posture.Pass},
		{"content-security-policy", "script-src 'strict-dynamic' 'nonce-abc' https:", posture.Pass},
		{"content-security-policy", "default-src 'self'; style-src 'unsafe-inline'; img-src *", posture.Pass},
		{"content-security-policy", "default-src *, script-src 'none'", posture.Pass},
		{"content-security-policy", "frame-ancestors 'self'", posture.Pass}, {"content-security-policy", ";,;", posture.Pass},
		{"x-frame-options", "ALLOWALL", posture.Fail}, {"x-frame-options", "ALLOW-FROM https://a.example", posture.Fail},
		{"x-frame-options", " sameorigin ", posture.Pass}, {"x-content-type-options", "sniff", posture.Fail},
		{"x-content-type-options", "NoSniff", posture.Pass}, {"referrer-policy", "unsafe-url", posture.Fail},
		{"referrer-policy", "no-referrer, unsafe-url", posture.Fail}, {"referrer-policy", "unsafe-url, strict-origin", posture.Pass},
		{"referrer-policy", "strict-origin-when-cross-origin", posture.Pass}, {"strict-transport-security", "max-age=0", posture.Fail},
		{"strict-transport-security", "includeSubDomains", posture.Fail}, {"strict-transport-security", "Max-Age=31536000", posture.Pass},
	} {
		out = append(out, goodtest.Example{Name: e.header + ": " + e.value, Want: e.want, Edit: set(e.header, e.value)})
	}
	return out
}

// securityHeaders are the headers without which, or with a weak value of which, pages lose
// protection.
func securityHeaders() []string {
	return []string{"content-security-policy", "strict-transport-security", "x-frame-options", "x-content-type-options", "referrer-policy"}
}

// judgeHeaders judges what a rule does to the security headers of responses, unless a later rule
// corrects it.
func judgeHeaders(v *check.View, j *check.Judgement, rules []snapshot.Rule, at int, left check.Remainder) {
	r, later := rules[at], rules[at+1:]
	res := resource(v, r)
	header, what, unknown, lasts := "", "", "", truth.No
	var harmful []string
	for _, name := range securityHeaders() {
		harms, computed := harm(name, r.Params.Headers[name])
		if harms == "" && !computed || name == "referrer-policy" && r.Params.Headers[name].Operation == "remove" { // browsers have a good default
			continue
		}
		switch some := left(r.Expression, mends(later, name)); {
		case some == truth.No:
		case harms != "":
			harmful = append(harmful, `"`+name+`"`)
			if what == "" || lasts != truth.Yes && some == truth.Yes {
				header, what, lasts = name, harms, some
			}
		case computed:
			unknown = name
		}
	}
	seen := check.Evidence(snapshot.ZonePhaseResponse, "/rules/"+r.ID+"/action_parameters/headers/"+header, fmt.Sprintf(what, "answers"),
		"no rule that weakens it")
	words := posture.Words{Problem: "Response rule {name} of {zone} weakens " + header, Impact: withoutHeader(header),
		Call: withoutHeaders(harmful)}
	switch {
	case what == "" && unknown == "":
		j.Pass()
	case what == "":
		j.Unclear(res, "the rule computes the value of "+unknown)
	case lasts == truth.Yes && (check.Reaches(v, v.Zone(), r.Expression).All == truth.Yes || apart(v, rules, header)):
		j.Fail(res, "The rule "+res.Name+" "+fmt.Sprintf(what, "all answers of "+v.Zone().Name)+".", seen)
		j.As(words)
	case lasts == truth.Yes:
		j.Warn(res, "The rule "+res.Name+" "+fmt.Sprintf(what, "some answers of "+v.Zone().Name)+".", seen)
		j.As(words)
	default:
		j.Unclear(res, "the rule "+fmt.Sprintf(what, "answers")+", and whether that holds for a request to the zone is not known")
	}
}

// withoutHeader describes what an attacker can do when a header is ineffective.
func withoutHeader(name string) string {
	switch name {
	case "content-security-policy":
		return "A script that someone gets into a page runs there, and reads what the visitor sees and types."
	case "strict-transport-security":
		return "Someone on the same network can keep visits on plain HTTP, read them and take session cookies."
	case "x-content-type-options":
		return "A file that someone uploads can run as a script, because browsers guess its type."
	case "referrer-policy":
		return "Other sites learn the full address that a visitor comes from, with any token in the address."
	}
	return "Anyone can show these pages in an invisible frame on another site and get a signed-in visitor to click in them."
}

// withoutHeaders returns the call that removes headers, given as jq strings, from a rule, or the
// whole rule if it changes no other header.
func withoutHeaders(names []string) posture.Call {
	const at = "/zones/{zone_id}/rulesets/phases/http_response_headers_transform/entrypoint"
	return posture.Call{Method: "PUT", Path: at, From: at,
		Body: `{rules: (.result.rules | map(if .id == "{id}" then (.action_parameters.headers |= with_entries(select(.key | ascii_downcase | ` +
			`IN(` + strings.Join(names, ", ") + `) | not)) | select(.action_parameters.headers != {})) else . end))}`}
}

// apart reports whether rules that weaken a header of a part of all answers each do so of all of them together.
func apart(v *check.View, rules []snapshot.Rule, header string) bool {
	var weak []string
	for i, r := range rules {
		if what, _ := harm(header, r.Params.Headers[header]); r.Enabled && what != "" {
			weak = append(weak, traffic.Except(r.Expression, mends(rules[i+1:], header)))
		}
	}
	return check.Together(v, v.Zone(), weak) != nil
}
