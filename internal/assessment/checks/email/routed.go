package email

import (
	"cmp"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const docsAddresses = "https://developers.cloudflare.com/email-routing/setup/email-routing-addresses/"

// notRouted returns the outcome for a zone whose mail Email Routing does not take, or nil.
func notRouted(v *check.View) *check.Outcome {
	out, routing := v.NotApplicable(notServed(v)), check.Read(v, snapshot.ZoneEmailRouting)
	switch {
	case notServed(v) != "":
	case v.StatusOf(snapshot.ZoneEmailRouting) != snapshot.OK || routing.Enabled != nil && !*routing.Enabled:
		out = v.NotApplicable("Email Routing is not enabled on the zone")
	case routing.Enabled == nil:
		out = v.Unknown("Cloudflare did not say whether Email Routing is enabled")
	default:
		return nil
	}
	return &out
}

// routed calls judge for each enabled routing rule. Otherwise it returns the outcome: the zone
// routes no mail, or Cloudflare did not say whether it does.
func routed(v *check.View, pass string, judge func(*check.Judgement, posture.Resource, snapshot.MailRule)) check.Outcome {
	if out := notRouted(v); out != nil {
		return *out
	}
	j := v.Judge()
	for _, r := range check.Read(v, snapshot.ZoneEmailRules) {
		name := cmp.Or(r.To, r.ID)
		if r.CatchAll() {
			name = "any other address"
		}
		res := v.InZone(posture.ResourceRule, r.ID, name)
		switch {
		case r.Enabled == nil:
			j.Unclear(res, "Cloudflare did not say whether the routing rule is on")
		case *r.Enabled:
			judge(j, res, r)
		}
	}
	return j.Done(pass, "the zone has no routing rule of this kind")
}

// foreignMail lists the domains outside the organisation to which a rule forwards, and whether any
// was not returned.
func foreignMail(v *check.View, r snapshot.MailRule) (out []string, odd bool) {
	for _, a := range r.Actions {
		switch a.Type {
		case "forward":
			odd = odd || len(a.Domains) == 0
			for _, d := range a.Domains {
				if d == "" {
					odd = true
				} else if !ownMail(v, d) {
					out = append(out, d)
				}
			}
		case "drop", "worker":
		default:
			odd = true
		}
	}
	return out, odd
}

func seenForward(r snapshot.MailRule, domains []string) posture.Evidence {
	return check.Evidence(snapshot.ZoneEmailRules, "/"+r.ID+"/actions", "forward to "+strings.Join(domains, ", "),
		"a mailbox of the organisation")
}

// forwarded judges where mail for individual addresses goes. Addresses that prove control of the
// domain are judged by CFL-EMAIL-013, the catch-all address by CFL-EMAIL-007.
func forwarded() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-012", Title: "Mail to single addresses stays inside",
		Category: "email", Severity: posture.Low, Resource: posture.ResourceRule, Scope: check.PerZone,
		Why: "A routing rule that forwards outside moves every message for that address, with its attachments and sign-in links, into " +
			"a mailbox that the organisation cannot search, lock or close.",
		Fix: "Forward the address to a mailbox of the organisation, or list the outside domain as your own in the policy.",
		Words: posture.Words{
			Problem:   "Mail to {name} is forwarded outside",
			Impact:    "Whoever reads the outside mailbox gets invoices, contracts and password resets that are sent to the address.",
			Breaks:    "The person who reads the outside mailbox gets no more mail for this address.",
			Dashboard: "Email › Email Routing › Routing rules › {name} › Edit › Destination: a mailbox of the organisation.",
		},
		References: []string{docsAddresses},
		Controls: check.Controls{
			check.Supports("cis 3.3", "Mail is read only where the organisation decides about it."),
			check.Supports("soc2 CC6.7", "Mail is not moved outside the organisation unseen."),
			check.Touches("nist PR.DS-02", "It is about where mail goes, not about protecting it on the wire."),
		},
		Needs: []snapshot.Named{snapshot.ZoneEmailRouting, snapshot.ZoneEmailRules, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			return routed(v, "Routing rules keep mail inside.", func(j *check.Judgement, res posture.Resource, r snapshot.MailRule) {
				domains, odd := foreignMail(v, r)
				switch {
				case r.Control != "" || r.CatchAll():
				case len(domains) > 0:
					j.Fail(res, "Mail to "+res.Name+" is forwarded to "+strings.Join(domains, ", ")+", which is no domain of yours.",
						seenForward(r, domains))
				case odd:
					j.Unclear(res, "the routing rule has an action or a destination that this check does not know")
				default:
					j.Pass()
				}
			})
		},
	}
}

