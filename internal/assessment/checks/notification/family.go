// Package notification holds the checks of alerts and their destinations.
package notification

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// notify adds to the words of a check how to create the notification: its name in the menu, and the
// name and type to give it.
func notify(menu, name, alertType string, w posture.Words) posture.Words {
	w.Breaks = "Nothing; a notification changes no traffic."
	w.Dashboard = "Notifications › Add › " + menu + ": choose a destination and turn it on."
	w.Call = posture.Call{Method: "POST", Path: "/accounts/{account_id}/alerting/v3/policies",
		Body: `{"name": "` + name + `", "alert_type": "` + alertType + `", "enabled": true, "filters": {}, ` +
			`"mechanisms": {"email": [{"id": "{$ALERT_EMAIL}"}]}}`,
		Choose: "ALERT_EMAIL: the mailbox of the people on call (such as oncall@shop.example)"}
	w.Terraform = `resource "cloudflare_notification_policy" "` + alertType + `" {
  account_id = "{account_id}"
  name       = "` + name + `"
  alert_type = "` + alertType + `"
  enabled    = true
  mechanisms = {
    email = [{ id = var.alert_email }]
  }
}`
	return w
}

// narrowing lists the filters other than zones that exclude some events: a choice of hosts, of
// firewall actions, of errors or of insights. Filters that set a threshold, or that a notification
// requires, are not included (developers.cloudflare.com/notifications/notification-available/).
func narrowing() []string { return []string{"actions", "insight_class", "target_hostname", "where"} }

func narrowed(p snapshot.AlertPolicy) bool {
	return slices.ContainsFunc(narrowing(), func(name string) bool { return len(p.Filters[name]) > 0 })
}

// businessOrMore and enterpriseOnly are the plans whose zones can be selected for some
// notifications.
func businessOrMore() []string { return []string{"business", "enterprise"} }
func enterpriseOnly() []string { return []string{"enterprise"} }

// raises judges whether one of the alert types is subscribed, reaches someone and covers every zone
// of the given plans, or of any plan when there are none. what names the event in messages.
func raises(what string, plans []string, types ...string) func(*check.View) check.Outcome {
	return func(v *check.View) check.Outcome {
		if !slices.ContainsFunc(check.Read(v, snapshot.AlertAvailable),
			func(t snapshot.AlertType) bool { return slices.Contains(types, t.Type) }) {
			return v.NotApplicable("the account cannot subscribe to this alert")
		}
		enabled, silent, part := 0, "", ""
		zones, limited := map[string]bool{}, ""
		for _, p := range check.Read(v, snapshot.AlertPolicies) {
			if !p.Enabled || !slices.Contains(types, p.AlertType) {
				continue
			}
			enabled++
			switch only := slices.Concat(p.Filters["zones"], p.Filters["target_zone_name"]); {
			case p.Mechanisms() == 0:
				silent = p.Name
			case narrowed(p):
				part = p.Name
			case len(only) == 0:
				return v.Pass("The policy %s raises an alert on %s.", p.Name, what)
			default:
				limited = p.Name
				for _, z := range only { // an id, or a name, which may be in Unicode
					zones[strings.ToLower(snapshot.ASCII(z))] = true
				}
			}
		}
		switch {
		case enabled == 0:
			return v.Fail("No policy raises an alert on "+what+".", check.Evidence(snapshot.AlertPolicies, "", "no enabled policy of the type",
				"one with a destination"))
		case limited == "" && part != "":
			return v.Warn("The alert policy "+part+" on "+what+" has a filter that leaves a part of the events out.", check.Evidence(
				snapshot.AlertPolicies, "/filters", part+" has a filter besides zones", "no filter besides zones"))
		case limited == "":
			return v.Warn("The alert policy "+silent+" on "+what+" reaches nobody.", check.Evidence(snapshot.AlertPolicies, "/mechanisms", "none",
				"at least one destination")).As(posture.Words{Problem: "A notification of this account has no destination",
				Impact: "The event is noticed by Cloudflare and told to nobody."})
		}
		all, known := check.ReadOptional(v, snapshot.ZoneList)
		if !known {
			return v.Unknown("the alert policies on " + what + " name single zones; whether they leave one out is not known")
		}
		for _, z := range all {
			// Nothing happens in a zone that is not active, and a zone on a smaller plan cannot be
			// selected.
			chosen := zones[z.ID] || zones[strings.ToLower(z.Name)]
			if !chosen && z.Status == "active" && (len(plans) == 0 || slices.Contains(plans, z.Plan)) {
				return v.Warn("The alert policies on "+what+" leave out the zone "+z.Name+".", check.Evidence(snapshot.AlertPolicies, "/filters/zones",
					limited+" names single zones", "every zone")).As(posture.Words{Problem: "A notification of this account leaves out zones",
					Impact: "What happens in the other zones is noticed by Cloudflare and told to nobody."})
			}
		}
		return v.Pass("Policies raise an alert on %s for every zone.", what)
	}
}

