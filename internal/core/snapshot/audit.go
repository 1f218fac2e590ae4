package snapshot

import (
	"strings"
	"time"
	"unicode"
)

// Audit log sources. The first two keep only the entries one check needs; the third keeps who
// changed what, which no check judges.
const (
	AccountAuditLog        Key[[]AuditEntry]    = "account/audit_log"
	AccountAuditLogMembers Key[[]Invitation]    = "account/audit_log_members"
	AccountAuditChanges    Key[[]AuditedChange] = "account/audit_changes"
)

// AuditEntry is an action attempted with a global API key.
type AuditEntry struct {
	Time    Time   `json:"time,omitzero"`
	Action  string `json:"action"`
	Result  string `json:"result"`
	Product string `json:"product,omitempty"`
	Actor   string `json:"actor,omitempty"` // local part masked
}

// SortKey orders entries by time; identical entries count once, and an entry with neither action
// nor time is dropped.
func (e AuditEntry) SortKey() string {
	if e.Action == "" && e.Time.IsZero() {
		return ""
	}
	return e.Time.UTC().Format(time.RFC3339Nano) + "|" + e.Actor + "|" + e.Action + "|" + e.Product + "|" + e.Result
}

// Invitation is an event that created a member whose invitation is still open.
type Invitation struct {
	MemberID string `json:"member_id"`
	At       Time   `json:"at,omitzero"`
}

// SortKey orders invitations by member and time.
func (i Invitation) SortKey() string {
	if i.MemberID == "" {
		return ""
	}
	return i.MemberID + "|" + i.At.UTC().Format(time.RFC3339Nano)
}

// AuditedChange is a change to the account. Actor is an e-mail address with its local part masked,
// or the name of a token.
type AuditedChange struct {
	Time       Time   `json:"time,omitzero"`
	Action     string `json:"action"`
	Actor      string `json:"actor,omitempty"`
	Via        string `json:"via,omitempty"`
	Product    string `json:"product,omitempty"`
	ResourceID string `json:"resource_id,omitempty"`
	ZoneID     string `json:"zone_id,omitempty"`
}

// SortKey orders changes by time; identical changes count once, and a change with neither action
// nor time is dropped.
func (c AuditedChange) SortKey() string {
	if c.Action == "" && c.Time.IsZero() {
		return ""
	}
	return strings.Join([]string{c.Time.UTC().Format(time.RFC3339Nano), c.Actor, c.Via, c.Action, c.Product, c.ZoneID, c.ResourceID}, "|")
}

// ProductWords converts the name of a changed product to lower-case words: "DNS_Records" and
// "dns-records" both become "dns records".
func ProductWords(product string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(product), func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	}), " ")
}
