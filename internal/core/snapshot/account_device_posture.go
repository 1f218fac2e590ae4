package snapshot

// DevicePosture holds the device posture checks.
const DevicePosture Key[[]PostureRule] = "account/device_posture"

// PostureRule tests one property of a device.
type PostureRule struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	// Input is what the test requires, nil when Cloudflare does not return it.
	Input *PostureInput `json:"input,omitempty"`
}

// PostureInput is what a test requires, reduced to what decides whether a non-compliant device
// passes.
type PostureInput struct {
	Enabled    *bool  `json:"enabled,omitempty"`
	RequireAll bool   `json:"require_all,omitempty"`
	Disks      int    `json:"disks,omitempty"` // number of disks named
	Operator   string `json:"operator,omitempty"`
	Compliance string `json:"compliance_status,omitempty"`
}

type postureRuleWire struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Type  string `json:"type"`
	Input *struct {
		Enabled    *bool    `json:"enabled"`
		RequireAll bool     `json:"requireAll"`
		Disks      []string `json:"checkDisks"`
		Operator   string   `json:"operator"`
		Compliance string   `json:"compliance_status"`
	} `json:"input"`
}

func reducePostureRule(w postureRuleWire) PostureRule {
	r := PostureRule{ID: w.ID, Name: w.Name, Type: w.Type}
	if i := w.Input; i != nil {
		r.Input = &PostureInput{Enabled: i.Enabled, RequireAll: i.RequireAll, Disks: len(i.Disks), Operator: i.Operator,
			Compliance: i.Compliance}
	}
	return r
}

// SortKey orders rules by id.
func (r PostureRule) SortKey() string { return r.ID }

// accountDevicePosture lists the device posture checks, without the values they compare
// (developers.cloudflare.com/api/resources/zero_trust/subresources/devices/subresources/posture/methods/list/).
func accountDevicePosture() Source {
	return list(DevicePosture, Source{
		Path: "/accounts/{account_id}/devices/posture", Permission: permissionZeroTrust,
		After: []string{AccessOrg.Source()}, Skip: accessUnused,
		Example: `[{"id":"d1","name":"Disk encryption","type":"disk_encryption","schedule":"5m","expiration":"",` +
			`"match":[{"platform":"windows"}],"input":{"requireAll":true,"connection_id":"drop","thumbprint":"drop"}}]`,
	}, reducePostureRule)
}
