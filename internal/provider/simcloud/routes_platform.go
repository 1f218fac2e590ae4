package simcloud

// platformRoutes returns the operations of the account, its credentials and the developer platform.
func platformRoutes() []Route {
	const a = "/accounts/{account_id}"
	const b = a + "/r2/buckets/{bucket_name}"
	return []Route{
		// One operation serves the sources account/audit_log, account/audit_log_members and
		// account/audit_changes.
		read(a+"/logs/audit", permAccountSettings, "account/audit_log", listAudit),
		read(a+"/alerting/v3/silences", permNotifications, "account/alert_silences", listSilences),
		change("POST", a+"/alerting/v3/silences", permNotifications, createSilences),
		again(a+"/alerting/v3/silences/{silence_id}", permNotifications, readSilence),
		change("DELETE", a+"/alerting/v3/silences/{silence_id}", permNotifications, deleteSilence),
		read(a+"/security-center/insights", "Account: Account Security Center Insights", "account/insights", listInsights),
		list(a+"/workers/workers", permWorkers, "account/workers_beta", pages(10, 100), listWorkersBeta),
		read(a+"/workers/domains", permWorkers, "account/worker_domains", listWorkerDomains),
		list(a+"/pages/projects", permPages, "account/pages_projects", pages(10, 10), listProjects),
		again(a+"/pages/projects/{project_name}", permPages, readProject),
		list(a+"/pages/projects/{project_name}/deployments", permPages, "pages/previews", pages(25, 25), listPreviews),
		change("PATCH", a+"/pages/projects/{project_name}", permPages, patchProject),
		read(b+"/cors", permR2, "r2/cors", readCORS),
		change("PUT", b+"/cors", permR2, writeRules(func(b *bucket, rules []obj) { b.cors = rules })),
		read(b+"/lifecycle", permR2, "r2/lifecycle", ofBucket(func(b *bucket) []obj { return b.lifecycle })),
		change("PUT", b+"/lifecycle", permR2, writeRules(func(b *bucket, rules []obj) { b.lifecycle = rules })),
		read(b+"/lock", permR2, "r2/lock", ofBucket(func(b *bucket) []obj { return b.locks })),
		change("PUT", b+"/lock", permR2, writeLocks),
		list(a+"/hyperdrive/configs", "Account: Hyperdrive Read", "account/hyperdrive", pages(20, 100), listConnections),
		again(a+"/hyperdrive/configs/{hyperdrive_id}", "Account: Hyperdrive Read", readConnection),
		change("PATCH", a+"/hyperdrive/configs/{hyperdrive_id}", "Account: Hyperdrive Read", patchConnection),
		change("PATCH", a+"/queues/{queue_id}", "Account: Queues Read", patchQueue),
		list(a+"/ai-gateway/gateways", "Account: AI Gateway Read", "account/ai_gateways", pages(20, 100), listGateways),
	}
}
