package snapshot

// AlertSilences are the alerts somebody muted for a time.
const AlertSilences Key[[]AlertSilence] = "account/alert_silences"

// AlertSilence mutes one policy. A zero EndTime means until further notice.
type AlertSilence struct {
	ID        string `json:"id"`
	PolicyID  string `json:"policy_id"`
	StartTime Time   `json:"start_time,omitzero"`
	EndTime   Time   `json:"end_time,omitzero"`
}

// SortKey orders silences by id.
func (s AlertSilence) SortKey() string { return s.ID }
