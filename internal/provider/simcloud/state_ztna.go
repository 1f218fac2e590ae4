package simcloud

// ztnaAccount is what an account holds of Zero Trust and private networks.
type ztnaAccount struct {
	clients    map[string][]obj // connections by tunnel
	routes     []obj            // private networks
	hostnames  []obj            // private host names
	mcpServers []obj
	enrolment  obj // the application that admits devices

	gatewayRules        []obj
	gateway, gatewayLog obj
	// the rules that keep the account good, nil where it has no such product
	gwDNS, gwDLP, gwIsolate, gwPosture, gwFinal obj
	dlp, integrations, casb                     []obj

	deviceDefault, deviceSettings, deviceOverride obj
	profiles, posture                             []obj

	proxies, locations, gatewayCerts []obj
	dlpSettings, sshLog              obj
	dormant, warp, vpc               []obj

	ipsec, gre, clusters []obj // sites and name servers
}

// makeZtna fills in a good configuration.
func (a *account) makeZtna() {
	if a.org != nil {
		a.makeIdentity()
		a.makeRoutes()
		a.makeDevices()
		a.makeGateway()
	}
	a.makeSites()
}

// makeZtna does nothing: no zone holds anything of Zero Trust.
func (z *zone) makeZtna() {}

// ztnaCanaries are values no client may keep.
func ztnaCanaries() []string {
	return []string{canaryMCPDetail, canaryGatewayHeader, canaryBlockPage, canaryDLPPattern, canaryCASBInstance, canaryDeviceSupport,
		canaryMagic, canaryUpstream, canaryDNSPlace}
}
