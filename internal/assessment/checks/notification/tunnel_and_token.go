package notification

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

const (
	tunnelTrouble  = "tunnel_health_event"
	tokenExpiring  = "expiring_service_token_alert"
	tunnelFilter   = "tunnel_id"
	tokenFilter    = "token_id"
	anotherTunnel  = "another tunnel"
	somethingOther = "something_else"
)

// tunnelAndToken judges the alerts on which the availability of internal applications depends.
func tunnelAndToken() check.Check {
	return check.Check{
		ID: "CFL-ALERT-009", Title: "Tunnel trouble and expiring service tokens raise an alert",
		Category: "notifications", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A tunnel that is down or a service token that has ended takes applications with it.",
		Fix: "Create a notification for this event with a destination that somebody reads day and night.",
		Words: posture.Words{
			Problem:   "Tunnel trouble and ending service tokens raise no alert in this account",
			Impact:    "Internal applications go down, and people learn of it from their users.",
			Breaks:    "Nothing; a notification changes no traffic.",
			Dashboard: "Notifications › Add › Tunnel Health Alert: choose a destination and turn it on.",
			Terraform: `resource "cloudflare_notification_policy" "tunnel_health" {
  account_id = "{account_id}"
  name       = "Tunnel health"
  alert_type = "tunnel_health_event"
  enabled    = true
  mechanisms = { email = [{ id = var.alert_email }] }
}

resource "cloudflare_notification_policy" "service_tokens" {
  account_id = "{account_id}"
  name       = "Service tokens that end"
  alert_type = "expiring_service_token_alert"
  enabled    = true
  mechanisms = { email = [{ id = var.alert_email }] }
}`},
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: check.Controls{
			check.Supports("cis 13.1", "Trouble of tunnels and ending tokens are announced where alerts are seen."),
			check.Supports("soc2 CC7.3", "A failing tunnel is brought to somebody who can judge it."),
			check.Supports("soc2 CC2.2", "Those who are responsible hear of it."),
			check.Touches("pci 10.4.1.1", "An alert about tunnels reviews no audit log."),
			check.Supports("pci 10.7.2", "A tunnel that guards a service and fails is announced."),
			check.Supports("nist DE.AE-06", "Trouble of tunnels is told to the people named in the policy."),
		},
		Remedy:   newPolicy(whatIsDue),
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable, snapshot.Tunnels, snapshot.AccessServiceTokens},
		Evaluate: evaluateTunnelAndToken,
	}
}

func tunnelAndTokenExamples() []goodtest.Example {
	only := func(kind string, change func(*snapshot.AlertPolicy)) func(*snapshot.Builder) {
		return editPolicies(func(p *snapshot.AlertPolicy) {
			if p.AlertType == kind {
				change(p)
			}
		})
	}
	filter := func(ids ...string) func(*snapshot.Builder) {
		return only(tunnelTrouble, func(p *snapshot.AlertPolicy) { p.Filters = map[string][]string{tunnelFilter: ids} })
	}
	states := func(all ...string) func(*snapshot.Builder) {
		return only(tunnelTrouble, func(p *snapshot.AlertPolicy) { p.Filters = map[string][]string{"new_status": all} })
	}
	gone := func(p *snapshot.AlertPolicy) { p.AlertType = somethingOther }
	noTunnel := func(b *snapshot.Builder) { snapshot.Put(b, snapshot.Tunnels, goodtest.Account, []snapshot.Tunnel{}) }
	noToken := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.AccessServiceTokens, goodtest.Account, []snapshot.ServiceToken{})
	}
	token := func(change func(*snapshot.ServiceToken)) func(*snapshot.Builder) {
		return goodtest.Each(snapshot.AccessServiceTokens, goodtest.Account, change)
	}
	return []goodtest.Example{
		{Name: "both are subscribed", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "no policy on tunnels", Want: posture.Fail, Resource: goodtest.Account, Edit: only(tunnelTrouble, gone)},
		{Name: "no policy on tokens", Want: posture.Fail, Edit: only(tokenExpiring, gone)},
		{Name: "the policy on tokens is disabled", Want: posture.Fail,
			Edit: only(tokenExpiring, func(p *snapshot.AlertPolicy) { p.Enabled = false })},
		{Name: "no tunnel needs no policy", Want: posture.Pass, Edit: goodtest.Edits(noTunnel, only(tunnelTrouble, gone))},
		{Name: "no token needs no policy", Want: posture.Pass, Edit: goodtest.Edits(noToken, only(tokenExpiring, gone))},
		{Name: "a token that has expired needs no policy", Want: posture.Pass, Edit: goodtest.Edits(token(func(t *snapshot.ServiceToken) {
			t.ExpiresAt = goodtest.InDays(-1)
		}), only(tokenExpiring, gone))},
		{Name: "a token that is disabled needs no policy", Want: posture.Pass, Edit: goodtest.Edits(token(func(t *snapshot.ServiceToken) {
			no := false
			t.Enabled = &no
		}), only(tokenExpiring, gone))},
		{Name: "a token without an end", Want: posture.Fail, Edit: goodtest.Edits(token(func(t *snapshot.ServiceToken) {
			t.ExpiresAt = snapshot.Time{}
		}), only(tokenExpiring, gone))},
		{Name: "the policy has no destination", Want: posture.Warning, Resource: goodtest.Account,
			Edit: only(tokenExpiring, func(p *snapshot.AlertPolicy) { p.Emails, p.Webhooks, p.PagerDuty = 0, nil, 0 })},
		{Name: "the policy leaves a tunnel out", Want: posture.Warning, Edit: filter(anotherTunnel)},
		{Name: "the policy names every tunnel", Want: posture.Pass, Edit: filter(anotherTunnel, goodtest.Tunnel)},
		{Name: "the policy is for tunnels that are up again", Want: posture.Warning, Resource: goodtest.Account,
			Edit: states("TUNNEL_STATUS_TYPE_HEALTHY")},
		{Name: "the policy is for tunnels that go down or come up", Want: posture.Pass,
			Edit: states("TUNNEL_STATUS_TYPE_HEALTHY", "TUNNEL_STATUS_TYPE_DOWN")},
		{Name: "one policy for tunnels that are up again, and one for all states", Want: posture.Pass,
			Edit: goodtest.Edits(states("TUNNEL_STATUS_TYPE_HEALTHY"), func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.AlertPolicies, goodtest.Account, func(ps *[]snapshot.AlertPolicy) {
					*ps = append(*ps, snapshot.AlertPolicy{ID: "p9", Name: "all", Enabled: true, AlertType: tunnelTrouble, Emails: 1})
				})
			})},
		{Name: "one type cannot be subscribed to", Want: posture.Pass, Edit: goodtest.Edits(only(tokenExpiring, gone), func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AlertAvailable, goodtest.Account, []snapshot.AlertType{{Type: tunnelTrouble}})
		})},
		{Name: "neither tunnel nor token", Want: posture.NotApplicable, Edit: goodtest.Edits(noTunnel, noToken)},
	}
}

