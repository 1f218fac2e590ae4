package snapshot

// GatewayConfig holds the settings of Gateway.
const GatewayConfig Key[GatewaySettings] = "account/gateway_config"

// GatewaySettings is the configuration of Gateway; nil means that the provider has no value.
type GatewaySettings struct {
	TLSDecrypt  *bool             `json:"tls_decrypt,omitempty"`
	Antivirus   *GatewayAntivirus `json:"antivirus,omitempty"`
	ActivityLog *bool             `json:"activity_log,omitempty"`
	Isolation   *GatewayIsolation `json:"browser_isolation,omitempty"`
	// Protocols says whether protocols are detected from the traffic, Ports which ports are
	// inspected: static (80 and 443) or dynamic (all).
	Protocols *bool           `json:"protocol_detection,omitempty"`
	Ports     string          `json:"inspection_mode,omitempty"`
	Sandbox   *GatewaySandbox `json:"sandbox,omitempty"`
	// Certificate is the id of the root certificate that signs for inspected sites.
	Certificate string `json:"certificate,omitempty"`
}

// GatewaySandbox says whether files are run in a sandbox, and what happens to those that cannot be:
// block or allow.
type GatewaySandbox struct {
	Enabled  bool   `json:"enabled"`
	Fallback string `json:"fallback_action,omitempty"`
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

type gatewayConfigWire struct {
	Settings struct {
		TLSDecrypt *struct {
			Enabled bool `json:"enabled"`
		} `json:"tls_decrypt"`
		Antivirus   *GatewayAntivirus `json:"antivirus"`
		ActivityLog *struct {
			Enabled bool `json:"enabled"`
		} `json:"activity_log"`
		Isolation *GatewayIsolation `json:"browser_isolation"`
		Protocols *struct {
			Enabled bool `json:"enabled"`
		} `json:"protocol_detection"`
		Inspection struct {
			Mode string `json:"mode"`
		} `json:"inspection"`
		Sandbox     *GatewaySandbox `json:"sandbox"`
		Certificate struct {
			ID string `json:"id"`
		} `json:"certificate"`
	} `json:"settings"`
}

func reduceGatewayConfig(w gatewayConfigWire) GatewaySettings {
	s := GatewaySettings{Antivirus: w.Settings.Antivirus, Isolation: w.Settings.Isolation, Ports: w.Settings.Inspection.Mode,
		Sandbox: w.Settings.Sandbox, Certificate: w.Settings.Certificate.ID}
	if p := w.Settings.Protocols; p != nil {
		s.Protocols = &p.Enabled
	}
	if d := w.Settings.TLSDecrypt; d != nil {
		s.TLSDecrypt = &d.Enabled
	}
	if l := w.Settings.ActivityLog; l != nil {
		s.ActivityLog = &l.Enabled
	}
	return s
}

// accountGatewayConfig reads the settings of Gateway, except for the block page
// (developers.cloudflare.com/api/resources/zero_trust/subresources/gateway/subresources/configurations/methods/get/).
func accountGatewayConfig() Source {
	return object(GatewayConfig, Source{
		Path: "/accounts/{account_id}/gateway/configuration", Permission: permissionZeroTrust,
		After: []string{GatewayRules.Source()}, Skip: gatewayUnused(),
		Example: `{"settings":{"tls_decrypt":{"enabled":true},"antivirus":{"enabled_download_phase":true,"enabled_upload_phase":true,` +
			`"fail_closed":true,"notification_settings":{"msg":"drop"}},"activity_log":{"enabled":true},` +
			`"browser_isolation":{"url_browser_isolation_enabled":true,"non_identity_enabled":false},"block_page":{"mailto_address":"drop"},` +
			`"protocol_detection":{"enabled":true},"inspection":{"mode":"dynamic"},"sandbox":{"enabled":true,"fallback_action":"block"},` +
			`"certificate":{"id":"g1"}},` +
			`"created_at":"drop"}`,
	}, reduceGatewayConfig)
}
