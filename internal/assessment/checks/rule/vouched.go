package rule

import (
	"cmp"
	"maps"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// vouched finds headers by which a rule vouches for some visitors, but which other visitors can
// send themselves.
func vouched() check.Check {
	return check.Check{
		ID: "CFL-TXRULE-004", Title: "Headers that vouch for a visitor cannot come from the visitor",
		Category: "rules", Severity: posture.High, Resource: posture.ResourceRule, Scope: check.PerZone,
		Why: "Cloudflare passes on every header that a visitor sends unless a rule sets or removes it. A header that a rule sets for some " +
			"visitors only, such as those with a valid certificate, reaches the origin from all others as they wrote it.",
		Fix: "Add a rule before this one that removes the header from every request; the rule then sets the header where it applies.",
		Words: posture.Words{
			Problem: "Visitors of {zone} can send a header that {name} vouches with",
			Impact: "Anyone can send the header themselves; an origin that reads it takes the sender for one whom Cloudflare has " +
				"checked.",
			Breaks: "Nothing for visitors whom the rule vouches for; senders that set the header themselves are no longer " +
				"believed.",
			Dashboard: "Rules › Overview › Create rule › Request Header Transform Rule: all incoming requests, Remove, the name of the header; " +
				"place it first.",
			Terraform: firstRemoved("X-Client-Verified")},
		References: []string{"https://developers.cloudflare.com/rules/transform/request-header-modification/",
			"https://developers.cloudflare.com/fundamentals/reference/http-headers/"},
		Controls: check.Controls{
			check.Supports("cis 16.11", "The mark of a check cannot be made up by a visitor."),
			check.Supports("soc2 CC6.1", "Only those who passed the check are let in."),
			check.Supports("pci 6.2.4", "Access control is not bypassed by a forged header."),
			check.Supports("nist PR.AA-04", "What tells on that somebody was checked is protected from forgery."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseRequest},
		Optional: traffic.RequestHeader("").Needs,
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, r := range check.Read(v, snapshot.ZonePhaseRequest).Rules {
				if r.Enabled {
					judgeVouching(v, j, r)
				}
			}
			return j.Done("Headers that vouch for visitors are set or removed on every request.",
				"no enabled request header rule vouches for visitors")
		},
	}
}

func vouchedExamples() []goodtest.Example {
	const cert = "cf.tls_client_auth.cert_verified"
	mark := func(expression string) snapshot.Rule { return fixedValue(expression, "x-client-verified", true) }
	first := func(expression string) snapshot.Rule { return removing(expression, "x-client-verified") }
	return []goodtest.Example{
		{Name: "removed from all before", Want: posture.Pass, Resource: goodtest.Zone, Edit: requestRules(first("true"), mark(cert))},
		{Name: "removed from the others", Want: posture.Pass, Edit: requestRules(mark(cert), first("not "+cert))},
		{Name: "removed from the others on its path", Want: posture.Pass, Edit: requestRules(
			mark(`http.request.uri.path eq "/in" and `+cert), first(`http.request.uri.path eq "/in" and not `+cert))},
		{Name: "set on every request of its path", Want: posture.Pass, Edit: requestRules(mark(`starts_with(http.request.uri.path, "/in")`))},
		{Name: "set on every request of its host", Want: posture.Pass, Edit: requestRules(mark(`http.host eq "shop.example"`))},
		{Name: "set from a field on every request", Want: posture.Pass, Edit: requestRules(computing("true", "x-client-cert", cert))},
		{Name: "a value that is hard to guess", Want: posture.NotApplicable, Edit: requestRules(fixedValue(cert, "x-internal", false))},
		{Name: "a header that claims nothing", Want: posture.NotApplicable, Edit: requestRules(fixedValue(cert, "x-variant", true))},
		{Name: "for those with a certificate", Want: posture.Fail, Severity: posture.High, Resource: "q1", Edit: requestRules(mark(cert))},
		{Name: "for some addresses", Want: posture.Fail, Edit: requestRules(fixedValue("ip.src in {45.60.10.0/24}", "X-Internal", true))},
		{Name: "the subject, for those with a certificate", Want: posture.Fail,
			Edit: requestRules(computing(cert, "x-client-cert-subject", "cf.tls_client_auth.cert_subject_dn"))},
		{Name: "for those with a certificate, on one path", Want: posture.Fail,
			Edit: requestRules(mark(`http.request.uri.path eq "/in" and ` + cert))},
		{Name: "removed from the others on another path", Want: posture.Fail, Edit: requestRules(mark(cert),
			first(`http.request.uri.path eq "/in" and not `+cert))},
		{Name: "removed after it from all", Want: posture.Pass, Edit: requestRules(mark(cert), first("ssl or not ssl"))},
		{Name: "removed by a rule that is off", Want: posture.Fail, Edit: requestRules(goodtest.Off(first("true")), mark(cert))},
		{Name: "an address, for some countries", Want: posture.Fail, Severity: posture.Medium,
			Edit: requestRules(computing(`ip.src.country eq "DE"`, "x-visitor-ip", "ip.src"))},
		{Name: "for hosts of another zone", Want: posture.Pass, Edit: requestRules(mark(`http.host eq "other.test" and ` + cert))},
		{Name: "a copy of what the visitor writes, which CFL-TXRULE-003 judges", Want: posture.NotApplicable,
			Edit: requestRules(computing(cert, "x-user", "http.request.headers[x-name]"))},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: "q1", Edit: requestRules(mark("odd("))},
		{Name: "hosts that are not readable", Want: posture.Unknown, Resource: "q1",
			Edit: goodtest.Edits(requestRules(mark(cert)), goodtest.Denied(snapshot.ZoneLoadBalancers))},
		{Name: "the rules are not readable", Want: posture.Unknown, Resource: goodtest.Zone, Edit: goodtest.Denied(snapshot.ZonePhaseRequest)},
		{Name: "the rule is off", Want: posture.NotApplicable, Edit: requestRules(goodtest.Off(mark(cert)))},
		{Name: "no rule", Want: posture.NotApplicable, Edit: requestRules()},
	}
}

