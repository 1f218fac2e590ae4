package check

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

func goodWorkers(b *snapshot.Builder) {
	off := &snapshot.WorkerSwitches{}
	snapshot.Put(b, snapshot.WorkersBeta, GoodAccount, []snapshot.WorkerAddress{{ID: "1", Name: GoodWorker, Switches: off, Host: GoodWorker + ".acme.workers.dev", Observed: true}})
	b.Set(snapshot.Section{Source: snapshot.WorkerSubdomain.Source(), Scope: GoodWorker, Status: snapshot.Skipped, Reason: "the list of addresses holds the script"})
	snapshot.Put(b, snapshot.WorkerDomains, GoodAccount, []snapshot.WorkerDomain{})
	snapshot.Put(b, snapshot.ZoneWorkerRoutes, GoodZone, []snapshot.WorkerRoute{{ID: "r1", Pattern: GoodDomain + "/shop/*", Script: GoodWorker}})
	snapshot.Edit(b, snapshot.WorkerSettings, GoodWorker, func(c *snapshot.WorkerConfig) {
		c.Bindings = append(c.Bindings, snapshot.Binding{Name: "SESSIONS", Type: "kv_namespace", Target: "n1"})
	})
	snapshot.Put(b, snapshot.KVNamespaces, GoodAccount, []snapshot.KVNamespace{{ID: "n1", Title: "sessions"}})
	snapshot.Put(b, snapshot.D1Databases, GoodAccount, []snapshot.D1Database{{ID: "d1", Name: "orders"}})
	snapshot.Put(b, snapshot.Queues, GoodAccount, []snapshot.Queue{{ID: "q1", Name: "mail", Producers: 1, Scripts: []string{GoodWorker},
		Consumers: []snapshot.QueueConsumer{{Type: "worker", Script: GoodWorker, DeadLetters: "mail-dead"}}}})
}

func goodSites(b *snapshot.Builder) {
	yes, no := true, false
	snapshot.Put(b, snapshot.PagesProjects, GoodAccount, []snapshot.PagesProject{{Name: "docs", Subdomain: "docs.pages.dev", Domains: []string{"docs.pages.dev", "docs." + GoodDomain},
		Branch: "main", UsesFunctions: &yes, Built: true, Previews: "none",
		Production: snapshot.PagesConfig{Variables: []snapshot.Binding{{Name: "REGION", Type: "plain_text", Length: 9}, {Name: "API_TOKEN", Type: "secret_text"}}, FailOpen: &no},
		Preview:    snapshot.PagesConfig{FailOpen: &no}}})
}

func goodBuckets(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.R2CustomDomains, GoodBucket, []snapshot.R2Domain{})
	snapshot.Put(b, snapshot.R2CORS, GoodBucket, []snapshot.R2CORSRule{{Origins: []string{"https://" + GoodDomain}, Methods: []string{"GET"}}})
	snapshot.Put(b, snapshot.R2Lifecycle, GoodBucket, []snapshot.R2LifecycleRule{{ID: "expire", Enabled: true, Delete: &snapshot.R2Deadline{Kind: "Age", Seconds: 365 * 86400}}})
	b.Set(snapshot.Section{Source: snapshot.R2Lock.Source(), Scope: GoodBucket, Status: snapshot.Skipped, Reason: "the bucket holds neither logs nor backups"})
	yes := true
	snapshot.Put(b, snapshot.AIGateways, GoodAccount, []snapshot.AIGateway{{ID: "support", Authentication: true, RateLimit: 100, RateInterval: 60, Guardrails: true, CollectLogs: &yes}})
	snapshot.Put(b, snapshot.Hyperdrive, GoodAccount, []snapshot.Database{{ID: "h1", Name: "orders", Host: "db." + GoodDomain, Scheme: "postgres", SSLMode: "verify-full"}})
}