// subscription is a required alert type, its subject, and the filter that narrows it.
type subscription struct {
	kind, what, filter string
	items              []string
}

func evaluateTunnelAndToken(v *check.View) check.Outcome {
	tunnels, tokens := []string{}, []string{}
	for _, t := range check.Read(v, snapshot.Tunnels) {
		tunnels = append(tunnels, t.ID)
	}
	for _, t := range check.Read(v, snapshot.AccessServiceTokens) {
		if !t.Dead(v.Now()) { // no notification tells of one that has ended
			tokens = append(tokens, t.ID)
		}
	}
	available := check.Read(v, snapshot.AlertAvailable)
	due := slices.DeleteFunc([]subscription{{tunnelTrouble, "tunnel trouble", tunnelFilter, tunnels},
		{tokenExpiring, "expiring service tokens", tokenFilter, tokens}}, func(s subscription) bool {
		return len(s.items) == 0 || !slices.ContainsFunc(available, func(t snapshot.AlertType) bool { return t.Type == s.kind })
	})
	if len(due) == 0 {
		return v.NotApplicable("the account has neither a tunnel nor a service token it could be alerted on")
	}
	var missing, limited check.Found
	for _, s := range due {
		enabled, fault := s.judge(check.Read(v, snapshot.AlertPolicies))
		switch {
		case !enabled:
			missing.Add(s.what, check.Evidence(snapshot.AlertPolicies, "", "no enabled policy of type "+s.kind, "one with a destination"))
		case fault != "":
			limited.Add("that on "+s.what+" "+fault, check.Evidence(snapshot.AlertPolicies, "", "policy of type "+s.kind+" "+fault,
				"a destination and no filter"))
		}
	}
	switch {
	case len(missing.Names) > 0:
		return v.Fail("No policy raises an alert on "+strings.Join(missing.Names, " or on ")+".", missing.Rows...)
	case len(limited.Names) > 0:
		return v.Warn("An alert policy is incomplete: "+strings.Join(limited.Names, "; ")+".", limited.Rows...)
	}
	return v.Pass("Policies raise an alert on all that is due.")
}

// judge looks for a policy that reaches someone and covers every item.
func (s subscription) judge(policies []snapshot.AlertPolicy) (enabled bool, fault string) {
	named, healthy := map[string]bool{}, false
	for _, p := range policies {
		if !p.Enabled || p.AlertType != s.kind {
			continue
		}
		enabled = true
		if p.Mechanisms() == 0 {
			continue
		}
		if states := slices.Concat(p.Filters["new_status"], p.Filters["new_health"]); len(states) > 0 && !slices.ContainsFunc(states, isDown) {
			healthy = true // it alerts only when the problem is over
			continue
		}
		only := p.Filters[s.filter]
		if len(only) == 0 {
			return true, ""
		}
		for _, id := range only {
			named[id] = true
		}
	}
	switch {
	case len(named) == 0 && healthy:
		return enabled, "speaks only of what is up again"
	case len(named) == 0:
		return enabled, "reaches nobody"
	case slices.ContainsFunc(s.items, func(id string) bool { return !named[id] }):
		return enabled, "names single items and leaves some out"
	}
	return enabled, ""
}

// isDown reports whether a state in a notification's filter means trouble: TUNNEL_STATUS_TYPE_DOWN of
// a tunnel, Unhealthy of a pool.
func isDown(state string) bool {
	state = strings.ToLower(state)
	return strings.HasSuffix(state, "down") || state == "unhealthy"
}
