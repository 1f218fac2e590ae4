package email

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// delivered judges whether mail reaches the mailboxes that rules forward it to: Cloudflare forwards
// only to mailboxes whose owner agreed.
func delivered() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-014", Title: "Mail is forwarded to verified mailboxes",
		Category: "email", Severity: posture.Low, Resource: posture.ResourceRule, Scope: check.PerZone,
		Why: "Email Routing forwards only to mailboxes whose owner confirmed them. Mail for a rule with another destination is not " +
			"delivered, reports of abuse and notices of registrars included.",
		Fix: "Have the owner confirm the destination address, or choose one that is verified.",
		Words: posture.Words{
			Problem:   "Mail to {name} is forwarded to an unverified mailbox",
			Impact:    "Security reports, renewals and password resets for this address are lost, and the sender may not hear of it.",
			Breaks:    "Nothing; mail that was lost is not sent again.",
			Dashboard: "Email › Email Routing › Destination addresses: resend the verification, or edit the rule {name}.",
		},
		References: []string{docsAddresses},
		Controls: check.Controls{
			check.Touches("soc2 CC2.3", "Messages from outside can be received at all."),
			check.Touches("nist PR.IR-04", "Mail for one address does not arrive."),
		},
		Needs: []snapshot.Named{snapshot.ZoneEmailRouting, snapshot.ZoneEmailRules, snapshot.AccountEmailAddresses},
		Evaluate: func(v *check.View) check.Outcome {
			verified := map[string]bool{}
			for _, d := range check.Read(v, snapshot.AccountEmailAddresses) {
				verified[d.Key] = verified[d.Key] || d.Verified
			}
			return routed(v, "Every routing rule forwards to verified mailboxes.",
				func(j *check.Judgement, res posture.Resource, r snapshot.MailRule) {
					forwards, lost := false, ""
					for _, a := range r.Actions {
						for _, key := range a.Keys {
							forwards = true
							if known, listed := verified[key]; !known {
								lost = "is not verified"
								if !listed {
									lost = "is no destination address of the account"
								}
							}
						}
					}
					switch {
					case lost != "":
						j.Fail(res, "Mail to "+res.Name+" is forwarded to a mailbox that "+lost+".",
							check.Evidence(snapshot.ZoneEmailRules, "/"+r.ID+"/actions", "the destination "+lost, "a verified destination address"))
					case forwards:
						j.Pass()
					}
				})
		},
	}
}

func deliveredExamples() []goodtest.Example {
	const to = "s•••@shop.example"
	with := func(keys ...string) snapshot.MailRule {
		return mailRule(to, snapshot.MailForward{Type: "forward", Domains: []string{goodtest.Domain}, Keys: keys})
	}
	listed := func(all ...snapshot.MailDestination) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.AccountEmailAddresses, goodtest.Account, all) }
	}
	return append(routingOff(with("k9")), []goodtest.Example{
		{Name: "verified", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "not verified", Want: posture.Fail, Resource: "mr1", Edit: goodtest.Edits(mailRules(with("k1")),
			listed(snapshot.MailDestination{ID: "md1", Key: "k1"}))},
		{Name: "not listed", Want: posture.Fail, Resource: "mr1", Edit: mailRules(with("k9"))},
		{Name: "one of two", Want: posture.Fail, Edit: mailRules(with("k1", "k9"))},
		{Name: "the catch-all address, which the list repeats", Want: posture.Fail, Resource: "mr0", Edit: mailRules(snapshot.MailRule{ID: "mr0",
			Matcher: "all", Enabled: with().Enabled, Actions: with("k9").Actions})},
		{Name: "listed twice, verified once", Want: posture.Pass, Edit: goodtest.Edits(mailRules(with("k1")),
			listed(snapshot.MailDestination{ID: "md1", Key: "k1", Verified: true}, snapshot.MailDestination{ID: "md2", Key: "k1"}))},
		{Name: "dropped", Want: posture.NotApplicable, Edit: mailRules(mailRule(to, snapshot.MailForward{Type: "drop"}))},
		{Name: "the addresses are not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.AccountEmailAddresses.Source(), snapshot.Denied, "Account: Email Routing Addresses Read", "")
		}},
	}...)
}

