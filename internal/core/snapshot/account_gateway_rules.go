package snapshot

import (
	"encoding/json"
	"slices"
)

// GatewayRules holds the rules of Gateway.
const GatewayRules Key[[]GatewayRule] = "account/gateway_rules"

// GatewayRule is one rule; an empty Traffic, Identity or DevicePosture matches everything.
// Restricts names what users may not do on an isolated page.
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
	Scheduled     bool     `json:"scheduled,omitempty"` // acts only at certain hours
	Ends          Time     `json:"expires_at,omitzero"`
	// Untrusted is what happens to sites with an invalid certificate: error, block or pass_through;
	// empty means error.
	Untrusted string `json:"untrusted_cert,omitempty"`
	// NoDNSSEC says that answers are accepted without validation, SkipsCNAMEs that only the queried
	// name is matched against categories.
	NoDNSSEC    bool `json:"insecure_disable_dnssec_validation,omitempty"`
	SkipsCNAMEs bool `json:"ignore_cname_category_matches,omitempty"`
	// PayloadLog says that the content of DLP matches is logged.
	PayloadLog bool `json:"payload_log,omitempty"`
}

// SortKey orders rules by id; Precedence is the order of evaluation.
func (r GatewayRule) SortKey() string { return r.ID }

type gatewayRuleWire struct {
	ID            string          `json:"id"`
	Name          string          `json:"name"`
	Action        string          `json:"action"`
	Enabled       bool            `json:"enabled"`
	Filters       []string        `json:"filters"`
	Precedence    float64         `json:"precedence"`
	Traffic       string          `json:"traffic"`
	Identity      string          `json:"identity"`
	DevicePosture string          `json:"device_posture"`
	DeletedAt     json.RawMessage `json:"deleted_at"`
	Expiration    *struct {
		Expired bool `json:"expired"`
		Ends    Time `json:"expires_at"`
	} `json:"expiration"`
	Schedule map[string]any `json:"schedule"`
	Settings *struct {
		Isolation *isolationWire `json:"biso_admin_controls"`
		Untrusted struct {
			Action string `json:"action"`
		} `json:"untrusted_cert"`
		NoDNSSEC    bool `json:"insecure_disable_dnssec_validation"`
		SkipsCNAMEs bool `json:"ignore_cname_category_matches"`
		PayloadLog  struct {
			Enabled bool `json:"enabled"`
		} `json:"payload_log"`
	} `json:"rule_settings"`
}

// isolationWire holds the switches of both versions of the controls: the first disables actions,
// the second lists the allowed ones.
type isolationWire struct {
	NoCopy     bool   `json:"dcp"`
	NoDownload bool   `json:"dd"`
	NoUpload   bool   `json:"du"`
	Copy       string `json:"copy"`
	Download   string `json:"download"`
	Upload     string `json:"upload"`
}

// reduceGatewayRule drops the headers a rule sets, which may hold secrets. A deleted or expired
// rule counts as disabled.
func reduceGatewayRule(w gatewayRuleWire) GatewayRule {
	r := GatewayRule{ID: w.ID, Name: w.Name, Action: w.Action, Filters: w.Filters, Precedence: w.Precedence, Traffic: w.Traffic,
		Identity: w.Identity, DevicePosture: w.DevicePosture, Scheduled: len(w.Schedule) > 0}
	gone := len(w.DeletedAt) > 0 && string(w.DeletedAt) != "null" && string(w.DeletedAt) != `""`
	r.Enabled = w.Enabled && !gone && (w.Expiration == nil || !w.Expiration.Expired)
	if w.Expiration != nil {
		r.Ends = w.Expiration.Ends
	}
	if s := w.Settings; s != nil {
		r.Untrusted, r.NoDNSSEC, r.SkipsCNAMEs, r.PayloadLog = s.Untrusted.Action, s.NoDNSSEC, s.SkipsCNAMEs, s.PayloadLog.Enabled
	}
	if w.Settings != nil && w.Settings.Isolation != nil {
		i := w.Settings.Isolation
		restricted := func(word string) bool { return slices.Contains([]string{"disabled", "remote_only"}, word) }
		for _, c := range []struct {
			name string
			on   bool
		}{{"copy", i.NoCopy || restricted(i.Copy)}, {"download", i.NoDownload || restricted(i.Download)},
			{"upload", i.NoUpload || restricted(i.Upload)}} {
			if c.on {
				r.Restricts = append(r.Restricts, c.name)
			}
		}
	}
	return r
}

const permissionZeroTrust = "Account: Zero Trust Read"

// accountGatewayRules lists the rules of Gateway; not found means that Gateway
// is not in use
// (developers.cloudflare.com/api/resources/zero_trust/subresources/gateway/subresources/rules/methods/list/).
func accountGatewayRules() Source {
	return list(GatewayRules, Source{
		Path: "/accounts/{account_id}/gateway/rules", Permission: permissionZeroTrust,
		Example: `[{"id":"g1","name":"Security","action":"block","enabled":true,"filters":["dns"],"precedence":1000,` +
			`"traffic":"any(dns.security_category[*] in {80 117 131})","identity":"","device_posture":"","deleted_at":null,` +
			`"expiration":{"expires_at":"2027-01-01T00:00:00Z"},` +
			`"schedule":{"mon":"08:00-17:00","time_zone":"Europe/Berlin"},` +
			`"rule_settings":{"add_headers":{"X-Key":["drop"]},"biso_admin_controls":{"version":"v2","upload":"disabled"},` +
			`"untrusted_cert":{"action":"error"},"payload_log":{"enabled":false}}}]`,
	}, reduceGatewayRule)
}

// gatewayUnused skips the rest of Gateway when the account does not have it.
func gatewayUnused() skipRule { return unused(GatewayRules, "Gateway is not in use") }
