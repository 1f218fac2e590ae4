package rule

import (
	"cmp"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// addedHeaders judges whether responses have the basic security headers. A content security policy
// counts as a frame policy unless its value is known and says nothing about frames.
func addedHeaders() check.Check {
	return check.Check{
		ID: "CFL-TXRULE-002", Title: "Standard security headers are added",
		Category: "rules", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "X-Content-Type-Options: nosniff keeps browsers from guessing types and running an upload as a script. " +
			"X-Frame-Options or frame-ancestors keeps other sites from framing pages.",
		Fix: "Turn on the managed transform Add security headers, or set the headers in a response header rule.",
		Words: posture.Words{
			Problem: "Answers of {zone} lack standard security headers",
			Impact:  "Anyone can show a page in an invisible frame on another site and get a signed-in visitor to click in it.",
			Breaks: "Partners that show pages of the site in a frame see an error, and other sites no longer receive the Referer " +
				"header.",
			Dashboard: "Rules › Settings › Managed Transforms › Add security headers: On.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/managed_headers",
				Body: `{"managed_response_headers": [{"id": "add_security_headers", "enabled": true}]}`},
			Terraform: `resource "cloudflare_managed_transforms" "zone" {
  zone_id                 = "{zone_id}"
  managed_request_headers = []
  managed_response_headers = [{
    id      = "add_security_headers"
    enabled = true
  }]
}`},
		References: []string{"https://developers.cloudflare.com/rules/transform/managed-transforms/",
			"https://developers.cloudflare.com/rules/transform/"},
		Controls: check.Controls{
			check.Supports("cis 16.11", "Protections that browsers offer are used."),
			check.Supports("soc2 CC6.8", "Browsers refuse some kinds of foreign code and framing."),
			check.Supports("pci 6.2.4", "Headers stop framing and type confusion, two common attacks."),
			check.Supports("nist PR.PS-01", "Headers are part of the baseline of a site."),
		},
		Aliases: []string{"union:security-headers-via-transform"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/managed_headers", Risk: "medium", Reversible: true,
			Body:    `{"managed_response_headers": [{"id": "add_security_headers", "enabled": true}]}`,
			Inverse: "PATCH the same id with enabled false",
			Caution: "Partners can no longer show your pages in a frame. Every response carries the security headers.",
			Propose: proposeHeaders},
		Needs:    []snapshot.Named{snapshot.ZoneList, snapshot.ZoneDNSRecords, snapshot.ZoneManagedHeaders},
		Optional: traffic.Header("x-frame-options").Needs,
		Evaluate: evaluateAddedHeaders,
	}
}

