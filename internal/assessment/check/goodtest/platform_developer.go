package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

func goodWorkers(b *snapshot.Builder) {
	off := &snapshot.WorkerSwitches{}
	snapshot.Put(b, snapshot.WorkersBeta, Account, []snapshot.WorkerAddress{{ID: "1", Name: Worker, Switches: off,
		Host: Worker + ".acme.workers.dev", Observed: true}})
	b.Set(snapshot.Section{Source: snapshot.WorkerSubdomain.Source(), Scope: Worker, Status: snapshot.Skipped,
		Reason: "the list of addresses holds the script"})
	snapshot.Put(b, snapshot.WorkerDomains, Account, []snapshot.WorkerDomain{})
	snapshot.Put(b, snapshot.ZoneWorkerRoutes, Zone, []snapshot.WorkerRoute{{ID: "r1", Pattern: Domain + "/shop/*", Script: Worker}})
	snapshot.Edit(b, snapshot.WorkerSettings, Worker, func(c *snapshot.WorkerConfig) {
		c.Bindings = append(c.Bindings, snapshot.Binding{Name: "SESSIONS", Type: "kv_namespace", Target: "n1"})
	})
	snapshot.Put(b, snapshot.KVNamespaces, Account, []snapshot.KVNamespace{{ID: "n1", Title: "sessions"}})
	snapshot.Put(b, snapshot.D1Databases, Account, []snapshot.D1Database{{ID: "d1", Name: "orders"}})
	snapshot.Put(b, snapshot.Queues, Account, []snapshot.Queue{{ID: "q1", Name: "mail", Producers: 1, Scripts: []string{Worker},
		Consumers: []snapshot.QueueConsumer{{Type: "worker", Script: Worker, DeadLetters: "mail-dead"}}}})
}

func goodSites(b *snapshot.Builder) {
	yes, no := true, false
	snapshot.Put(b, snapshot.PagesProjects, Account, []snapshot.PagesProject{{Name: "docs", Subdomain: "docs.pages.dev",
		Domains: []string{"docs.pages.dev", "docs." + Domain}, Branch: "main", UsesFunctions: &yes, Built: true, Previews: "none",
		Production: snapshot.PagesConfig{Variables: []snapshot.Binding{{Name: "REGION", Type: "plain_text", Length: 9},
			{Name: "API_TOKEN", Type: "secret_text"}}, FailOpen: &no},
		Preview: snapshot.PagesConfig{FailOpen: &no}}})
	snapshot.Put(b, snapshot.PagesPreviews, "docs", []snapshot.PagesPreview{})
}

func goodBuckets(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.R2CustomDomains, Bucket, []snapshot.R2Domain{})
	snapshot.Put(b, snapshot.R2CORS, Bucket, []snapshot.R2CORSRule{{Origins: []string{"https://" + Domain}, Methods: []string{"GET"}}})
	snapshot.Put(b, snapshot.R2Lifecycle, Bucket, []snapshot.R2LifecycleRule{{ID: "expire", Enabled: true,
		Delete: &snapshot.R2Deadline{Kind: "Age", Seconds: 365 * 86400}}})
	b.Set(snapshot.Section{Source: snapshot.R2Lock.Source(), Scope: Bucket, Status: snapshot.Skipped,
		Reason: "the bucket holds neither logs nor backups"})
	yes := true
	snapshot.Put(b, snapshot.AIGateways, Account, []snapshot.AIGateway{{ID: "support", Authentication: new(true), RateLimit: 100,
		RateInterval: 60, Guardrails: true, CollectLogs: &yes}})
	snapshot.Put(b, snapshot.Hyperdrive, Account, []snapshot.Database{{ID: "h1", Name: "orders", Host: "db." + Domain, Scheme: "postgres",
		SSLMode: "verify-full"}})
}
