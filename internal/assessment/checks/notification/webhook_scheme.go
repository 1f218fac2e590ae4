package notification

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// webhookScheme finds alert destinations without encryption.
func webhookScheme() check.Check {
	return check.Check{
		ID: "CFL-ALERT-012", Title: "Alert webhooks use HTTPS",
		Category: "notifications", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Alerts name hosts, addresses and weaknesses. Plain HTTP shows them to anyone on the way.",
		Fix: "Change the address of the webhook to https, then send a test.",
		Words: posture.Words{
			Problem:   "Alert webhooks of this account use plain HTTP",
			Impact:    "Someone on the way reads the alerts, or keeps one from arriving.",
			Breaks:    "Alerts stop when the receiver has no valid certificate.",
			Dashboard: "Notifications › Destinations › Webhooks › the webhook › Edit: an address that starts with https.",
		},
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Alerts, which describe weaknesses, travel encrypted."),
			check.Supports("soc2 CC6.7", "What alerts tell is protected on its way."),
			check.Touches("pci 4.2.1", "Alerts hold no card data."),
			check.Supports("nist PR.DS-02", "Alerts are protected on the wire."),
		},
		Needs:    []snapshot.Named{snapshot.AlertWebhooks, snapshot.AlertPolicies},
		Evaluate: evaluateWebhookScheme,
	}
}

func webhookSchemeExamples() []goodtest.Example {
	spare := func(url string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AlertWebhooks, goodtest.Account, func(ws *[]snapshot.AlertWebhook) {
				*ws = append(*ws, snapshot.AlertWebhook{ID: "w2", Name: "spare", URL: url})
			})
		}
	}
	return []goodtest.Example{
		{Name: "https", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "plain http in use", Want: posture.Fail, Resource: goodtest.Account,
			Edit: editWebhook(func(w *snapshot.AlertWebhook) { w.URL = "HTTP://chat.shop.example" })},
		{Name: "plain http that nobody uses", Want: posture.Warning, Resource: goodtest.Account, Edit: spare("http://chat.shop.example")},
		{Name: "plain http that only a disabled policy uses", Want: posture.Warning, Resource: goodtest.Account,
			Edit: goodtest.Edits(spare("http://chat.shop.example"), func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.AlertPolicies, goodtest.Account, func(ps *[]snapshot.AlertPolicy) {
					*ps = append(*ps, snapshot.AlertPolicy{ID: "p9", Name: "old", AlertType: somethingOther, Webhooks: []string{"w2"}})
				})
			})},
		{Name: "plain http that a disabled and an enabled policy use", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(editWebhook(func(w *snapshot.AlertWebhook) { w.URL = "http://chat.shop.example" }), func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.AlertPolicies, goodtest.Account, func(ps *[]snapshot.AlertPolicy) { (*ps)[0].Enabled = false })
			})},
		{Name: "every policy is disabled", Want: posture.NotApplicable, Edit: editPolicies(func(p *snapshot.AlertPolicy) { p.Enabled = false })},
		{Name: "no address", Want: posture.Unknown, Edit: spare("")},
		{Name: "no policy uses a webhook", Want: posture.NotApplicable, Edit: editPolicies(func(p *snapshot.AlertPolicy) { p.Webhooks = nil })},
	}
}

func evaluateWebhookScheme(v *check.View) check.Outcome {
	used := map[string]bool{}
	for _, p := range check.Read(v, snapshot.AlertPolicies) {
		if !p.Enabled {
			continue // it sends nothing
		}
		for _, id := range p.Webhooks {
			used[id] = true
		}
	}
	if len(used) == 0 {
		return v.NotApplicable("no enabled alert policy uses a webhook")
	}
	var inUse, idle check.Found
	var unread []string
	for _, w := range check.Read(v, snapshot.AlertWebhooks) {
		scheme, _, _ := strings.Cut(strings.ToLower(w.URL), ":")
		seen := check.Evidence(snapshot.AlertWebhooks, "/"+w.ID+"/url", scheme, "https")
		switch {
		case scheme == "https":
		case scheme == "http" && used[w.ID]:
			inUse.Add(w.Name, seen)
		case scheme == "http":
			idle.Add(w.Name, seen)
		default:
			unread = append(unread, w.Name)
		}
		delete(used, w.ID)
	}
	for id := range used {
		unread = append(unread, id)
	}
	slices.Sort(unread)
	switch {
	case len(inUse.Names) > 0:
		return v.Fail("Alerts travel over plain HTTP to: "+inUse.String()+".", inUse.Rows...)
	case len(idle.Names) > 0:
		return v.Warn("Destinations that no enabled policy uses have plain HTTP addresses: "+idle.String()+".", idle.Rows...)
	case len(unread) > 0:
		return v.Unknown("Cloudflare did not return the address of: " + strings.Join(unread, ", "))
	}
	return v.Pass("Every webhook address starts with https.")
}
