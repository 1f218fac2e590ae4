package developer

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// dangling finds bindings whose resource no longer exists. Each list is optional: a script is
// judged by the lists its bindings need, so that an account without one of the products can still
// be judged.
func dangling() check.Check {
	return check.Check{
		ID: "CFL-WORK-011", Title: "Bindings name resources that exist",
		Category: "workers", Severity: posture.Low, Resource: posture.ResourceWorker, Scope: check.PerWorker,
		Why: "A binding connects a Worker with a KV namespace, database, bucket, queue or other Worker by id or name. " +
			"When the resource is gone, each use fails at run time.",
		Fix: "Remove the binding from the configuration, or create the resource again, then deploy the Worker.",
		Words: posture.Words{
			Problem: "Worker {name} is bound to a resource that does not exist",
			Impact: "Requests that use the binding fail, and someone who may create a bucket or queue of that name receives " +
				"its data.",
			Breaks:    "Code that uses the binding, until it is deployed without it.",
			Dashboard: "Workers & Pages › {name} › Bindings: edit or remove the binding, then deploy.",
			Terraform: `resource "cloudflare_workers_script" "script" {
  account_id     = "{account_id}"
  script_name    = "{id}"
  main_module    = "index.js"
  content_file   = "index.js"
  content_sha256 = filesha256("index.js")
  bindings = [
    { type = "r2_bucket", name = "FILES", bucket_name = var.bucket },
  ]
}`},
		References: []string{"https://developers.cloudflare.com/workers/"},
		Controls: check.Controls{
			check.Supports("cis 2.1", "What deployed code depends on exists and is known."),
			check.Supports("soc2 PI1.3", "Processing does not fail because something it uses is gone."),
			check.Touches("pci 6.3.3", "A dangling binding hints at neglect; it says nothing of patches."),
			check.Supports("nist ID.AM-02", "Code and the resources it names agree."),
		},
		Needs:    []snapshot.Named{snapshot.Workers, snapshot.WorkerSettings},
		Optional: []snapshot.Named{snapshot.KVNamespaces, snapshot.D1Databases, snapshot.R2Buckets, snapshot.Queues},
		Evaluate: evaluateDangling,
	}
}

func danglingExamples() []goodtest.Example {
	bind := func(bs ...snapshot.Binding) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.WorkerSettings, goodtest.Worker, snapshot.WorkerConfig{Bindings: bs})
		}
	}
	off := func(k snapshot.Named, status snapshot.Status) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { b.Mark(k.Source(), status, "Some Read", "") }
	}
	return []goodtest.Example{
		{Name: "every resource exists", Want: posture.Pass, Resource: goodtest.Worker, Edit: bind(
			snapshot.Binding{Name: "KV", Type: "kv_namespace", Target: "n1"}, snapshot.Binding{Name: "DB", Type: "d1", Target: "d1"},
			snapshot.Binding{Name: "FILES", Type: "r2_bucket", Target: goodtest.Bucket}, snapshot.Binding{Name: "MAIL", Type: "queue",
				Target: "mail"},
			snapshot.Binding{Name: "SELF", Type: "service", Target: goodtest.Worker, Environment: "production"})},
		{Name: "the namespace is gone", Want: posture.Fail, Resource: goodtest.Worker,
			Edit: bind(snapshot.Binding{Name: "KV", Type: "kv_namespace", Target: "n9"})},
		{Name: "the database is gone", Want: posture.Fail, Edit: bind(snapshot.Binding{Name: "DB", Type: "d1", Target: "d9"})},
		{Name: "the bucket is gone", Want: posture.Fail, Edit: bind(snapshot.Binding{Name: "FILES", Type: "r2_bucket", Target: "old"})},
		{Name: "the bucket is in another jurisdiction", Want: posture.Fail, Resource: goodtest.Worker,
			Edit: bind(snapshot.Binding{Name: "FILES", Type: "r2_bucket", Target: goodtest.Bucket, Jurisdiction: "eu"})},
		{Name: "the bucket of the jurisdiction, beside one of its name", Want: posture.Pass, Edit: goodtest.Edits(
			bind(snapshot.Binding{Name: "FILES", Type: "r2_bucket", Target: goodtest.Bucket, Jurisdiction: "eu"}),
			func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.R2Buckets, goodtest.Account, func(bs *[]snapshot.Bucket) {
					*bs = append(*bs, snapshot.Bucket{ID: "eu_" + goodtest.Bucket, Name: goodtest.Bucket, Jurisdiction: "eu"})
				})
			})},
		{Name: "the queue is gone", Want: posture.Fail, Edit: bind(snapshot.Binding{Name: "MAIL", Type: "queue", Target: "old"})},
		{Name: "the script is gone", Want: posture.Fail, Edit: bind(snapshot.Binding{Name: "AUTH", Type: "service", Target: "old"})},
		{Name: "a script of another environment", Want: posture.Warning, Resource: goodtest.Worker,
			Edit: bind(snapshot.Binding{Name: "SELF", Type: "service", Target: goodtest.Worker, Environment: "staging"})},
		{Name: "a list that was not read", Want: posture.Unknown,
			Edit: goodtest.Edits(bind(snapshot.Binding{Name: "KV", Type: "kv_namespace", Target: "n9"}),
				off(snapshot.KVNamespaces, snapshot.Denied))},
		{Name: "a list that no binding needs was not read", Want: posture.Pass, Edit: off(snapshot.Queues, snapshot.Denied)},
		{Name: "R2 is not in use and a bucket is bound", Want: posture.Fail,
			Edit: goodtest.Edits(bind(snapshot.Binding{Name: "FILES", Type: "r2_bucket", Target: "old"}),
				off(snapshot.R2Buckets, snapshot.NotEntitled))},
		{Name: "no such binding", Want: posture.NotApplicable, Edit: bind(snapshot.Binding{Name: "KEY", Type: "secret_text"})},
	}
}

