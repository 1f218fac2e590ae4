package planner

import (
	"fmt"
	"slices"
)

// plan is the items with their dependencies as indexes. given is their original order, repaired if
// it was not legal; the model is asked about its first limit items.
type plan struct {
	items []Item
	after [][]int
	given []int
	limit int
}

// arrange resolves the ids of the items. why is the sentence for a plan without a legal order,
// which is left unchanged.
func arrange(items []Item, limit int) (p plan, why string) {
	at := make(map[string]int, len(items))
	p = plan{items: items, after: make([][]int, len(items)), given: make([]int, len(items)), limit: limit}
	for i, it := range items {
		if _, twice := at[it.ID]; twice {
			return p, fmt.Sprintf("The AI planner was not asked because two of the %d items of the plan have the same id; make the plan anew.",
				len(items))
		}
		at[it.ID], p.given[i] = i, i
	}
	for i, it := range items {
		for _, id := range it.After {
			if j, ok := at[id]; ok {
				p.after[i] = append(p.after[i], j)
			}
		}
	}
	legal, ok := repair(p.given, p.after)
	if !ok {
		return p, "The AI planner was not asked because items of the plan depend on each other in a circle; make the plan anew."
	}
	p.given = legal
	return p, ""
}

// repair moves a dependency right in front of the item that needs it where the order has it later,
// and keeps the order of everything else. A legal order is unchanged. It returns false for circular
// dependencies, for which no order is legal.
func repair(order []int, after [][]int) ([]int, bool) {
	const open, done = 1, 2
	state, place := make([]int, len(after)), make([]int, len(after))
	for rank, i := range order {
		place[i] = rank
	}
	out, legal := make([]int, 0, len(order)), true
	var put func(i int)
	put = func(i int) {
		if state[i] != 0 {
			legal = legal && state[i] == done
			return
		}
		state[i] = open
		needs := slices.SortedFunc(slices.Values(after[i]), func(a, b int) int { return place[a] - place[b] })
		for _, j := range needs {
			put(j)
		}
		state[i], out = done, append(out, i)
	}
	for _, i := range order {
		put(i)
	}
	return out, legal
}

// sent returns the items that the model is asked about.
func (p plan) sent() []int { return p.given[:min(len(p.given), p.limit)] }

func (p plan) ids(order []int) []string {
	out := make([]string, len(order))
	for i, at := range order {
		out[i] = p.items[at].ID
	}
	return out
}
