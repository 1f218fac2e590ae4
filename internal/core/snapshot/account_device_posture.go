package snapshot

// DevicePosture holds the device posture checks.
const DevicePosture Key[[]PostureRule] = "account/device_posture"

// PostureRule tests one property of a device.
type PostureRule struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	// Off says that Cloudflare does not run the test.
	Off bool `json:"off,omitempty"`
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
	// Infected, Active, Agent, Network and Threats are what SentinelOne tells: whether the device is
	// infected, whether its agent is active, the states of the agent and of its network, and a number
	// of threats, compared by Operator.
	Infected *bool    `json:"infected,omitempty"`
	Active   *bool    `json:"is_active,omitempty"`
	Agent    string   `json:"operational_state,omitempty"`
	Network  string   `json:"network_status,omitempty"`
	Threats  *float64 `json:"active_threats,omitempty"`
	// State is the state of the CrowdStrike sensor, VersionOperator compares its version. Scored is
	// set when a score of CrowdStrike is compared, by Operator.
	State           string `json:"state,omitempty"`
	VersionOperator string `json:"version_operator,omitempty"`
	Scored          bool   `json:"scored,omitempty"`
	// CountOperator compares the number of issues that Kolide found with Issues.
	CountOperator string `json:"count_operator,omitempty"`
	Issues        string `json:"issue_count,omitempty"`
}

type postureRuleWire struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Type  string `json:"type"`
	On    *bool  `json:"enabled"`
	Input *struct {
		Enabled    *bool    `json:"enabled"`
		RequireAll bool     `json:"requireAll"`
		Disks      []string `json:"checkDisks"`
		Operator   string   `json:"operator"`
		Compliance string   `json:"compliance_status"`

		Infected      *bool        `json:"infected"`
		Active        *bool        `json:"is_active"`
		Agent         string       `json:"operational_state"`
		Network       string       `json:"network_status"`
		Threats       *float64     `json:"active_threats"`
		State         string       `json:"state"`
		Versions      string       `json:"versionOperator"`
		OS            numberOrText `json:"os"`
		Overall       numberOrText `json:"overall"`
		Sensor        numberOrText `json:"sensor_config"`
		CountOperator string       `json:"countOperator"`
		Issues        numberOrText `json:"issue_count"`
	} `json:"input"`
}

func reducePostureRule(w postureRuleWire) PostureRule {
	r := PostureRule{ID: w.ID, Name: w.Name, Type: w.Type, Off: w.On != nil && !*w.On}
	if i := w.Input; i != nil {
		r.Input = &PostureInput{Enabled: i.Enabled, RequireAll: i.RequireAll, Disks: len(i.Disks), Operator: i.Operator,
			Compliance: i.Compliance, Infected: i.Infected, Active: i.Active, Agent: i.Agent, Network: i.Network, Threats: i.Threats,
			State: i.State, VersionOperator: i.Versions, Scored: i.OS+i.Overall+i.Sensor != "",
			CountOperator: i.CountOperator, Issues: string(i.Issues)}
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
		After: []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `[{"id":"d1","name":"Disk encryption","type":"disk_encryption","enabled":true,"schedule":"5m","expiration":"",` +
			`"match":[{"platform":"windows"}],"input":{"requireAll":true,"connection_id":"drop","thumbprint":"drop"}},` +
			`{"id":"d2","name":"Agent","type":"sentinelone_s2s","input":{"infected":false,"is_active":true,"network_status":"connected",` +
			`"operational_state":"na","active_threats":0,"operator":"<=","connection_id":"drop"}},` +
			`{"id":"d3","name":"Sensor","type":"crowdstrike_s2s","input":{"overall":"90","operator":">=","versionOperator":">",` +
			`"state":"online","version":"drop","connection_id":"drop"}}]`,
	}, reducePostureRule)
}