// names returns the names in a list as bindings spell them.
func names[T any](v *check.View, k snapshot.Key[[]T], name func(T) string) (out []string, known bool) {
	all, known := check.ReadOptionalAt(v, k, v.Account().ID)
	for _, item := range all {
		out = append(out, name(item))
	}
	return out, known
}

// target names what a binding is for, with the jurisdiction of a bucket.
func target(b snapshot.Binding) string {
	if b.Jurisdiction == "" {
		return b.Target
	}
	return b.Target + " of the jurisdiction " + b.Jurisdiction
}

// existing lists what a kind of binding can name; ok is false for other kinds.
func existing(v *check.View, b snapshot.Binding) (all []string, known, ok bool) {
	switch b.Type {
	case "kv_namespace":
		all, known = names(v, snapshot.KVNamespaces, func(n snapshot.KVNamespace) string { return n.ID })
	case "d1":
		all, known = names(v, snapshot.D1Databases, func(d snapshot.D1Database) string { return d.ID })
	case "r2_bucket":
		buckets, read := check.ReadOptionalAt(v, snapshot.R2Buckets, v.Account().ID)
		if _, there := b.Bucket(buckets); there {
			all = []string{b.Target}
		}
		known = read
	case "queue":
		all, known = names(v, snapshot.Queues, func(q snapshot.Queue) string { return q.Name })
	case "service":
		all, known = names(v, snapshot.Workers, func(w snapshot.Worker) string { return w.ID })
	default:
		return nil, false, false
	}
	return all, known, true
}

func evaluateDangling(v *check.View) check.Outcome {
	judged, open := 0, ""
	var gone, other check.Found
	for _, b := range check.Read(v, snapshot.WorkerSettings).Bindings {
		all, known, ok := existing(v, b)
		if !ok {
			continue
		}
		judged++
		switch {
		case !known || b.Target == "":
			open = b.Name
		case !slices.Contains(all, b.Target):
			gone.Add(b.Name, check.Evidence(snapshot.WorkerSettings, "/bindings/"+b.Name, b.Type+" "+target(b)+", which does not exist",
				"a resource of the account"))
		case b.Type == "service" && b.Environment != "" && b.Environment != "production":
			other.Add(b.Name, check.Evidence(snapshot.WorkerSettings, "/bindings/"+b.Name, "environment "+b.Environment, "production"))
		}
	}
	script := v.Resource().Name
	switch {
	case judged == 0:
		return v.NotApplicable("no binding of the Worker names a resource of the account")
	case len(gone.Names) > 0:
		return v.Fail("The Worker "+script+" has "+check.Count(len(gone.Names), "binding", "")+" to something that does not exist: "+
			gone.String()+".", gone.Rows...)
	case len(other.Names) > 0:
		return v.Warn("The Worker "+script+" has "+check.Count(len(other.Names), "service binding", "")+" to another environment than "+
			"production: "+other.String()+".", other.Rows...).As(posture.Words{
			Problem: "Worker {name} is bound to another environment than production",
			Impact:  "Requests reach code that is being tested, and someone who may deploy there changes what production answers."})
	case open != "":
		return v.Unknown("whether the resource behind the binding " + open + " exists is not known")
	}
	return v.Pass("Every namespace, database, bucket, queue and Worker that a binding names exists.")
}