func addedHeadersExamples() []goodtest.Example {
	phase := snapshot.ZonePhaseResponse
	set := func(names ...string) func(*snapshot.Builder) {
		headers := map[string]snapshot.HeaderOp{}
		for _, n := range names {
			headers[n] = snapshot.HeaderOp{Operation: "set"}
		}
		return rules(phase, snapshot.Rule{ID: "t1", Enabled: true, Action: "rewrite", Expression: "true",
			Params: snapshot.RuleParams{Headers: headers}})
	}
	setter := func(id, expression, operation string) snapshot.Rule {
		op := snapshot.HeaderOp{Operation: operation}
		return snapshot.Rule{ID: id, Enabled: true, Action: "rewrite", Expression: expression, Params: snapshot.RuleParams{
			Headers: map[string]snapshot.HeaderOp{"x-content-type-options": op, "x-frame-options": op}}}
	}
	framing := func(id, expression, header string, op snapshot.HeaderOp) snapshot.Rule {
		return snapshot.Rule{ID: id, Enabled: true, Action: "rewrite", Expression: expression, Params: snapshot.RuleParams{
			Headers: map[string]snapshot.HeaderOp{header: op}}}
	}
	policing := func(expression, policy string) snapshot.Rule {
		return framing("t1", expression, "content-security-policy", snapshot.HeaderOp{Operation: "set", Value: policy})
	}
	removing := func(expression string) snapshot.Rule {
		return framing("t2", expression, "x-frame-options", snapshot.HeaderOp{Operation: "remove"})
	}
	valued := func(text, sniff, frame string) func(*snapshot.Builder) {
		return rules(phase, snapshot.Rule{ID: "t1", Enabled: true, Action: "rewrite", Expression: text,
			Params: snapshot.RuleParams{Headers: map[string]snapshot.HeaderOp{"x-content-type-options": {Operation: "set", Value: sniff},
				"x-frame-options": {Operation: "set", Value: frame}}}})
	}
	unmanaged := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZoneManagedHeaders, goodtest.Zone,
			snapshot.ManagedHeaders{Response: map[string]bool{"add_security_headers": false}})
	}
	denied := func(b *snapshot.Builder) { b.Mark(phase.Source(), snapshot.Denied, "Transform Rules Read", "") }
	return []goodtest.Example{
		{Name: "the managed headers", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "the managed headers, rules not readable", Want: posture.Unknown, Edit: denied},
		{Name: "the managed headers, removed by a rule", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: rules(phase, setter("t1", "true", "remove"))},
		{Name: "the managed headers, removed on a path", Want: posture.Warning, Edit: rules(phase,
			setter("t1", `http.request.uri.path eq "/embed"`, "remove"))},
		{Name: "the managed headers, one set to a value that protects nobody", Want: posture.Warning,
			Edit: valued("true", "nosniff", "ALLOWALL")},
		{Name: "the managed headers, set again to values that protect", Want: posture.Pass, Edit: valued("true", "nosniff", "DENY")},
		{Name: "the managed headers, removed, and a policy says who may frame", Want: posture.Pass, Edit: rules(phase,
			policing(`http.request.uri.path eq "/embed"`, "frame-ancestors 'self'"), removing(`http.request.uri.path eq "/embed"`))},
		{Name: "the managed headers, removed, and a policy lets every site frame", Want: posture.Warning, Edit: rules(phase,
			policing("true", "frame-ancestors *"), removing("true"))},
		{Name: "the managed headers, removed, and a policy for a part of it", Want: posture.Warning, Edit: rules(phase,
			policing(`http.request.uri.path eq "/embed"`, "frame-ancestors 'self'"), removing("true"))},
		{Name: "the managed headers, removed for a host of another zone", Want: posture.Pass, Edit: rules(phase,
			setter("t1", `http.host eq "other.example"`, "remove"))},
		{Name: "nothing", Want: posture.Fail, Resource: goodtest.Zone, Edit: unmanaged},
		{Name: "both by a rule", Want: posture.Pass, Edit: goodtest.Edits(unmanaged, set("x-content-type-options", "x-frame-options"))},
		{Name: "a content security policy and nosniff", Want: posture.Pass,
			Edit: goodtest.Edits(unmanaged, set("x-content-type-options", "content-security-policy"))},
		{Name: "only one", Want: posture.Warning, Resource: goodtest.Zone, Edit: goodtest.Edits(unmanaged, set("x-frame-options"))},
		{Name: "both, with values that protect", Want: posture.Pass, Edit: goodtest.Edits(unmanaged, valued("true", "nosniff", "DENY"))},
		{Name: "both, one with a value that protects nobody", Want: posture.Warning,
			Edit: goodtest.Edits(unmanaged, valued("true", "nosniff", "ALLOWALL"))},
		{Name: "both, with values that protect nobody", Want: posture.Fail,
			Edit: goodtest.Edits(unmanaged, valued("true", "sniff", "ALLOWALL"))},
		{Name: "both on a path", Want: posture.Warning, Edit: goodtest.Edits(unmanaged,
			valued(`http.request.uri.path eq "/x"`, "nosniff", "DENY"))},
		{Name: "both by a rule nobody can read", Want: posture.Unknown, Edit: goodtest.Edits(unmanaged, valued("odd(", "nosniff", "DENY"))},
		{Name: "both for another zone", Want: posture.Fail,
			Edit: goodtest.Edits(unmanaged, valued(`http.host eq "other.test"`, "nosniff", "DENY"))},
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Edits(unmanaged, denied)},
		{Name: "both by a rule for one path", Want: posture.Warning,
			Edit: goodtest.Edits(unmanaged, rules(phase, setter("t1", `http.request.uri.path eq "/login"`, "set")))},
		{Name: "both by a rule for a host of another zone", Want: posture.Fail,
			Edit: goodtest.Edits(unmanaged, rules(phase, setter("t1", `http.host eq "other.example"`, "set")))},
		{Name: "both by a rule, removed by a later one", Want: posture.Fail,
			Edit: goodtest.Edits(unmanaged, rules(phase, setter("t1", "true", "set"), setter("t2", "ssl or not ssl", "remove")))},
		{Name: "removed by a rule, set by a later one", Want: posture.Pass,
			Edit: goodtest.Edits(unmanaged, rules(phase, setter("t1", "true", "remove"), setter("t2", "ssl or not ssl", "set")))},
		{Name: "both by a rule that is off", Want: posture.Fail,
			Edit: goodtest.Edits(unmanaged, rules(phase, goodtest.Off(setter("t1", "true", "set"))))},
		{Name: "no proxied record", Want: posture.NotApplicable,
			Edit: goodtest.Edits(unmanaged, goodtest.NotProxied())},
	}
}

