package snapshot

import (
	"encoding/json"
	"slices"
	"time"
)

type auditAction struct {
	Type   string `json:"type"`
	Result string `json:"result"`
	Time   Time   `json:"time"`
}

type auditWire struct {
	Action auditAction `json:"action"`
	Actor  struct {
		Context string `json:"context"`
		Email   string `json:"email"`
	} `json:"actor"`
	Resource struct {
		ID       string          `json:"id"`
		Product  string          `json:"product"`
		Request  json.RawMessage `json:"request"`
		Response json.RawMessage `json:"response"`
	} `json:"resource"`
}

// auditPaging is the paging of the second version of the audit log, whose page size parameter is
// limit.
func auditPaging() Paging { return Paging{Kind: ByCursor, Size: 1000, SizeParam: "limit"} }

const permissionAccountSettings = "Account: Account Settings Read"

// accountAuditLog looks for changes made with a global API key in the last 30 days. The list cannot
// be filtered for one kind of credential, only against kinds, so the others are excluded and the
// remaining entries are filtered here; the first success answers the question
// (developers.cloudflare.com/api/resources/accounts/subresources/logs/subresources/audit/methods/list/).
func accountAuditLog() Source {
	return nested(AccountAuditLog, Source{
		Path: "/accounts/{account_id}/logs/audit?since={since}&before={before}&actor_context.not=api_token&actor_context.not=dash" +
			"&actor_context.not=oauth&actor_context.not=origin_ca_key&direction=desc",
		Paging: auditPaging(), Volatile: true, Permission: permissionAccountSettings, Window: 30 * 24 * time.Hour,
		Enough: func(_ *Known, _ SourceScope, pages []json.RawMessage) bool {
			var entries []AuditEntry
			return json.Unmarshal(pages[len(pages)-1], &entries) == nil &&
				slices.ContainsFunc(entries, func(e AuditEntry) bool { return e.Result == "success" })
		},
		Example: `[{"id":"e1","action":{"type":"update","result":"success","time":"2026-01-01T00:00:00Z"},"actor":{"context":"api_key",` +
			`"type":"user","email":"ann@acme.example","ip_address":"drop"},` +
			`"raw":{"uri":"drop","user_agent":"drop"},"resource":{"product":"dns_records","request":{"content":"drop"},` +
			`"response":{"content":"drop"}}}]`,
	}, func(page []auditWire) []auditWire {
		return slices.DeleteFunc(page, func(w auditWire) bool { return w.Actor.Context != "" && w.Actor.Context != "api_key" })
	}, func(w auditWire) AuditEntry {
		actor, _ := maskEmail(w.Actor.Email)
		return AuditEntry{Time: w.Action.Time, Action: w.Action.Type, Result: w.Action.Result, Product: w.Resource.Product, Actor: actor}
	})
}
