package attackpath

import (
	"github.com/edgeposture/edgeposture/internal/graph"
	"github.com/edgeposture/edgeposture/internal/posture"
)

// workerPlaintextSecret finds scripts that answer the internet and keep a
// credential in a plain variable: whoever makes the script talk, or reads its
// configuration, has the credential. Whether a value is one is the verdict of the
// checks that saw it.
func workerPlaintextSecret() Kind {
	return Kind{Name: "worker-plaintext-secret", Title: "Secret in plain text",
		Related: []string{"CFL-PAGE-001", "CFL-WORK-003"},
		find: func(w *world) []candidate {
			var out []candidate
			for _, worker := range w.byType[graph.Worker] {
				if !w.failsAt(worker.ID, "CFL-WORK-003", "CFL-PAGE-001") {
					continue
				}
				nodes, steps := w.run(worker.ID, func(string) bool { return true })
				if nodes == nil {
					continue
				}
				out = append(out, candidate{severity: posture.Critical, title: "Secret in plain text: " + worker.Label, nodes: nodes, steps: steps, refs: []string{worker.ID},
					explanation: "The script " + worker.Label + " answers at " + w.label(nodes[len(nodes)-2]) + " and holds a credential as a plain variable: " +
						"one mistake in the script, or one reader of its configuration, gives the credential away.",
					breaks: []posture.Break{{Change: "Store the value as a secret and rotate it.", NodeID: worker.ID}}})
			}
			return out
		}}
}

// run tells how the internet reaches a script, through a host that suits.
func (w *world) run(worker string, suits func(service string) bool) (nodes, steps []string) {
	for _, service := range w.from(worker, graph.Executes) {
		if w.nodes[service].Type != graph.Service || !suits(service) {
			continue
		}
		if nodes, steps := w.enter(service); nodes != nil {
			return extend(nodes, steps, graph.Executes, worker)
		}
	}
	return nil, nil
}
