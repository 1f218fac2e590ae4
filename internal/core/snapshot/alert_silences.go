package snapshot

// AlertSilences holds the muted alerts.
const AlertSilences Key[[]AlertSilence] = "account/alert_silences"

// AlertSilence mutes one policy. A zero EndTime means indefinitely.
type AlertSilence struct {
	ID        string `json:"id"`
	PolicyID  string `json:"policy_id"`
	StartTime Time   `json:"start_time,omitzero"`
	EndTime   Time   `json:"end_time,omitzero"`
}

// SortKey orders silences by id.
func (s AlertSilence) SortKey() string { return s.ID }

// alertSilences lists the muted alerts; without policies there is nothing to
// mute (developers.cloudflare.com/api/resources/alerting/subresources/silences/methods/list/).
func alertSilences() Source {
	return list(AlertSilences, Source{
		Path: "/accounts/{account_id}/alerting/v3/silences", Permission: "Account: Notifications Read",
		After: []string{AlertPolicies.Source()},
		Skip:  whenEmpty(AlertPolicies, "there is no alert policy"),
		Example: `[{"id":"s1","policy_id":"p1","start_time":"2026-01-01T00:00:00Z","end_time":"2026-01-02T00:00:00Z",` +
			`"created_at":"2026-01-01T00:00:00Z"}]`,
	}, asRead[AlertSilence])
}