// raiseExamples returns the examples of such a check; first is one of its types.
func raiseExamples(first string, plans []string) []goodtest.Example {
	mine := func(change func(*snapshot.AlertPolicy)) func(*snapshot.Builder) {
		return editPolicies(func(p *snapshot.AlertPolicy) {
			if p.AlertType == first {
				change(p)
			} else {
				p.AlertType = "something_else"
			}
		})
	}
	zones := func(ids ...string) func(*snapshot.Builder) {
		return mine(func(p *snapshot.AlertPolicy) { p.Filters = map[string][]string{"zones": ids} })
	}
	small := posture.Pass // result for a zone that cannot be selected
	if len(plans) == 0 {
		small = posture.Warning
	}
	filtered := func(name, value string) func(*snapshot.Builder) {
		return mine(func(p *snapshot.AlertPolicy) { p.Filters = map[string][]string{name: {value}} })
	}
	return []goodtest.Example{
		{Name: "the policy names a host", Want: posture.Warning, Resource: goodtest.Account,
			Edit: filtered("target_hostname", "www.shop.example")},
		{Name: "the policy is for some of what happens", Want: posture.Warning, Edit: filtered("where", `{"status":"521"}`)},
		{Name: "the policy has a threshold", Want: posture.Pass, Edit: filtered("slo", "99.9")},
		{Name: "a policy for a host beside one for everything", Want: posture.Pass, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AlertPolicies, goodtest.Account, func(ps *[]snapshot.AlertPolicy) {
				*ps = append(*ps, snapshot.AlertPolicy{ID: "p-host", Name: "host", Enabled: true, AlertType: first, Emails: 1,
					Filters: map[string][]string{"target_hostname": {"www.shop.example"}}})
			})
		}},
		{Name: "the policy names every zone by its name", Want: posture.Pass, Edit: filtered("target_zone_name", goodtest.Domain)},
		{Name: "the policy names every zone by its name in Unicode", Want: posture.Pass, Edit: goodtest.Edits(
			filtered("target_zone_name", "Bücher.example"), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneList, goodtest.Account, []snapshot.Zone{{ID: "z4", Name: "xn--bcher-kva.example", Status: "active",
					Plan: "enterprise"}})
			})},
		{Name: "the policy leaves out a zone of the free plan", Want: small, Edit: goodtest.Edits(zones(goodtest.Zone),
			func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneList, goodtest.Account, append(slices.Clone(b.Zones), snapshot.Zone{ID: "z3",
					Name: "small.example", Status: "active", Plan: "free"}))
			})},
		{Name: "subscribed", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "no policy of the type", Want: posture.Fail, Resource: goodtest.Account,
			Edit: mine(func(p *snapshot.AlertPolicy) { p.AlertType = "something_else" })},
		{Name: "the policy is disabled", Want: posture.Fail, Edit: mine(func(p *snapshot.AlertPolicy) { p.Enabled = false })},
		{Name: "the policy has no destination", Want: posture.Warning, Resource: goodtest.Account,
			Edit: mine(func(p *snapshot.AlertPolicy) { p.Emails, p.Webhooks, p.PagerDuty = 0, nil, 0 })},
		{Name: "the policy leaves a zone out", Want: posture.Warning, Edit: zones("another zone")},
		{Name: "the policy names every zone", Want: posture.Pass, Edit: zones(goodtest.Zone)},
		{Name: "the policy leaves out a zone that is not active", Want: posture.Pass, Edit: goodtest.Edits(zones(goodtest.Zone),
			func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.ZoneList, goodtest.Account, append(slices.Clone(b.Zones), snapshot.Zone{ID: "z2",
					Name: "next.example", Status: "pending"}))
			})},
		{Name: "a policy without a destination beside one with", Want: posture.Pass, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AlertPolicies, goodtest.Account, func(ps *[]snapshot.AlertPolicy) {
				*ps = append(*ps, snapshot.AlertPolicy{ID: "p-silent", Name: "silent", Enabled: true, AlertType: first})
			})
		}},
		{Name: "the policy names zones and nobody knows which there are", Want: posture.Unknown,
			Edit: goodtest.Edits(zones(goodtest.Zone), func(b *snapshot.Builder) {
				b.Mark(snapshot.ZoneList.Source(), snapshot.Denied, "Zone Read",
					"")
			})},
		{Name: "the account cannot subscribe", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AlertAvailable, goodtest.Account, []snapshot.AlertType{{Type: "something_else"}})
		}},
	}
}

// editPolicies is an example edit of every alert policy.
func editPolicies(change func(*snapshot.AlertPolicy)) func(*snapshot.Builder) {
	return goodtest.Each(snapshot.AlertPolicies, goodtest.Account, change)
}

// editWebhook is an example edit of the webhook.
func editWebhook(change func(*snapshot.AlertWebhook)) func(*snapshot.Builder) {
	return goodtest.Each(snapshot.AlertWebhooks, goodtest.Account, change)
}
