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

// claimed finds rules that pass visitor-controlled input to the origin as a fact. The rule sets the
// header, so the origin presumably reads it. Headers that Cloudflare itself sets for an address
// cannot be set by a rule.
func claimed() check.Check {
	return check.Check{
		ID: "CFL-TXRULE-003", Title: "Request rules set identities from what Cloudflare knows",
		Category: "rules", Severity: posture.High, Resource: posture.ResourceRule, Scope: check.PerZone,
		Why: "Visitors choose the headers, cookies, query and body that they send. A rule that copies one of them into a header " +
			"about who the visitor is passes a claim on as a fact.",
		Fix: "Compute the header from fields that Cloudflare fills in, such as ip.src, cf.tls_client_auth or the claims of a verified token, " +
			"or remove the header from the request.",
		Words: posture.Words{
			Problem: "Request rule {name} of {zone} trusts what visitors write",
			Impact: "Anyone can send a request with the name or role of somebody else; an origin that reads the header takes the sender for " +
				"that person.",
			Breaks:    "An origin that reads the header finds none until the rule computes it from a field of Cloudflare.",
			Dashboard: "Rules › Overview › {name} › Edit: under Modify request header choose Remove, or another expression.",
			Terraform: removedHeaders(instead, "{name}", []string{`"X-Authenticated-User"`})},
		References: []string{"https://developers.cloudflare.com/rules/transform/request-header-modification/",
			"https://developers.cloudflare.com/fundamentals/reference/http-headers/"},
		Controls: check.Controls{
			check.Supports("cis 16.11", "The origin is told nothing that a visitor made up."),
			check.Supports("soc2 CC6.1", "Who somebody is follows from a check and not from a claim."),
			check.Supports("pci 6.2.4", "Rules do not let access control be bypassed by a forged header."),
			check.Supports("nist PR.AA-04", "What tells an identity on is protected from forgery."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseRequest},
		Optional: traffic.RequestHeader("").Needs,
		Evaluate: func(v *check.View) check.Outcome {
			j := v.Judge()
			for _, r := range check.Read(v, snapshot.ZonePhaseRequest).Rules {
				if r.Enabled && len(r.Params.Headers) > 0 {
					judgeClaims(v, j, r)
				}
			}
			return j.Done("Request header rules take what they say about visitors from Cloudflare.",
				"the zone has no enabled request header rule")
		},
	}
}

func claimedExamples() []goodtest.Example {
	sets := func(header, reads string) func(*snapshot.Builder) {
		return requestRules(computing("true", header, reads))
	}
	on := func(expression string) func(*snapshot.Builder) {
		return requestRules(computing(expression, "x-user", "http.request.headers[x-name]"))
	}
	user := computing("true", "x-user", "http.request.headers[x-name]")
	return []goodtest.Example{
		{Name: "the address that connects", Want: posture.Pass, Resource: goodtest.Zone, Edit: sets("x-client-ip", "ip.src to_string")},
		{Name: "a claim of a verified token", Want: posture.Pass, Edit: sets("x-user", "http.request.jwt.claims.sub lookup_json_string")},
		{Name: "the subject of a certificate", Want: posture.Pass, Edit: sets("x-client-cert", "cf.tls_client_auth.cert_subject_dn")},
		{Name: "what a secret vouches for", Want: posture.Pass, Edit: sets("x-verified", "http.request.uri is_timed_hmac_valid_v0")},
		{Name: "the address header of Cloudflare", Want: posture.Pass, Edit: sets("x-client-ip", "http.request.headers[cf-connecting-ip]")},
		{Name: "a header about the request", Want: posture.Pass, Edit: sets("x-original-uri", "http.request.uri")},
		{Name: "a credential that the origin checks", Want: posture.Pass, Edit: sets("authorization", "concat http.request.cookies")},
		{Name: "a fixed value", Want: posture.Pass, Edit: requestRules(fixedValue("true", "x-user", true))},
		{Name: "a user from a header", Want: posture.Fail, Severity: posture.High, Resource: "q1", Edit: on("true")},
		{Name: "a user from any header", Want: posture.Fail, Edit: sets("x-user", "http.request.headers.values")},
		{Name: "a role from the query", Want: posture.Fail, Edit: sets("x-role", "http.request.uri.args")},
		{Name: "a role from the raw query", Want: posture.Fail, Edit: sets("x-role", "raw.http.request.uri.args")},
		{Name: "a user from a cookie, among others", Want: posture.Fail, Edit: sets("remote-user", "concat http.request.cookies ip.src")},
		{Name: "an address from X-Forwarded-For", Want: posture.Fail, Severity: posture.Medium,
			Edit: sets("x-client-ip", "http.request.headers[x-forwarded-for]")},
		{Name: "an address from the old field", Want: posture.Fail, Edit: sets("x-client-ip", "http.x_forwarded_for")},
		{Name: "True-Client-IP that a managed transform may write", Want: posture.Unknown, Resource: "q1",
			Edit: sets("x-client-ip", "http.request.headers[true-client-ip]")},
		{Name: "True-Client-IP on a plan without that transform", Want: posture.Fail,
			Edit: goodtest.Edits(goodtest.Plan("business"), sets("x-client-ip", "http.request.headers[true-client-ip]"))},
		{Name: "on one path", Want: posture.Fail, Edit: on(`starts_with(http.request.uri.path, "/api/")`)},
		{Name: "for hosts of another zone", Want: posture.Pass, Edit: on(`http.host eq "other.test"`)},
		{Name: "for one partner", Want: posture.Warning, Severity: posture.Low, Resource: "q1", Edit: on("ip.src in {45.60.10.9}")},
		{Name: "for a partner with a certificate", Want: posture.Warning,
			Edit: on(`http.host eq "shop.example" and cf.tls_client_auth.cert_verified`)},
		{Name: "for all but one address", Want: posture.Fail, Edit: on("not ip.src in {45.60.10.9}")},
		{Name: "for all but one address, in one comparison", Want: posture.Fail, Severity: posture.High, Edit: on("ip.src ne 45.60.10.9")},
		{Name: "for one partner or one path", Want: posture.Fail, Edit: on(`ip.src in {45.60.10.9} or http.request.uri.path eq "/a"`)},
		{Name: "removed again", Want: posture.Pass, Edit: requestRules(user, removing("ssl or not ssl", "x-user"))},
		{Name: "removed before", Want: posture.Fail, Edit: requestRules(removing("ssl or not ssl", "x-user"), user)},
		{Name: "removed again on one path", Want: posture.Fail, Edit: requestRules(user, removing(`http.request.uri.path eq "/a"`, "x-user"))},
		{Name: "what the value is made of was not kept", Want: posture.Unknown, Resource: "q1", Edit: sets("x-user", "")},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: "q1", Edit: on("odd(")},
		{Name: "hosts that are not readable", Want: posture.Unknown, Resource: "q1", Edit: goodtest.Edits(on("true"),
			func(b *snapshot.Builder) {
				b.Mark(snapshot.ZoneLoadBalancers.Source(), snapshot.Denied, "Load Balancers Read", "")
			})},
		{Name: "the rule is off", Want: posture.NotApplicable, Edit: requestRules(goodtest.Off(user))},
		{Name: "the zone is paused", Want: posture.Pass, Edit: goodtest.Edits(on("true"),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "no rule", Want: posture.NotApplicable, Edit: requestRules()},
	}
}

// computing returns an example rule that computes a header from its inputs.
func computing(expression, header, reads string) snapshot.Rule {
	return headerRule(expression, header, snapshot.HeaderOp{Operation: "set", Dynamic: true, Reads: reads})
}

// fixedValue returns an example rule that sets a header to a fixed value.
func fixedValue(expression, header string, plain bool) snapshot.Rule {
	return headerRule(expression, header, snapshot.HeaderOp{Operation: "set", Plain: plain})
}

// removing returns an example rule that removes a header.
func removing(expression, header string) snapshot.Rule {
	r := headerRule(expression, header, snapshot.HeaderOp{Operation: "remove"})
	r.ID = "q2"
	return r
}

func headerRule(expression, header string, op snapshot.HeaderOp) snapshot.Rule {
	return snapshot.Rule{ID: "q1", Enabled: true, Action: "rewrite", Expression: expression,
		Params: snapshot.RuleParams{Headers: map[string]snapshot.HeaderOp{header: op}}}
}

// requestRules is an example edit that sets the request header rules of the zone.
func requestRules(all ...snapshot.Rule) func(*snapshot.Builder) {
	return rules(snapshot.ZonePhaseRequest, all...)
}

// judgeClaims judges what one rule claims about visitors.
func judgeClaims(v *check.View, j *check.Judgement, r snapshot.Rule) {
	res := resource(v, r)
	var doubt *traffic.Doubt
	var names []string
	header, source, kind, unknown := "", "", noClaim, ""
	for _, name := range slices.Sorted(maps.Keys(r.Params.Headers)) {
		c, op := claimOf(name), r.Params.Headers[name]
		if c == noClaim || op.Operation == "remove" {
			continue
		}
		what, known := forged(v, op)
		if what == "" && known {
			continue
		}
		reaches := false
		for _, l := range sentLanes(v, name, r) {
			if l.Value.Doubt != nil {
				doubt = cmp.Or(doubt, l.Value.Doubt)
			} else if l.Value.By.Rule == r.ID {
				reaches = true
			}
		}
		switch {
		case !reaches:
		case what == "":
			unknown = name
		default:
			names = append(names, `"`+name+`"`)
			if c > kind {
				header, source, kind = name, what, c
			}
		}
	}
	switch {
	case header == "" && unknown != "":
		j.Unclear(res, "whether visitors write what the rule computes "+unknown+" from is not known")
	case header == "" && doubt != nil:
		j.Doubtful(res, *doubt)
	case header == "":
		j.Pass()
	default:
		said := "The rule " + res.Name + " sets the request header " + header + " from " + source + ", which the visitor writes."
		seen := check.Evidence(snapshot.ZonePhaseRequest, "/rules/"+r.ID+"/action_parameters/headers/"+header, "from "+source,
			"a field that Cloudflare fills in")
		words := posture.Words{Call: ignored(names), Terraform: removedHeaders(instead, "{name}", names)}
		if kind == address {
			words.Problem = "Request rule {name} of {zone} trusts an address that visitors write"
			words.Impact = "Anyone can send a request with the address of somebody else; an origin that reads the header lets an allowed address " +
				"in, limits the wrong one and logs it."
		}
		if picked(r.Expression) {
			j.Warn(res, said+" The rule is for some senders only.", seen)
			words.Impact = "A sender whom the rule picks can claim to be somebody else; an origin that reads the header believes it."
			j.As(words).Rated(posture.Low)
			return
		}
		j.Fail(res, said, seen)
		if j.As(words); kind == address {
			j.Rated(posture.Medium)
		}
	}
}
