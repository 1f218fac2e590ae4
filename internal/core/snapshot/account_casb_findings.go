package snapshot

// CASBFindings holds the findings in connected applications.
const CASBFindings Key[[]CASBFinding] = "account/casb_findings"

// CASBFinding is a kind of problem found in a connected application; Severity is the effective one.
// Its instances are never read.
type CASBFinding struct {
	ID                string `json:"id"`
	Name              string `json:"name"`
	Severity          string `json:"severity"`
	Active            int    `json:"active_count"`
	Ignored           bool   `json:"ignored"`
	LatestAffliction  Time   `json:"latest_affliction_date,omitzero"`
	Integration       string `json:"integration"`
	CredentialHealth  string `json:"credential_health_status"`
	CredentialsExpiry Time   `json:"credentials_expiry,omitzero"`
}

// SortKey orders findings by id.
func (f CASBFinding) SortKey() string { return f.ID }

type casbFindingWire struct {
	ID      string `json:"id"`
	Active  int    `json:"active_count"`
	Ignored bool   `json:"ignored"`
	Finding struct {
		Name     string `json:"name"`
		Severity string `json:"severity"`
	} `json:"finding"`
	Override *struct {
		Severity string `json:"severity"`
	} `json:"severity_override"`
	Latest      Time `json:"latest_affliction_date"`
	Integration struct {
		Name   string `json:"name"`
		Health string `json:"credential_health_status"`
		Expiry Time   `json:"credentials_expiry"`
	} `json:"integration"`
}

func reduceCASBFinding(w casbFindingWire) CASBFinding {
	f := CASBFinding{ID: w.ID, Name: w.Finding.Name, Severity: w.Finding.Severity, Active: w.Active, Ignored: w.Ignored,
		LatestAffliction: w.Latest, Integration: w.Integration.Name, CredentialHealth: w.Integration.Health,
		CredentialsExpiry: w.Integration.Expiry}
	if w.Override != nil && w.Override.Severity != "" {
		f.Severity = w.Override.Severity
	}
	return f
}

// accountCASBFindings lists the findings in connected applications. Their instances contain
// personal data and are never read
// (developers.cloudflare.com/cloudflare-one/integrations/cloud-and-saas/).
func accountCASBFindings() Source {
	return list(CASBFindings, Source{
		Path: "/accounts/{account_id}/data-security/posture/findings", Paging: Paging{Kind: ByPage, Size: 50}, Volatile: true,
		Permission: permissionZeroTrust,
		After:      []string{CASBIntegrations.Source()},
		Skip:       without(CASBIntegrations, "no application is connected", "no application is connected"),
		Example: `[{"id":"f1","active_count":3,"ignored":false,"finding":{"name":"File shared with everyone","severity":"High",` +
			`"vendor":"drop"},"severity_override":null,"latest_affliction_date":"2026-01-01T00:00:00Z","integration":{"name":"Office suite",` +
			`"credential_health_status":"Healthy","credentials_expiry":null,"is_paused":false,"policy":"drop","permissions":["drop"]}}]`,
	}, reduceCASBFinding)
}