// firstRemoved is the Terraform of a rule that removes a header from every request.
func firstRemoved(header string) string {
	return removedHeaders("this one stands before the others", "Remove "+header+" from visitors", []string{`"` + header + `"`})
}

// judgeVouching judges the headers by which one rule vouches for some visitors.
func judgeVouching(v *check.View, j *check.Judgement, r snapshot.Rule) {
	res := resource(v, r)
	var doubt *traffic.Doubt
	vouches, header, kind := false, "", noClaim
	for _, name := range slices.Sorted(maps.Keys(r.Params.Headers)) {
		c, op := claimOf(name), r.Params.Headers[name]
		what, known := forged(v, op)
		if c == noClaim || op.Operation == "remove" || what != "" || !known || !op.Dynamic && !op.Plain {
			continue
		}
		vouches = true
		set, bare := false, false
		var unsure *traffic.Doubt
		for _, l := range sentLanes(v, name, r) {
			switch {
			case l.Value.Doubt != nil:
				unsure = l.Value.Doubt
			case l.Value.By.Rule == r.ID:
				set = true
			case l.Value.By.Rule == "":
				bare = true
			}
		}
		if set && bare && c > kind {
			header, kind = name, c
		} else if !set || !bare {
			doubt = cmp.Or(doubt, unsure)
		}
	}
	switch {
	case !vouches:
	case header == "" && doubt != nil:
		j.Doubtful(res, *doubt)
	case header == "":
		j.Pass()
	default:
		j.Fail(res, "The rule "+res.Name+" sets the request header "+header+
			" on some requests; on the others the origin gets what the visitor sent.",
			check.Evidence(snapshot.ZonePhaseRequest, "/rules/"+r.ID+"/action_parameters/headers/"+header,
				"set on some requests, kept on the others", "set or removed on every request"))
		words := posture.Words{Call: posture.Call{Method: "PUT", Path: requestPhase, From: requestPhase,
			Body: `{rules: ([{action: "rewrite", expression: "true", description: "Remove ` + header + ` from visitors", action_parameters: ` +
				`{headers: {"` + header + `": {operation: "remove"}}}}] + .result.rules)}`}, Terraform: firstRemoved(header)}
		if kind == address {
			words.Impact = "Anyone whom the rule leaves out can send any address; an origin that reads the header lets an allowed one in and logs " +
				"it."
		}
		if j.As(words); kind == address {
			j.Rated(posture.Medium)
		}
	}
}
