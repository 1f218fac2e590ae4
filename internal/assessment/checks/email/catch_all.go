package email

import (
	"cmp"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// catchAll judges where mail for undefined addresses goes. A domain below a zone of the account
// counts as the organisation's own.
func catchAll() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-007", Title: "The catch-all address does not forward outside",
		Category: "email", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "A catch-all address takes every message to an address that does not exist, mistyped ones included. " +
			"Forwarded outside, these messages leave the control of the organisation.",
		Fix: "Create routing rules for the real addresses, then set the catch-all address to drop.",
		Words: posture.Words{
			Problem: "Catch-all address of {zone} forwards mail outside",
			Impact: "Whoever reads the outside mailbox gets every mistyped message, and password resets for any made-up address " +
				"of the domain.",
			Breaks:    "Mail to addresses without a routing rule of their own is dropped.",
			Dashboard: "Email › Email Routing › Routing rules › Catch-all address › Edit › Action: Drop.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/email/routing/rules/catch_all",
				Body: `{"enabled": true, "matchers": [{"type": "all"}], "actions": [{"type": "drop"}]}`},
			Terraform: `resource "cloudflare_email_routing_catch_all" "drop" {
  zone_id  = "{zone_id}"
  enabled  = true
  matchers = [{ type = "all" }]
  actions  = [{ type = "drop" }]
}`},
		References: []string{"https://developers.cloudflare.com/email-routing/setup/email-routing-addresses/"},
		Controls: check.Controls{
			check.Supports("soc2 CC6.7", "Mail to any address of the domain is not moved outside the organisation."),
			check.Touches("pci 5.4.1", "Forwarding loses mail outside; it neither finds nor stops phishing."),
			check.Touches("nist PR.DS-02", "It is about where mail goes, not about protecting it on the wire."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneEmailRouting, snapshot.ZoneEmailCatchAll, snapshot.ZoneList},
		Evaluate: evaluateCatchAll,
	}
}

func evaluateCatchAll(v *check.View) check.Outcome {
	if out := notRouted(v); out != nil {
		return *out
	}
	rule, domain := check.Read(v, snapshot.ZoneEmailCatchAll), v.Zone().Name
	switch {
	case v.StatusOf(snapshot.ZoneEmailCatchAll) != snapshot.OK || rule.Enabled != nil && !*rule.Enabled:
		return v.Pass("The catch-all address is off.")
	case rule.Enabled == nil:
		return v.Unknown("Cloudflare did not say whether the catch-all address is on")
	}
	seen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZoneEmailCatchAll, "/actions", observed, "drop")
	}
	odd, doubt := len(rule.Actions) == 0, ""
	for _, a := range rule.Actions {
		switch a.Type {
		case "drop":
		case "worker":
			doubt = "a Worker"
		case "forward":
			for _, d := range a.Domains {
				if !ownMail(v, d) {
					return v.Fail("The catch-all address of "+domain+" forwards to a mailbox at "+cmp.Or(d, "an unknown domain")+
						", which is no domain of yours.", seen("forward to "+d))
				}
				doubt = "a mailbox at " + d
			}
			odd = odd || len(a.Domains) == 0
		default:
			odd = true
		}
	}
	switch {
	case doubt != "":
		return v.Warn("The catch-all address of "+domain+" hands mail for every unknown address to "+doubt+".", seen("to "+doubt)).
			As(posture.Words{Problem: "Catch-all address of {zone} takes mail for every name",
				Impact: "Spam and guessed addresses reach a mailbox or a Worker, and an account can be opened elsewhere with any made-up address."})
	case odd:
		return v.Unknown("the catch-all address has an action this check does not know")
	}
	return v.Pass("The catch-all address drops mail.")
}

// ownMail reports whether a mail domain belongs to the organisation.
func ownMail(v *check.View, domain string) bool {
	if domain == "" {
		return false
	}
	return slices.ContainsFunc(check.ReadAt(v, snapshot.ZoneList, v.Account().ID),
		func(z snapshot.Zone) bool { return exposure.Within(domain, z.Name) }) ||
		slices.ContainsFunc(v.Policy.OwnMailDomains, func(own string) bool { return exposure.Within(domain, own) })
}

func catchAllExamples() []goodtest.Example {
	on, off := true, false
	rule := func(enabled *bool, actions ...snapshot.MailForward) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneEmailCatchAll, goodtest.Zone, snapshot.CatchAll{Enabled: enabled, Actions: actions})
		}
	}
	forward := func(domains ...string) func(*snapshot.Builder) {
		return rule(&on, snapshot.MailForward{Type: "forward", Domains: domains})
	}
	routing := func(enabled *bool) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneEmailRouting, goodtest.Zone, snapshot.EmailRouting{Enabled: enabled})
		}
	}
	skipped := func(b *snapshot.Builder) {
		b.Mark(snapshot.ZoneEmailRouting.Source(), snapshot.Skipped, "", "no MX record of the zone points to Email Routing")
		b.Mark(snapshot.ZoneEmailCatchAll.Source(), snapshot.Skipped, "", "Email Routing is not in use")
	}
	return []goodtest.Example{
		{Name: "it drops", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "it is off", Want: posture.Pass, Edit: rule(&off, snapshot.MailForward{Type: "forward", Domains: []string{"mailbox.test"}})},
		{Name: "there is none", Want: posture.Pass, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.ZoneEmailCatchAll.Source(),
				snapshot.Absent, "", "")
		}},
		{Name: "outside", Want: posture.Fail, Resource: goodtest.Zone, Edit: forward("mailbox.test")},
		{Name: "one of two is outside", Want: posture.Fail, Edit: forward(goodtest.Domain, "mailbox.test")},
		{Name: "an address without a domain", Want: posture.Fail, Edit: forward("")},
		{Name: "inside", Want: posture.Warning, Resource: goodtest.Zone, Edit: forward("desk." + goodtest.Domain)},
		{Name: "a listed domain", Want: posture.Warning, Edit: forward("mailbox.test"),
			Policy: func(p *policy.Policy) { p.OwnMailDomains = []string{"mailbox.test"} }},
		{Name: "a Worker", Want: posture.Warning, Resource: goodtest.Zone, Edit: rule(&on, snapshot.MailForward{Type: "worker"})},
		{Name: "an action nobody knows", Want: posture.Unknown, Edit: rule(&on, snapshot.MailForward{Type: "archive"})},
		{Name: "no action", Want: posture.Unknown, Edit: rule(&on)},
		{Name: "a rule that does not say whether it is on", Want: posture.Unknown, Edit: rule(nil)},
		{Name: "routing that does not say whether it is on", Want: posture.Unknown, Edit: routing(nil)},
		{Name: "routing is off", Want: posture.NotApplicable, Edit: routing(&off)},
		{Name: "no mail comes here", Want: posture.NotApplicable, Resource: goodtest.Zone, Edit: skipped},
	}
}
