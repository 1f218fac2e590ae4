package snapshot

// DLPSettings says how DLP matches are logged.
const DLPSettings Key[DLPLogging] = "account/dlp_settings"

// DLPLogging says how DLP matches are logged. Masking is full, partial, clear or default; Encrypted
// is set when there is a key, without which nothing is logged.
type DLPLogging struct {
	Masking   string `json:"masking_level,omitempty"`
	Encrypted bool   `json:"encrypted"`
}

type dlpSettingsWire struct {
	Logging struct {
		Masking string `json:"masking_level"`
		Key     string `json:"public_key"`
	} `json:"payload_logging"`
}

// accountDLPSettings reads how DLP matches are logged, which matters only if a rule logs them
// (developers.cloudflare.com/api/resources/zero_trust/subresources/dlp/).
func accountDLPSettings() Source {
	return object(DLPSettings, Source{
		Path: "/accounts/{account_id}/dlp/settings", Permission: permissionZeroTrust,
		After: []string{GatewayRules.Source()},
		Skip: firstOf(unlessAny(GatewayRules, func(r GatewayRule) bool { return r.Enabled && r.PayloadLog }, "no rule logs what DLP found"),
			gatewayUnused()),
		Example: `{"ai_context_analysis":false,"ocr":true,"payload_logging":{"masking_level":"full","public_key":"drop",` +
			`"updated_at":"2026-01-01T00:00:00Z"}}`,
	}, func(w dlpSettingsWire) DLPLogging {
		return DLPLogging{Masking: w.Logging.Masking, Encrypted: w.Logging.Key != ""}
	})
}
