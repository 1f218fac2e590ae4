package simcloud

// platformAccount is the account state of the audit log, insights and the developer platform.
type platformAccount struct {
	audit         []obj
	insights      []obj
	silences      []obj
	workerDomains []obj
	projects      []obj
	connections   []obj
	gateways      []obj
	held          map[string][]obj // objects of products assessed once per account, by source
}

// makePlatform generates a good configuration.
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

// platformCanaries returns values no client may store.
func platformCanaries() []string {
	return []string{canaryAuditRaw, canaryInsight, canaryPagesText, canaryPagesToken, canaryPagesDeploy, canaryDatabaseUser, canaryTraceHeader,
		canaryProduct}
}
