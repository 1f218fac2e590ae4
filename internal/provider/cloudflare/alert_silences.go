package cloudflare

import (
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

type alertSilenceWire struct {
	ID        string        `json:"id"`
	PolicyID  string        `json:"policy_id"`
	StartTime snapshot.Time `json:"start_time"`
	EndTime   snapshot.Time `json:"end_time"`
}

// alertSilences lists the muted alerts; without policies there is nothing to
// mute (developers.cloudflare.com/api/resources/alerting/subresources/silences/methods/list/).
func alertSilences() Source {
	return list(snapshot.AlertSilences, Source{
		Path: "/accounts/{account_id}/alerting/v3/silences", Permission: "Account: Notifications Read",
		After: []string{snapshot.AlertPolicies.Source()},
		Skip: func(k *Known, t Target) string {
			if all, read := Peek(k, snapshot.AlertPolicies, t.AccountID); read && len(all) == 0 {
				return "there is no alert policy"
			}
			return ""
		},
		Example: `[{"id":"s1","policy_id":"p1","start_time":"2026-01-01T00:00:00Z","end_time":"2026-01-02T00:00:00Z","created_at":"2026-01-01T00:00:00Z"}]`,
	}, func(w alertSilenceWire) snapshot.AlertSilence { return snapshot.AlertSilence(w) })
}