func evaluateAddedHeaders(v *check.View) check.Outcome {
	if check.Read(v, snapshot.ZoneManagedHeaders).Response["add_security_headers"] {
		return managedHeaders(v)
	}
	sets := func(name string) traffic.Coverage {
		return traffic.Cover(check.Lanes(v, traffic.Header(name), v.Zone()), func(op traffic.Value[snapshot.HeaderOp]) truth.Value {
			if _, computed := harm(name, op.Is); computed && op.Doubt == nil {
				return truth.Undecided
			}
			return op.Holds(func(op snapshot.HeaderOp) bool { return protects(name, op) })
		})
	}
	nosniff, frames, policy := sets("x-content-type-options"), sets("x-frame-options"), sets("content-security-policy")
	both := truth.And(nosniff.All, truth.Or(frames.All, policy.All))
	one := truth.Or(nosniff.Some, truth.Or(frames.Some, policy.Some))
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZoneManagedHeaders, "/managed_response_headers/add_security_headers", observed,
			"enabled, or rules that set x-content-type-options and a frame policy")
	}
	switch {
	case both == truth.Yes:
		return v.Pass("Rules set the security headers.")
	case both == truth.Undecided || one == truth.Undecided:
		return v.Unknown("the managed headers are off; whether rules set them is not known")
	case one == truth.Yes:
		missing, header := "X-Content-Type-Options: nosniff", "x-content-type-options"
		if nosniff.All == truth.Yes {
			missing, header = "a frame policy (X-Frame-Options or frame-ancestors)", "x-frame-options"
		}
		return v.Warn("Answers of "+v.Zone().Name+" carry some security headers, but not every answer has "+missing+".",
			seen("off, and rules set one of the two headers, or set them on some answers")).
			As(posture.Words{Problem: "Answers of {zone} carry only some security headers", Impact: withoutHeader(header)})
	}
	return v.Fail("Answers of "+v.Zone().Name+" have neither X-Content-Type-Options: nosniff nor a frame policy.",
		seen("off, and no rule sets either header"))
}

// managedHeaders judges the headers that the managed transform adds. Response header rules run
// after it and may remove or weaken a header
// (developers.cloudflare.com/ruleset-engine/reference/phases-list/).
func managedHeaders(v *check.View) check.Outcome {
	var doubt *traffic.Doubt
	for _, name := range []string{"x-content-type-options", "x-frame-options"} {
		for _, l := range check.Lanes(v, traffic.Header(name), v.Zone()) {
			by, gone := l.Value.By, l.Value.By.Rule != "" && l.Value.Doubt == nil && l.Value.Is == snapshot.HeaderOp{}
			if what, _ := harm(name, l.Value.Is); l.Value.Doubt != nil || what == "" && !gone {
				doubt = cmp.Or(doubt, l.Value.Doubt)
				continue
			}
			if name == "x-frame-options" {
				if protected, unsure := framed(v, by); protected || unsure != nil {
					doubt = cmp.Or(doubt, unsure)
					continue
				}
			}
			return v.Warn("The managed security headers are added, and "+check.ByRule(by)+" removes "+name+" or gives it another value.",
				check.Evidence(by.Source, by.Pointer, name+" removed or changed", "no rule that changes it")).
				As(check.ByRuleWords(by).Or(posture.Words{Problem: "A rule of {zone} takes a managed security header away",
					Impact: withoutHeader(name)}))
		}
	}
	if doubt != nil {
		return v.Doubtful(*doubt)
	}
	return v.Pass("The managed security headers are added.")
}

// framed reports whether rules set a content security policy that says who may frame on all answers from which a rule takes
// the header for that; browsers prefer the policy (CSP Level 3, section 6.4.2). The doubt is why that is not known.
func framed(v *check.View, by traffic.By) (bool, *traffic.Doubt) {
	rules, _ := check.ReadOptional(v, snapshot.ZonePhaseResponse)
	i := slices.IndexFunc(rules.Rules, func(r snapshot.Rule) bool { return r.ID == by.Rule })
	if i < 0 {
		return false, nil
	}
	const policy = "content-security-policy"
	lanes := check.Lanes(v, traffic.Header(policy).Of("", rules.Rules[i].Expression), v.Zone())
	says := func(op snapshot.HeaderOp) bool { return op.Value != "" && protects(policy, op) }
	if len(check.LanesWith(lanes, func(op snapshot.HeaderOp) bool { return !says(op) })) > 0 {
		return false, nil
	}
	doubt := check.DoubtOf(lanes, says)
	return doubt == nil, doubt
}

// proposeHeaders enables the managed transform, unless another one contradicts it.
func proposeHeaders(c *propose.Case) ([]change.Edit, error) {
	const id, list = "add_security_headers", "managed_response_headers"
	place := change.Place{Path: c.Path("/zones/{zone_id}/managed_headers"), Within: list, Match: map[string]any{"id": id}}
	live, err := c.Locate(place)
	switch {
	case err != nil:
		return nil, err
	case live == nil:
		return nil, propose.Refuse("Cloudflare does not offer the managed transform %s to this zone.", id)
	case propose.Flag(live, "enabled"):
		if source, rule := c.Cause(); source != "" && source != snapshot.ZoneManagedHeaders.Source() {
			return nil, propose.Refuse("The managed security headers are added, and the rule that the finding names (id %s) takes one away; change "+
				"or delete that rule.", rule)
		}
		return nil, nil
	case propose.Flag(live, "has_conflict"):
		return nil, propose.Refuse("The managed transform %s conflicts with another one that is on; choose between them by hand.", id)
	}
	send := func(on bool) *change.Call {
		return &change.Call{Method: "PATCH", Path: place.Path,
			Body: change.Encode(map[string]any{list: []any{map[string]any{"id": id, "enabled": on}}})}
	}
	return []change.Edit{{Place: place, Before: change.Encode(map[string]any{"enabled": false}),
		After: change.Encode(map[string]any{"enabled": true}), Do: *send(true), Undo: send(false)}}, nil
}
