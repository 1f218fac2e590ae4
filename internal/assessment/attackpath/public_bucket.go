package attackpath

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// publicBucket finds buckets that everyone can read at a hostname. A bucket that is declared
// public, or whose host is behind Access, has no open verdict and makes no path. It is critical
// when the bucket's name suggests logs, backups, exports or private files, or when a Logpush job
// writes to it.
func publicBucket() Kind {
	return Kind{Name: "public-bucket", Title: "Public bucket",
		Finds:   "a bucket that answers everyone although its name or its contents say it should not",
		Related: []string{"CFL-R2-001", "CFL-R2-004"},
		find: func(w *world) []candidate {
			var out []candidate
			for _, bucket := range w.byType[graph.Bucket] {
				for _, service := range w.from(bucket.ID, graph.Reads) {
					check, change := "CFL-R2-001", "Put "+w.label(service)+" behind Access, or remove it from the bucket."
					if w.is(service, "platformHost") {
						check, change = "CFL-R2-004", "Switch the development address of the bucket "+bucket.Label+" off."
					}
					if w.node(service).Type != graph.Service || w.asked(service) || !w.openBucket(bucket.ID, check, w.label(service)) {
						continue
					}
					nodes, steps := w.enter(service)
					if nodes == nil {
						continue
					}
					nodes, steps = extend(nodes, steps, graph.Reads, bucket.ID)
					out = append(out, candidate{gains: "reads the objects of the bucket " + bucket.Label,
						grave: exposure.NotForEveryone(bucket.Label) != "" || w.takesLogs(bucket.Label), title: "Public bucket: " + bucket.Label,
						nodes: nodes, steps: steps,
						refs: []string{service, bucket.ID}, explanation: "Anyone who knows or guesses a path reads the objects of the bucket " +
							bucket.Label + " at " + w.label(service) + " without a login.",
						breaks: []posture.Break{{Change: change, NodeID: bucket.ID, CheckIDs: []string{check}}}})
				}
			}
			return out
		}}
}

// openBucket reports whether a check finds that everyone reads a bucket at a host. Rules may keep strangers
// out at another one.
func (w *world) openBucket(bucket, check, host string) bool {
	for i := range w.on(bucket) {
		if f := w.findings[i]; f.CheckID == check && (check != "CFL-R2-001" || slices.ContainsFunc(f.Evidence, func(e posture.Evidence) bool {
			return exposure.Same(strings.TrimSuffix(strings.TrimPrefix(e.Pointer, "/"), "/enabled"), host)
		})) {
			return true
		}
	}
	return false
}

// takesLogs reports whether a Logpush job writes to the bucket.
func (w *world) takesLogs(bucket string) bool {
	if _, name, elsewhere := strings.Cut(bucket, "_"); elsewhere {
		bucket = name
	}
	writes := func(j snapshot.LogpushJob) bool { return j.WritesTo(bucket, w.snap.Account.ID) }
	jobs, _ := snapshot.Read(w.snap, snapshot.AccountLogpushJobs, w.snap.Account.ID)
	return slices.ContainsFunc(jobs, writes) || slices.ContainsFunc(w.snap.Zones, func(z snapshot.Zone) bool {
		jobs, _ := snapshot.Read(w.snap, snapshot.ZoneLogpushJobs, z.ID)
		return slices.ContainsFunc(jobs, writes)
	})
}
