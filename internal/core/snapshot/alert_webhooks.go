package snapshot

// AlertWebhooks holds webhook destinations.
const AlertWebhooks Key[[]AlertWebhook] = "account/alert_webhooks"

// AlertWebhook is a webhook destination; URL is scheme and host only.
type AlertWebhook struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Type        string `json:"type"`
	URL         string `json:"url"`
	LastSuccess Time   `json:"last_success,omitzero"`
	LastFailure Time   `json:"last_failure,omitzero"`
}

// SortKey orders webhooks by id.
func (w AlertWebhook) SortKey() string { return w.ID }

// alertWebhooks lists webhook destinations; the path of the URL is dropped, because many chat
// services use it as a secret
// (developers.cloudflare.com/api/resources/alerting/subresources/destinations/subresources/webhooks/methods/list/).
func alertWebhooks() Source {
	return list(AlertWebhooks, Source{
		Path: "/accounts/{account_id}/alerting/v3/destinations/webhooks", Permission: "Account: Notifications Read",
		Example: `[{"id":"w1","name":"chat","type":"slack","url":"https://hooks.example.test/services/T0/B0/drop",` +
			`"last_success":"2026-01-01T00:00:00Z"}]`,
	}, func(w AlertWebhook) AlertWebhook { w.URL = schemeAndHost(w.URL); return w })
}
