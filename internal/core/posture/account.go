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
	// AfterRun holds what follows each run (see AfterRun), as JSON.
	AfterRun json.RawMessage `json:"afterRun,omitempty"`
	// Zones and ExcludeZones are the scope of runs that name no zones themselves.
	Zones        []string `json:"zones,omitempty"`
	ExcludeZones []string `json:"excludeZones,omitempty"`
	// Labels name groups that the account is in, such as production.
	Labels []string `json:"labels,omitempty"`
	// TokenAt is when the token was last replaced; what was learned of a token
	// before is not about this one. Zero when it never was.
	TokenAt time.Time `json:"tokenAt,omitzero"`
}

// Scoped gives a request the zones of the account when it names none itself.
func (a Account) Scoped(r AssessRequest) AssessRequest {
	if len(r.Zones) == 0 && len(r.ExcludeZones) == 0 {
		r.Zones, r.ExcludeZones = a.Zones, a.ExcludeZones
	}
	return r
}

// AssessKey is the active key of assess jobs of the account: one is unfinished at
// a time for a provider account, under however many names it is registered.
func (a Account) AssessKey() string {
	if a.ProviderID != "" {
		return "assess:" + a.ProviderID
	}
	return "assess:" + a.ID
}

// AfterRun says what is sent after each run of an account. What it names must be
// in the settings: a run of its own has nobody who brings a credential.
type AfterRun struct {
	Ship        string   `json:"ship,omitempty" enum:"search,collector,all,file,securityhub" doc:"Where the findings are shipped."`
	OnlyChanges bool     `json:"onlyChanges,omitempty" doc:"Ship only what is new or changed since the run before."`
	Notify      Channels `json:"notify,omitempty" doc:"Channels that are told."`
	Threshold   string   `json:"threshold,omitempty" enum:"critical,high,medium,low,informational" doc:"Tell only when the worst open finding is at least this grave; the saved threshold when absent."`
	When        string   `json:"when,omitempty" enum:"always,changed,worse" doc:"Tell after every run, after runs that changed something, or only when something got worse. Default always."`
}

// Channels are names of notification channels, which package notify lists.
type Channels []string

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
	Incremental  bool        `json:"incremental,omitempty" doc:"Carries forward what an earlier run of the last 24 hours read, unless Cloudflare's audit log shows that it may have changed; the assessment says what was."`
}

// Canonical gives the bytes two equal requests share.
func (r AssessRequest) Canonical() ([]byte, error) { return json.Marshal(r) }
