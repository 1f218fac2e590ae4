package attackpath

import "github.com/edgeposture/edgeposture/internal/core/posture"

// leastAlike is how many paths it takes to be told as one.
const leastAlike = 3

// Alike counts the paths of one kind and severity that one change breaks, beside the first of them.
type Alike struct {
	PathID string `json:"pathId" doc:"The path of the list that stands for the others."`
	NodeID string `json:"nodeId" doc:"Where the change is made."`
	Change string `json:"change" doc:"What breaks each of them by itself."`
	Others int    `json:"others" doc:"How many others there are."`
}

// Fold keeps the first of three or more paths of one kind and severity that one change breaks, and
// counts the others. A path that several changes break counts with the one that breaks most.
func Fold(paths []posture.AttackPath) ([]posture.AttackPath, []Alike) {
	type way struct {
		kind         string
		severity     posture.Severity
		node, change string
	}
	by := func(p posture.AttackPath, b posture.Break) way { return way{p.Kind, p.Severity, b.NodeID, b.Change} }
	broken := map[way]int{}
	for _, p := range paths {
		for _, b := range p.Breaks {
			broken[by(p, b)]++
		}
	}
	ways := make([]way, len(paths))
	counted := map[way]int{}
	for i, p := range paths {
		for _, b := range p.Breaks {
			if w := by(p, b); broken[w] > broken[ways[i]] {
				ways[i] = w
			}
		}
		counted[ways[i]]++
	}
	kept, alike := []posture.AttackPath{}, []Alike{}
	told := map[way]bool{}
	for i, p := range paths {
		w := ways[i]
		if w == (way{}) || counted[w] < leastAlike {
			kept = append(kept, p)
			continue
		}
		if told[w] {
			continue
		}
		told[w] = true
		kept = append(kept, p)
		alike = append(alike, Alike{PathID: p.ID, NodeID: w.node, Change: w.change, Others: counted[w] - 1})
	}
	return kept, alike
}
