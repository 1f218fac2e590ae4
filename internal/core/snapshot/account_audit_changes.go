package snapshot

import (
	"cmp"
	"slices"
	"time"
)

type changeWire struct {
	Action auditAction `json:"action"`
	Actor  struct {
		Context   string `json:"context"`
		Email     string `json:"email"`
		TokenName string `json:"token_name"`
	} `json:"actor"`
	Resource struct {
		ID      string `json:"id"`
		Product string `json:"product"`
	} `json:"resource"`
	Zone struct {
		ID string `json:"id"`
	} `json:"zone"`
}

// accountAuditChanges reads who changed what in the last 30 days, newest first and at most 3,000
// changes, to explain drift. No check needs it
// (developers.cloudflare.com/api/resources/accounts/subresources/logs/subresources/audit/methods/list/).
func accountAuditChanges() Source {
	return nested(AccountAuditChanges, Source{
		Path: "/accounts/{account_id}/logs/audit?since={since}&before={before}&action_type.not=view&action_type.not=login&action_result.not=" +
			"failure&direction=desc",
		Paging: auditPaging(), Permission: permissionAccountSettings, Window: 30 * 24 * time.Hour, MaxPages: 3, Feeds: true,
		Example: `[{"id":"e1","action":{"type":"update","result":"success","time":"2026-01-01T00:00:00Z"},"actor":{"context":"dash",` +
			`"type":"user","email":"ann@acme.example","ip_address":"drop"},` +
			`"raw":{"uri":"drop","user_agent":"drop"},"resource":{"id":"372e67954025e0ba6aaa6d586b9e0b59","product":"dns_records",` +
			`"request":{"content":"drop"},"response":{"content":"drop"}},` +
			`"zone":{"id":"023e105f4ecef8ad9ca31a8372d0c353","name":"drop.example"}}]`,
	}, func(page []changeWire) []changeWire {
		return slices.DeleteFunc(page, func(w changeWire) bool { return w.Action.Result == "failure" })
	}, func(w changeWire) AuditedChange {
		actor, _ := maskEmail(w.Actor.Email)
		return AuditedChange{Time: w.Action.Time, Action: w.Action.Type, Actor: cmp.Or(actor, w.Actor.TokenName), Via: w.Actor.Context,
			Product: w.Resource.Product, ResourceID: w.Resource.ID, ZoneID: w.Zone.ID}
	})
}