// mailRule returns an enabled example rule.
func mailRule(to string, actions ...snapshot.MailForward) snapshot.MailRule {
	on := true
	r := snapshot.MailRule{ID: "mr1", To: to, Enabled: &on, Actions: actions}
	if !strings.Contains(to, "•") {
		r.Control = to
	}
	return r
}

func mailRules(all ...snapshot.MailRule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZoneEmailRules, goodtest.Zone, all) }
}

func forwardTo(domains ...string) snapshot.MailForward {
	return snapshot.MailForward{Type: "forward", Domains: domains, Keys: []string{"k1"}}
}

// routingOff returns the examples common to all checks of routing rules; bad is a rule that the
// check finds.
func routingOff(bad snapshot.MailRule) []goodtest.Example {
	off, unreported := bad, bad
	no := false
	off.Enabled, unreported.Enabled = &no, nil
	routing := func(enabled *bool) func(*snapshot.Builder) {
		return goodtest.Edits(mailRules(bad), func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneEmailRouting, goodtest.Zone, snapshot.EmailRouting{Enabled: enabled})
		})
	}
	return []goodtest.Example{
		{Name: "the rule is off", Want: posture.NotApplicable, Edit: mailRules(off)},
		{Name: "whether the rule is on is not told", Want: posture.Unknown, Resource: "mr1", Edit: mailRules(unreported)},
		{Name: "routing is off", Want: posture.NotApplicable, Edit: routing(&no)},
		{Name: "whether routing is on is not told", Want: posture.Unknown, Edit: routing(nil)},
		{Name: "no rule", Want: posture.NotApplicable, Edit: mailRules()},
		{Name: "no mail comes here", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.ZoneEmailRouting.Source(), snapshot.Skipped, "", "no MX record of the zone points to Email Routing")
			b.Mark(snapshot.ZoneEmailRules.Source(), snapshot.Skipped, "", "Email Routing is not in use")
		}},
	}
}

func forwardedExamples() []goodtest.Example {
	const to = "s•••@shop.example"
	return append(routingOff(mailRule(to, forwardTo("free-mailbox.test"))), []goodtest.Example{
		{Name: "inside", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "outside", Want: posture.Fail, Resource: "mr1", Edit: mailRules(mailRule(to, forwardTo("free-mailbox.test")))},
		{Name: "the catch-all address, which the list repeats", Want: posture.NotApplicable, Edit: mailRules(snapshot.MailRule{ID: "mr0",
			Matcher: "all", Enabled: mailRule(to).Enabled, Actions: []snapshot.MailForward{forwardTo("free-mailbox.test")}})},
		{Name: "outside, in a zone that moved away", Want: posture.NotApplicable, Edit: goodtest.Edits(
			mailRules(mailRule(to, forwardTo("free-mailbox.test"))), goodtest.Status("moved"))},
		{Name: "one of two is outside", Want: posture.Fail, Edit: mailRules(mailRule(to, forwardTo(goodtest.Domain, "free-mailbox.test")))},
		{Name: "a subdomain of ours", Want: posture.Pass, Edit: mailRules(mailRule(to, forwardTo("corp."+goodtest.Domain)))},
		{Name: "a domain that only looks like ours", Want: posture.Fail, Edit: mailRules(mailRule(to, forwardTo("my"+goodtest.Domain)))},
		{Name: "an address without a domain", Want: posture.Unknown, Edit: mailRules(mailRule(to, forwardTo("")))},
		{Name: "an action nobody knows", Want: posture.Unknown, Edit: mailRules(mailRule(to, snapshot.MailForward{Type: "archive"}))},
		{Name: "a Worker", Want: posture.Pass, Edit: mailRules(mailRule(to, snapshot.MailForward{Type: "worker"}))},
		{Name: "an address that proves control is judged elsewhere", Want: posture.NotApplicable,
			Edit: mailRules(mailRule("postmaster@shop.example", forwardTo("free-mailbox.test")))},
	}...)
}
