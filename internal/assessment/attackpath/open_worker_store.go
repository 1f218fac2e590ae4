package attackpath

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// openWorkerStore finds scripts that answer at their platform hostname, where neither Access nor
// zone rules apply, and that read a store, directly or through scripts they call. Scripts that
// answer only in a zone are judged by the checks of the zone; a script declared public has no open
// verdict.
func openWorkerStore() Kind {
	return Kind{Name: "open-worker-store", Title: "Store behind an unguarded script",
		Finds:   "a script open at the platform's host name that reads a store (3)",
		Related: []string{"CFL-PAGE-004", "CFL-WORK-005"},
		find: func(w *world) []candidate {
			var out []candidate
			destined := w.destined()
			for _, worker := range w.byType[graph.Worker] {
				if !w.openAt(worker.ID, "CFL-WORK-005") {
					continue
				}
				named := destined(worker.Label)
				nodes, steps := w.run(worker.ID, func(host string) bool { return w.is(host, "platformHost") && !w.guardedWith(named, host, "") })
				if nodes == nil {
					continue
				}
				nodes, steps = w.store(nodes, steps)
				if nodes == nil {
					continue
				}
				store := w.node(nodes[len(nodes)-1])
				host := w.label(nodes[slices.Index(nodes, worker.ID)-1])
				out = append(out, candidate{title: "Store behind an unguarded script: " + store.Label, grave: true,
					gains: "reads what the script gives out of " + store.Label, needs: []string{"the script does not ask for a login itself"},
					nodes: nodes,
					steps: steps, refs: []string{worker.ID, store.ID}, explanation: "The script " + worker.Label + " answers everyone at " + host +
						", where no firewall, rate limit or Access rule applies, and reaches " +
						words(store.Type) + " " + store.Label + ".",
					breaks: []posture.Break{{Change: "Switch the platform host name of " + worker.Label + " off.", NodeID: worker.ID,
						CheckIDs: []string{"CFL-WORK-005"}},
						{Change: "Create an Access application for " + host + ".", NodeID: worker.ID}}})
			}
			return out
		}}
}

// store finds the store nearest to the script at the end of a path, at most three
// calls away: databases first, then buckets, then key-value stores, then queues.
func (w *world) store(nodes, steps []string) ([]string, []string) {
	type way struct{ nodes, steps []string }
	level, seen := []way{{nodes, steps}}, map[string]bool{}
	for depth := 0; depth < 4 && len(level) > 0; depth++ {
		var next []way
		for _, kind := range []string{graph.D1Database, graph.Bucket, graph.KVNamespace, graph.Queue} {
			for _, v := range level {
				for _, id := range w.to(v.nodes[len(v.nodes)-1], graph.Reads) {
					if w.node(id).Type == kind {
						return extend(v.nodes, v.steps, graph.Reads, id)
					}
				}
			}
		}
		for _, v := range level {
			for _, id := range w.to(v.nodes[len(v.nodes)-1], graph.Executes) {
				if !seen[id] {
					seen[id] = true
					n, s := extend(v.nodes, v.steps, graph.Executes, id)
					next = append(next, way{n, s})
				}
			}
		}
		level = next
	}
	return nil, nil
}

func words(kind string) string {
	switch kind {
	case graph.D1Database:
		return "the database"
	case graph.Bucket:
		return "the bucket"
	case graph.KVNamespace:
		return "the key-value namespace"
	default:
		return "the queue"
	}
}
