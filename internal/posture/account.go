package posture

import (
	"encoding/json"
	"time"
)

// Account is a provider account registered with the service. ID is ours,
// ProviderID the provider's. The token is kept sealed in the store and is never
// part of this type.
type Account struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	ProviderID string    `json:"providerId"`
	Demo       bool      `json:"demo"`
	Default    bool      `json:"default"`
	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
	// Policy holds the thresholds that differ from the defaults, as a JSON object.
	Policy json.RawMessage `json:"policy,omitempty"`
}

// AssessRequest is the part of an assess call that decides what is read and
// judged. It is the argument of an assess job and holds no credential.
type AssessRequest struct {
	Account      string      `json:"account,omitempty"`
	AccountID    string      `json:"accountId,omitempty"`
	Zones        []string    `json:"zones,omitempty"`
	ExcludeZones []string    `json:"excludeZones,omitempty"`
	Categories   []string    `json:"categories,omitempty"`
	Checks       []string    `json:"checks,omitempty"`
	Profile      Profile     `json:"profile,omitempty"`
	Sensitivity  Sensitivity `json:"sensitivity,omitempty"`
	Note         string      `json:"note,omitempty"`
}

// Canonical gives the bytes two equal requests share.
func (r AssessRequest) Canonical() ([]byte, error) { return json.Marshal(r) }
