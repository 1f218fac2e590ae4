package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

type alertPolicyWire struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Enabled    bool   `json:"enabled"`
	AlertType  string `json:"alert_type"`
	Mechanisms map[string][]struct {
		ID string `json:"id"`
	} `json:"mechanisms"`
	Filters map[string][]string `json:"filters"`
}

// reduceAlertPolicy keeps of an e-mail address only a short digest, which tells
// two addresses apart without storing either.
func reduceAlertPolicy(w alertPolicyWire) AlertPolicy {
	p := AlertPolicy{ID: w.ID, Name: w.Name, Enabled: w.Enabled, AlertType: w.AlertType, EmailKeys: []string{}, Webhooks: []string{},
		Filters: w.Filters}
	for kind, targets := range w.Mechanisms {
		for _, t := range targets {
			switch kind {
			case "email":
				sum := sha256.Sum256([]byte(strings.ToLower(t.ID)))
				p.Emails++
				p.EmailKeys = append(p.EmailKeys, hex.EncodeToString(sum[:4]))
			case "webhooks":
				p.Webhooks = append(p.Webhooks, t.ID)
			case "pagerduty":
				p.PagerDuty++
			}
		}
	}
	slices.Sort(p.EmailKeys)
	slices.Sort(p.Webhooks)
	return p
}

// alertPolicies lists the notifications of the account
// (developers.cloudflare.com/api/resources/alerting/subresources/policies/methods/list/).
func alertPolicies() Source {
	return list(AlertPolicies, Source{
		Path: "/accounts/{account_id}/alerting/v3/policies", Permission: "Account: Notifications Read",
		Example: `[{"id":"p1","name":"certs","enabled":true,"alert_type":"universal_ssl_event_type",` +
			`"mechanisms":{"email":[{"id":"ops@acme.example"}],"webhooks":[{"id":"w1"}]},"filters":{}}]`,
	}, reduceAlertPolicy)
}
