package snapshot

// DevicePosture holds the tests of devices.
const DevicePosture Key[[]PostureRule] = "account/device_posture"

// PostureRule tests one property of a device.
type PostureRule struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
}

// SortKey orders rules by id.
func (r PostureRule) SortKey() string { return r.ID }

// accountDevicePosture lists the tests of devices, without what they compare
// (developers.cloudflare.com/api/resources/zero_trust/subresources/devices/subresources/posture/methods/list/).
func accountDevicePosture() Source {
	return list(DevicePosture, Source{
		Path: "/accounts/{account_id}/devices/posture", Permission: permissionZeroTrust,
		After: []string{AccessOrg.Source()}, Skip: accessUnused,
		Example: `[{"id":"d1","name":"Disk encryption","type":"disk_encryption","schedule":"5m","expiration":"",` +
			`"match":[{"platform":"windows"}],"input":{"requireAll":true,"connection_id":"drop","thumbprint":"drop"}}]`,
	}, asRead[PostureRule])
}
