package simcloud

// platformAccount is what an account holds of its credentials and the developer
// platform.
type platformAccount struct {
	audit         []obj
	insights      []obj
	silences      []obj
	workerDomains []obj
	projects      []obj
	connections   []obj
	gateways      []obj
	held          map[string][]obj // objects of products that are judged once, by the read that lists them
}

// makePlatform fills in a good configuration.
func (a *account) makePlatform() {
	a.makeAuditLog()
	a.makeInsights()
	a.makeMoreAlerts()
	a.makeBuckets()
	a.makeConnections()
	a.makeGateways()
	a.makeScripts()
	a.makeExports()
	a.makePages()
	a.makeProducts()
}

// platformCanaries are values no client may keep.
func platformCanaries() []string {
	return []string{canaryAuditRaw, canaryInsight, canaryPagesText, canaryPagesToken, canaryPagesDeploy, canaryDatabaseUser, canaryTraceHeader,
		canaryProduct}
}
