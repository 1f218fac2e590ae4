package snapshot

// What Gateway decides about traffic that leaves the organisation, and what
// looks for data outside of it.
const (
	GatewayRules     Key[[]GatewayRule]     = "account/gateway_rules"
	GatewayConfig    Key[GatewaySettings]   = "account/gateway_config"
	GatewayLogging   Key[GatewayLog]        = "account/gateway_logging"
	DLPProfiles      Key[[]DLPProfile]      = "account/dlp_profiles"
	CASBIntegrations Key[[]CASBIntegration] = "account/casb_integrations"
	CASBFindings     Key[[]CASBFinding]     = "account/casb_findings"
)

// GatewayRule is one rule; an empty Traffic, Identity or DevicePosture means
// all of it. Restricts names what an isolated page may not do.
type GatewayRule struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Action        string   `json:"action"`
	Enabled       bool     `json:"enabled"`
	Filters       []string `json:"filters"`
	Precedence    float64  `json:"precedence"`
	Traffic       string   `json:"traffic"`
	Identity      string   `json:"identity,omitempty"`
	DevicePosture string   `json:"device_posture,omitempty"`
	Restricts     []string `json:"restricts,omitempty"`
	Scheduled     bool     `json:"scheduled,omitempty"` // acts at certain hours only
}

// SortKey orders rules by id; what runs first is told by Precedence.
func (r GatewayRule) SortKey() string { return r.ID }

// GatewaySettings is the configuration of Gateway; nil means that the provider
// holds nothing.
type GatewaySettings struct {
	TLSDecrypt  *bool             `json:"tls_decrypt,omitempty"`
	Antivirus   *GatewayAntivirus `json:"antivirus,omitempty"`
	ActivityLog *bool             `json:"activity_log,omitempty"`
	Isolation   *GatewayIsolation `json:"browser_isolation,omitempty"`
}

// GatewayAntivirus says which files are scanned.
type GatewayAntivirus struct {
	Download   bool `json:"enabled_download_phase"`
	Upload     bool `json:"enabled_upload_phase"`
	FailClosed bool `json:"fail_closed"`
}

// GatewayIsolation says who may use the isolated browser.
type GatewayIsolation struct {
	URL         bool `json:"url_browser_isolation_enabled"`
	NonIdentity bool `json:"non_identity_enabled"`
}

// GatewayLog says what Gateway logs; a nil depth was not told.
type GatewayLog struct {
	RedactPII *bool     `json:"redact_pii,omitempty"`
	DNS       *LogDepth `json:"dns,omitempty"`
	HTTP      *LogDepth `json:"http,omitempty"`
	L4        *LogDepth `json:"l4,omitempty"`
}

// LogDepth says which decisions of a filter are logged.
type LogDepth struct {
	All    bool `json:"log_all"`
	Blocks bool `json:"log_blocks"`
}

// DLPProfile describes a kind of sensitive data.
type DLPProfile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
}

// SortKey orders profiles by id.
func (p DLPProfile) SortKey() string { return p.ID }

// CASBIntegration connects an application of another provider.
type CASBIntegration struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Paused  bool   `json:"is_paused"`
	Created Time   `json:"created,omitzero"`
}

// SortKey orders integrations by id.
func (i CASBIntegration) SortKey() string { return i.ID }

// CASBFinding is a kind of trouble found in a connected application; Severity
// is the effective one. Its instances are never read.
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
