package posture

import "time"

// Exception is an accepted risk: matching findings are left out of lists and messages until it
// ends. It changes no result, score, coverage or compliance. A revoked exception stays stored as a
// row.
type Exception struct {
	ID      string `json:"id"`
	Account string `json:"account,omitempty" doc:"Provider account id, or that of a registered account until its first run; absent: all."`

	Match     ExceptionMatch `json:"match"`
	Reason    string         `json:"reason"`
	Owner     string         `json:"owner"`
	CreatedAt time.Time      `json:"createdAt"`
	ExpiresAt *time.Time     `json:"expiresAt,omitempty"`
	RevokedAt *time.Time     `json:"revokedAt,omitempty"`
	State     ExceptionState `json:"state" enum:"active,expired,revoked"`
	Hides     int            `json:"hides" doc:"Open findings it hides now; one that another exception hides for longer is counted there."`
}

// ExceptionMatch selects findings: the values of one field combine with OR, the fields with AND.
type ExceptionMatch struct {
	CheckIDs    []string `json:"checkIds,omitempty" maxItems:"500"`
	ResourceIDs []string `json:"resourceIds,omitempty" maxItems:"1000"`

	Pattern string `json:"pattern,omitempty" maxLength:"200" doc:"Whole resource or zone name, ignoring case; * any text, ? one character."`

	Zones      []string   `json:"zones,omitempty" maxItems:"1000" doc:"Zone names or ids."`
	Severities []Severity `json:"severities,omitempty" maxItems:"5"`
}

// ExceptionState follows from the times of an exception and the current time.
type ExceptionState string

// The states of an exception.
const (
	ExceptionActive  ExceptionState = "active"
	ExceptionExpired ExceptionState = "expired"
	ExceptionRevoked ExceptionState = "revoked"
)

// At returns the exception with its state at a given time.
func (e Exception) At(now time.Time) Exception {
	switch {
	case e.RevokedAt != nil:
		e.State = ExceptionRevoked
	case e.ExpiresAt != nil && !now.Before(*e.ExpiresAt):
		e.State = ExceptionExpired
	default:
		e.State = ExceptionActive
	}
	return e
}
