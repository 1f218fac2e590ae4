package simcloud

// ztnaAccount is the account state of Zero Trust and private networks.
type ztnaAccount struct {
	clients    map[string][]obj // connections by tunnel
	routes     []obj            // private networks
	hostnames  []obj            // private host names
	mcpServers []obj
	enrolment  obj // the device enrolment application

	gatewayRules        []obj
	gateway, gatewayLog obj
	// rules the clean account relies on, nil if it does not have the product
	gwDNS, gwDLP, gwIsolate, gwPosture, gwFinal obj
	dlp, integrations, casb                     []obj

	deviceDefault, deviceSettings, deviceOverride obj
	profiles, posture                             []obj

	proxies, locations, gatewayCerts []obj
	dlpSettings, sshLog              obj
	dormant, warp, vpc               []obj

	ipsec, gre, clusters []obj // site tunnels and DNS Firewall
}

// makeZtna generates a good configuration.
func (a *account) makeZtna() {
	if a.org != nil {
		a.makeIdentity()
		a.makeRoutes()
		a.makeDevices()
		a.makeGateway()
	}
	a.makeSites()
}

// makeZtna does nothing: zones have no Zero Trust state.
func (z *zone) makeZtna() {}

// ztnaCanaries returns values no client may store.
func ztnaCanaries() []string {
	return []string{canaryMCPDetail, canaryGatewayHeader, canaryBlockPage, canaryDLPPattern, canaryCASBInstance, canaryDeviceSupport,
		canaryMagic, canaryUpstream, canaryDNSPlace}
}