// mailWorkers judges whether the Workers that rules send mail to exist.
func mailWorkers() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-015", Title: "Workers that take mail exist",
		Category: "email", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "A routing rule names the Worker that takes the mail. When the script is deleted or renamed, the mail is lost; a new " +
			"script of that name takes it, whoever deploys it.",
		Fix: "Choose an existing Worker for the rule, or turn the rule off.",
		Words: posture.Words{
			Problem: "Mail of {zone} is handed to a Worker that is gone",
			Impact: "Messages are lost today. Anyone who may deploy Workers in the account can take the name and read what comes, " +
				"without a right on Email Routing.",
			Breaks:    "Nothing; mail that was lost is not sent again.",
			Dashboard: "Email › Email Routing › Routing rules › the rule › Edit › Destination: an existing Worker, or a mailbox.",
		},
		References: []string{"https://developers.cloudflare.com/email-routing/email-workers/"},
		Controls: check.Controls{
			check.Supports("soc2 CC6.1", "Mail is not handed to a name that others may take."),
			check.Touches("nist PR.PS-01", "A rule that leads nowhere is left over."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneEmailRouting, snapshot.ZoneEmailRules, snapshot.ZoneEmailCatchAll, snapshot.Workers},
		Evaluate: evaluateMailWorkers,
	}
}

func evaluateMailWorkers(v *check.View) check.Outcome {
	if out := notRouted(v); out != nil {
		return *out
	}
	actions, odd := map[string][]snapshot.MailForward{}, false
	note := func(who string, enabled *bool, all []snapshot.MailForward) {
		if enabled != nil && *enabled {
			actions[who] = all
		}
		odd = odd || enabled == nil && slices.ContainsFunc(all, func(a snapshot.MailForward) bool { return a.Type == "worker" })
	}
	c := check.Read(v, snapshot.ZoneEmailCatchAll)
	note("the catch-all address", c.Enabled, c.Actions)
	for _, r := range check.Read(v, snapshot.ZoneEmailRules) {
		if !r.CatchAll() {
			note("rule "+r.ID, r.Enabled, r.Actions)
		}
	}
	var gone []string
	named := false
	for who, all := range actions {
		for _, a := range all {
			odd = odd || a.Type == "worker" && len(a.Workers) == 0
			for _, name := range a.Workers {
				named = true
				if !slices.ContainsFunc(check.Read(v, snapshot.Workers), func(w snapshot.Worker) bool { return w.ID == name }) {
					gone = append(gone, name+" ("+who+")")
				}
			}
		}
	}
	slices.Sort(gone)
	switch {
	case len(gone) > 0:
		return v.Fail("Mail of "+v.Zone().Name+" is handed to Workers that are not in the account: "+strings.Join(gone, ", ")+".",
			check.Evidence(snapshot.ZoneEmailRules, "", strings.Join(gone, ", "), "scripts of the account"))
	case odd:
		return v.Unknown("Cloudflare did not name the Worker of a routing rule, or did not say whether the rule is on")
	case !named:
		return v.NotApplicable("no rule hands mail to a Worker")
	}
	return v.Pass("Every Worker that takes mail exists.")
}

func mailWorkersExamples() []goodtest.Example {
	const to = "s•••@shop.example"
	worker := func(names ...string) snapshot.MailForward {
		return snapshot.MailForward{Type: "worker", Workers: names}
	}
	on, off := true, false
	rest := func(enabled *bool, a snapshot.MailForward) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneEmailCatchAll, goodtest.Zone, snapshot.CatchAll{Enabled: enabled, Actions: []snapshot.MailForward{a}})
		}
	}
	disabled := mailRule(to, worker("gone"))
	disabled.Enabled = &off
	unreported := mailRule(to, worker("gone"))
	unreported.Enabled = nil
	return []goodtest.Example{
		{Name: "it is there", Want: posture.Pass, Resource: goodtest.Zone, Edit: mailRules(mailRule(to, worker(goodtest.Worker)))},
		{Name: "it is gone", Want: posture.Fail, Resource: goodtest.Zone, Edit: mailRules(mailRule(to, worker("gone")))},
		{Name: "one of two", Want: posture.Fail, Edit: mailRules(mailRule(to, worker(goodtest.Worker), worker("gone")))},
		{Name: "that of the catch-all is gone", Want: posture.Fail, Edit: rest(&on, worker("gone"))},
		{Name: "the catch-all is off", Want: posture.NotApplicable, Edit: rest(&off, worker("gone"))},
		{Name: "another spelling", Want: posture.Fail, Edit: mailRules(mailRule(to, worker("STOREFRONT")))},
		{Name: "the rule is off", Want: posture.NotApplicable, Edit: mailRules(disabled)},
		{Name: "whether the rule is on is not told", Want: posture.Unknown, Edit: mailRules(unreported)},
		{Name: "not named", Want: posture.Unknown, Edit: mailRules(mailRule(to, worker()))},
		{Name: "no Worker", Want: posture.NotApplicable, Resource: goodtest.Zone},
		{Name: "the scripts are not readable", Want: posture.Unknown, Edit: goodtest.Edits(mailRules(mailRule(to, worker("gone"))),
			func(b *snapshot.Builder) {
				b.Mark(snapshot.Workers.Source(), snapshot.Denied, "Workers Scripts Read", "")
			})},
	}
}
