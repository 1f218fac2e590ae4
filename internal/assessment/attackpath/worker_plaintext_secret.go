package attackpath

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// workerPlaintextSecret finds scripts that are reachable from the internet and hold a credential in
// a plain-text variable: whoever makes the script print it, or reads its configuration, has it.
// Checks decide whether a value is a credential.
func workerPlaintextSecret() Kind {
	return Kind{Name: "worker-plaintext-secret", Title: "Secret in plain text",
		Finds:   "a reachable script (3) with a credential in a plain variable",
		Related: []string{"CFL-PAGE-001", "CFL-WORK-003"},
		find: func(w *world) []candidate {
			var out []candidate
			for _, worker := range w.byType[graph.Worker] {
				if !w.failsAt(worker.ID, "CFL-WORK-003", "CFL-PAGE-001") {
					continue
				}
				nodes, steps := w.reach(worker.ID)
				if nodes == nil {
					continue
				}
				before := nodes[len(nodes)-2]
				how := "answers at " + w.label(before)
				if w.node(before).Type == graph.Worker {
					how = "is called by the script " + w.label(before) + ", which answers the internet,"
				}
				out = append(out, candidate{title: "Secret in plain text: " + worker.Label,
					gains: "uses the credential of the script " + worker.Label, grave: true,
					needs: []string{"the script prints the variable by mistake, or someone who may read its configuration passes it on"},
					nodes: nodes, steps: steps,
					refs: []string{worker.ID}, explanation: "The script " + worker.Label + " " + how + " and holds a credential as a plain variable: " +
						"one mistake in the script, or one reader of its configuration, gives the credential away.",
					breaks: []posture.Break{{Change: "Store the value as a secret and rotate it.", NodeID: worker.ID}}})
			}
			return out
		}}
}

// run returns the path from the internet to a script through a host that suits accepts.
func (w *world) run(worker string, suits func(service string) bool) (nodes, steps []string) {
	for _, service := range w.from(worker, graph.Executes) {
		if w.node(service).Type != graph.Service || !w.web(service) || !suits(service) {
			continue
		}
		if nodes, steps := w.enter(service); nodes != nil {
			return extend(nodes, steps, graph.Executes, worker)
		}
	}
	return nil, nil
}

// reach is like run for any host, but also follows scripts that call this one: the shortest path,
// with at most three calls.
func (w *world) reach(worker string) (nodes, steps []string) {
	type way []string // from the script outwards
	level, seen := []way{{worker}}, map[string]bool{worker: true}
	for depth := 0; depth < 4 && len(level) > 0; depth++ {
		var next []way
		for _, v := range level {
			outer := v[len(v)-1]
			if nodes, steps = w.run(outer, func(string) bool { return true }); nodes != nil {
				for i := len(v) - 2; i >= 0; i-- {
					nodes, steps = extend(nodes, steps, graph.Executes, v[i])
				}
				return nodes, steps
			}
			for _, caller := range w.from(outer, graph.Executes) {
				if w.node(caller).Type == graph.Worker && !seen[caller] {
					seen[caller] = true
					next = append(next, append(slices.Clone(v), caller))
				}
			}
		}
		level = next
	}
	return nil, nil
}
