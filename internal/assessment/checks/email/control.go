package email

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// control judges where mail goes that can prove control of the domain.
func control() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-013", Title: "Mail that proves control of the domain stays inside",
		Category: "email", Severity: posture.Medium, Resource: posture.ResourceRule, Scope: check.PerZone,
		Why: "Certificate authorities take an answer from admin@, administrator@, webmaster@, hostmaster@ or postmaster@ as proof of " +
			"control of a domain. Registries and hosting companies do the same.",
		Fix: "Forward these addresses to a mailbox that the people who run the domain share.",
		Words: posture.Words{
			Problem:   "Mail to {name} is forwarded outside",
			Impact:    "Whoever reads the outside mailbox can have certificates issued for {zone} and pass for its owner.",
			Breaks:    "The person who reads the outside mailbox gets no more mail for this address.",
			Dashboard: "Email › Email Routing › Routing rules › {name} › Edit › Destination: a mailbox of the organisation.",
		},
		References: []string{docsAddresses},
		Controls: check.Controls{
			check.Supports("cis 6.8", "Only people who run the domain can prove control of it."),
			check.Supports("soc2 CC6.1", "Proof of control of the domain is not left to an outside mailbox."),
			check.Touches("pci 4.2.1", "It guards against false certificates and judges none."),
			check.Supports("nist PR.AA-05", "The right to prove control of the domain is held inside."),
		},
		Needs: []snapshot.Named{snapshot.ZoneEmailRouting, snapshot.ZoneEmailRules, snapshot.ZoneList},
		Evaluate: func(v *check.View) check.Outcome {
			return routed(v, "Mail that proves control of the domain stays inside.",
				func(j *check.Judgement, res posture.Resource, r snapshot.MailRule) {
					domains, odd := foreignMail(v, r)
					switch {
					case r.Control == "":
					case len(domains) > 0:
						j.Fail(res, "Mail to "+res.Name+", which proves control of the domain, is forwarded to "+strings.Join(domains, ", ")+
							", which is no domain of yours.", seenForward(r, domains))
					case odd:
						j.Unclear(res, "the routing rule has an action or a destination that this check does not know")
					default:
						j.Pass()
					}
				})
		},
	}
}

func controlExamples() []goodtest.Example {
	const to = "hostmaster@shop.example"
	outside := mailRule(to, forwardTo("free-mailbox.test"))
	return append(routingOff(outside), []goodtest.Example{
		{Name: "inside", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "outside", Want: posture.Fail, Resource: "mr1", Edit: mailRules(outside)},
		{Name: "one of two is outside", Want: posture.Fail, Edit: mailRules(mailRule(to, forwardTo(goodtest.Domain), forwardTo("agency.test")))},
		{Name: "outside, and ours", Want: posture.Pass, Edit: mailRules(outside),
			Policy: func(p *policy.Policy) { p.OwnMailDomains = []string{"free-mailbox.test"} }},
		{Name: "dropped", Want: posture.Pass, Edit: mailRules(mailRule(to, snapshot.MailForward{Type: "drop"}))},
		{Name: "an action nobody knows", Want: posture.Unknown, Edit: mailRules(mailRule(to, snapshot.MailForward{Type: "archive"}))},
		{Name: "another address is judged elsewhere", Want: posture.NotApplicable,
			Edit: mailRules(mailRule("s•••@shop.example", forwardTo("free-mailbox.test")))},
	}...)
}
