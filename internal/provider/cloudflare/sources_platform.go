package cloudflare

// platformSources are the reads of the account, its credentials and the developer platform.
func platformSources() []Source {
	return []Source{
		accountAuditChanges(), accountAuditLog(), accountAuditLogMembers(), accountInsights(), alertSilences(),
		workersBeta(), workerSubdomain(), workerDomains(), zoneWorkerRoutes(), pagesProjects(),
		kvNamespaces(), d1Databases(), queues(), hyperdrive(), aiGateways(),
		r2CustomDomains(), r2CORS(), r2Lifecycle(), r2Lock(),
	}
}
