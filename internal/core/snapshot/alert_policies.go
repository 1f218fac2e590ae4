package snapshot

import (
	"cmp"
	"encoding/json"
	"slices"
)

// AlertPolicies holds the notifications of the account.
const AlertPolicies Key[[]AlertPolicy] = "account/alert_policies"

// AlertPolicy is a notification; one without a name has its id for a name. Mechanisms counts destinations by type.
type AlertPolicy struct {
	ID        string              `json:"id"`
	Name      string              `json:"name"`
	Enabled   bool                `json:"enabled"`
	AlertType string              `json:"alert_type"`
	Emails    int                 `json:"emails"`
	EmailKeys []string            `json:"email_keys"` // short digests, to distinguish addresses
	Webhooks  []string            `json:"webhooks"`   // ids
	PagerDuty int                 `json:"pagerduty"`
	Filters   map[string][]string `json:"filters"`
}

// SortKey orders policies by id.
func (p AlertPolicy) SortKey() string { return p.ID }

// Mechanisms counts the destinations of the policy.
func (p AlertPolicy) Mechanisms() int { return p.Emails + len(p.Webhooks) + p.PagerDuty }

type alertPolicyWire struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Enabled    bool   `json:"enabled"`
	AlertType  string `json:"alert_type"`
	Mechanisms struct {
		Email     []alertTarget `json:"email"`
		Webhooks  []alertTarget `json:"webhooks"`
		PagerDuty []alertTarget `json:"pagerduty"`
	} `json:"mechanisms"`
	Filters map[string]filterValues `json:"filters"`
}

type alertTarget struct {
	ID string `json:"id"`
}

// filterValues are the values an alert is narrowed to; anything but a list of strings is kept as
// raw JSON.
type filterValues []numberOrText

// UnmarshalJSON never fails: a filter of unknown form narrows the alert all the same.
func (f *filterValues) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, (*[]numberOrText)(f)) != nil {
		*f = filterValues{numberOrText(raw)}
	}
	return nil
}

// reduceAlertPolicy keeps only a short digest of an e-mail address, which distinguishes two
// addresses without storing either.
func reduceAlertPolicy(w alertPolicyWire) AlertPolicy {
	p := AlertPolicy{ID: w.ID, Name: cmp.Or(w.Name, w.ID), Enabled: w.Enabled, AlertType: w.AlertType, EmailKeys: []string{},
		Webhooks: []string{},
		Emails:   len(w.Mechanisms.Email), PagerDuty: len(w.Mechanisms.PagerDuty)}
	for _, t := range w.Mechanisms.Email {
		p.EmailKeys = append(p.EmailKeys, addressKey(t.ID))
	}
	for _, t := range w.Mechanisms.Webhooks {
		p.Webhooks = append(p.Webhooks, t.ID)
	}
	if w.Filters != nil {
		p.Filters = map[string][]string{}
	}
	for name, values := range w.Filters {
		for _, v := range values {
			p.Filters[name] = append(p.Filters[name], string(v))
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
