package posture

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// FindingStatus says where a finding stands over several assessments.
type FindingStatus string

// A finding is open when seen, resolved when a later run passes, reopened when it returns.
const (
	StatusOpen     FindingStatus = "open"
	StatusResolved FindingStatus = "resolved"
	StatusReopened FindingStatus = "reopened"
)

// Finding is the verdict of one check on one resource in one assessment.
// ID is stable over assessments (see FindingID). Reason explains UNKNOWN and
// NOT_APPLICABLE; Permission names what the token lacks when that is why.
type Finding struct {
	ID            string        `json:"id"`
	CheckID       string        `json:"checkId"`
	Title         string        `json:"title"`
	Category      Category      `json:"category"`
	Severity      Severity      `json:"severity"`
	Risk          float64       `json:"risk" doc:"Severity in the context of the run, 0 to 10: how sensitive what stands behind the account is, and whether the zone serves traffic. 0 unless FAIL or WARNING."`
	Result        Result        `json:"result"`
	Resource      Resource      `json:"resource"`
	Message       string        `json:"message"`
	Evidence      []Evidence    `json:"evidence"`
	Why           string        `json:"why"`
	Fix           string        `json:"fix"`
	Remediable    bool          `json:"remediable"`
	Controls      Controls      `json:"controls"`
	NodeID        string        `json:"nodeId"`
	AttackPathIDs []string      `json:"attackPathIds"`
	FirstSeen     time.Time     `json:"firstSeen"`
	LastSeen      time.Time     `json:"lastSeen"`
	Status        FindingStatus `json:"status"`
	Exception     *string       `json:"exception,omitempty"`
	Reason        string        `json:"reason,omitempty"`
	Permission    string        `json:"permission,omitempty"`
	Judged        int           `json:"judged,omitempty"`
}

// FindingID is the stable identity of a finding: the first 16 bytes of SHA-256
// over account id, check id, resource type and resource id, as hex. A zero byte
// parts the fields so that no two tuples share an encoding.
func FindingID(accountID, checkID string, resource ResourceType, resourceID string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{accountID, checkID, string(resource), resourceID}, "\x00")))
	return hex.EncodeToString(sum[:16])
}
