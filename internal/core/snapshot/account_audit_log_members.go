package snapshot

import (
	"encoding/json"
	"strings"
	"time"
)

// invitationWire is one member named in an event.
type invitationWire struct {
	id string
	at Time
}

// accountAuditLogMembers looks for the events that created the members whose invitation is open,
// newest first. The resource of each event is searched for the ids of those members in memory and
// then dropped. An event beyond the first ten pages counts as not found.
func accountAuditLogMembers() Source {
	s := invitationsOf(nil)
	s.narrow = func(k *Known, t SourceScope) func(json.RawMessage) (json.RawMessage, error) {
		return invitationsOf(openInvitations(k, t)).reduce
	}
	return s
}

// openInvitations lists the ids of the members that have not accepted yet, never nil.
func openInvitations(k *Known, t SourceScope) []string {
	return append([]string{}, idsOf(AccountMembers, invited)(k, t.AccountID)...)
}

func invited(m Member) bool { return m.Status == "pending" }

// invitationsOf keeps the events about the given members; nil means every event's resource.
func invitationsOf(ids []string) Source {
	return nested(AccountAuditLogMembers, Source{
		Path: "/accounts/{account_id}/logs/audit?since={since}&before={before}&action_type.not=delete&action_type.not=update&action_type.not" +
			"=view&action_type.not=login&direction=desc",
		Paging: auditPaging(), Volatile: true, Permission: permissionAccountSettings, Window: 90 * 24 * time.Hour, MaxPages: 10,
		After: []string{AccountMembers.Source()},
		Skip:  unlessAny(AccountMembers, invited, "no invitation is open"),
		Enough: func(k *Known, t SourceScope, pages []json.RawMessage) bool {
			missing := map[string]bool{}
			for _, id := range openInvitations(k, t) {
				missing[id] = true
			}
			for _, page := range pages {
				var found []Invitation
				if json.Unmarshal(page, &found) != nil {
					return false
				}
				for _, i := range found {
					delete(missing, i.MemberID)
				}
			}
			return len(missing) == 0
		},
		Example: `[{"id":"e1","action":{"type":"create","result":"success","time":"2026-01-01T00:00:00Z"},"actor":{"context":"dash",` +
			`"email":"drop@acme.example","ip_address":"drop"},` +
			`"raw":{"uri":"drop","user_agent":"drop"},"resource":{"id":"4536bcfad5faccb111b47003c79917fa","product":"members","type":"member",` +
			`"request":{"email":"drop"},"response":{"email":"drop"}}}]`,
	}, func(page []auditWire) []invitationWire {
		var out []invitationWire
		for _, w := range page {
			if w.Action.Type == "" {
				out = append(out, invitationWire{}) // not an event, so the list has an unexpected form
				continue
			}
			if w.Action.Type != "create" || w.Action.Result == "failure" {
				continue
			}
			if ids == nil {
				out = append(out, invitationWire{w.Resource.ID, w.Action.Time})
			}
			for _, id := range ids {
				if w.Resource.ID == id || strings.Contains(string(w.Resource.Request), id) || strings.Contains(string(w.Resource.Response), id) {
					out = append(out, invitationWire{id, w.Action.Time})
				}
			}
		}
		return out
	}, func(w invitationWire) Invitation { return Invitation{MemberID: w.id, At: w.at} })
}
