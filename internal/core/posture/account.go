package posture

import (
	"encoding/json"
	"time"
)

// Account is a provider account registered with the service. ID is the service's id, ProviderID the
// provider's. The token is sealed in the store and is never part of this type.
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
	// AfterRun holds what happens after each run (see AfterRun), as JSON.
	AfterRun json.RawMessage `json:"afterRun,omitempty"`
	// Zones and ExcludeZones are the scope of runs that name no zones themselves.
	Zones        []string `json:"zones,omitempty"`
	ExcludeZones []string `json:"excludeZones,omitempty"`
	// Labels name groups that the account belongs to, such as production.
	Labels []string `json:"labels,omitempty"`
	// TokenAt is when the token was last replaced; what was learned about a token before then does
	// not apply to this one. Zero when it was never replaced.
	TokenAt time.Time `json:"tokenAt,omitzero"`
}

// Scoped fills in the zones of the account when the request names none.
func (a Account) Scoped(r AssessRequest) AssessRequest {
	if len(r.Zones) == 0 && len(r.ExcludeZones) == 0 {
		r.Zones, r.ExcludeZones = a.Zones, a.ExcludeZones
	}
	return r
}

// AssessKey is the active key of the account's assess jobs: at most one is unfinished at a time per
// provider account, even if it is registered under several names.
func (a Account) AssessKey() string {
	if a.ProviderID != "" {
		return "assess:" + a.ProviderID
	}
	return "assess:" + a.ID
}

// AfterRun says what is sent after each run of an account. The targets must be configured in the
// settings: nobody supplies a credential with a scheduled run.
type AfterRun struct {
	Ship        string `json:"ship,omitempty" enum:"search,collector,all,file,securityhub" doc:"Where the findings are shipped."`
	OnlyChanges bool   `json:"onlyChanges,omitempty" doc:"Ship only what is new or changed since the run before."`

	Notify Channels `json:"notify,omitempty" doc:"Channels that are told."`

	Threshold string `json:"threshold,omitempty" enum:"critical,high,medium,low,informational" doc:"Least severity to tell. Default as saved."`

	When string `json:"when,omitempty" enum:"always,changed,worse" doc:"After every run, after changes, or when worse. Default always."`
}

// Channels are names of notification channels; package notify lists them.
type Channels []string

// AssessRequest is the part of an assess call that decides what is read and judged. It is the
// argument of an assess job and holds no credential.
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

	Incremental bool `json:"incremental,omitempty" doc:"Reuses reads of the last 24 hours, unless Cloudflare's audit log hints at a change."`
}

// Canonical returns the same bytes for equal requests.
func (r AssessRequest) Canonical() ([]byte, error) { return json.Marshal(r) }
