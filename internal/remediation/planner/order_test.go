package planner

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func TestRepair(t *testing.T) {
	for name, tc := range map[string]struct {
		order []int
		after [][]int
		want  []int
		legal bool
	}{
		"nothing":                {nil, nil, []int{}, true},
		"free":                   {[]int{2, 0, 1}, make([][]int, 3), []int{2, 0, 1}, true},
		"legal already":          {[]int{1, 0, 2}, [][]int{{1}, {}, {0, 1}}, []int{1, 0, 2}, true},
		"right in front":         {[]int{3, 2, 1, 0}, [][]int{{}, {}, {}, {0}}, []int{0, 3, 2, 1}, true},
		"a chain":                {[]int{2, 1, 0, 3}, [][]int{{}, {0}, {1}, {}}, []int{0, 1, 2, 3}, true},
		"two needs, their order": {[]int{0, 2, 1}, [][]int{{1, 2}, {}, {}}, []int{2, 1, 0}, true},
		"named twice":            {[]int{1, 0}, [][]int{{}, {0, 0}}, []int{0, 1}, true},
		"itself":                 {[]int{0, 1}, [][]int{{0}, {}}, []int{0, 1}, false},
		"a circle":               {[]int{0, 1, 2}, [][]int{{2}, {0}, {1}}, []int{1, 2, 0}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, legal := repair(tc.order, tc.after)
			require.Equal(t, tc.want, got)
			require.Equal(t, tc.legal, legal)
		})
	}
}

// TestRepairIsStable: of items whose order was legal, none changes place with
// another, and a long chain is no trouble.
func TestRepairIsStable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := random.IntN(30)
		after := make([][]int, n)
		for i := range after {
			for j := range i {
				if random.IntN(6) == 0 {
					after[i] = append(after[i], j)
				}
			}
		}
		got, legal := repair(random.Perm(n), after)
		require.True(t, legal)
		again, _ := repair(got, after)
		require.Equal(t, got, again, "a legal order stays")
		for i, needs := range after {
			for _, j := range needs {
				require.Less(t, slices.Index(got, j), slices.Index(got, i))
			}
		}
	}
	const long = 100_000
	order, after := make([]int, long), make([][]int, long)
	for i := range long {
		order[i] = long - 1 - i
		if i > 0 {
			after[i] = []int{i - 1}
		}
	}
	got, legal := repair(order, after)
	require.True(t, legal)
	require.True(t, slices.IsSorted(got))
}

// randomItems makes a plan in legal order with dependencies within and out of it.
func randomItems(random *rand.Rand, n int) []Item {
	items := many(n)
	for i := range items {
		items[i].After = []string{"no such item"}
		for range random.IntN(3) {
			if i > 0 {
				items[i].After = append(items[i].After, items[random.IntN(i)].ID)
			}
		}
	}
	return items
}

// TestSweepAnyAnswerGivesThePlan puts random answers, from good to silly, to random
// plans through a real server.
func TestSweepAnyAnswerGivesThePlan(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const rounds = 1500
	used := 0
	for _, name := range providers() {
		var content string
		p, _ := provider(t, name, func(w http.ResponseWriter, r *http.Request) { says(http.StatusOK, envelope(name, content))(w, r) })
		for range rounds / 3 {
			items := randomItems(random, 1+random.IntN(MaxItems+20))
			var said answer
			for range random.IntN(2 * len(items)) {
				said.Order = append(said.Order, fmt.Sprintf("i%d", random.IntN(len(items)+10)))
			}
			content = string(encode(said))
			a := p.Advise(t.Context(), items)
			holds(t, items, a)
			if a.Used {
				used++
			}
		}
	}
	require.Greater(t, used, rounds/2)
}

// FuzzAdvice: whatever bytes a provider answers, the advice is a legal
// permutation of the plan and its notes are plain.
func FuzzAdvice(f *testing.F) {
	for i, name := range providers() {
		for _, tc := range contents() {
			if len(tc.content) < 4096 {
				f.Add(uint8(i), []byte(envelope(name, tc.content)), uint16(0x1234))
			}
		}
		f.Add(uint8(i), []byte(`{"type":"message","done":true,"choices":[{}]}`), uint16(0))
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte, links uint16) {
		defer fuzztest.Bound(t)()
		name := providers()[int(which)%3]
		items := make([]Item, 6)
		for i := range items {
			items[i].ID = fmt.Sprint("change-", i)
		}
		for i := range items {
			if i > 0 && links>>i&1 == 1 {
				items[i].After = []string{items[int(links>>8)%i].ID}
			}
		}
		pl, why := arrange(items, 5)
		require.Empty(t, why)
		content, why := protocolOf(name).content(body)
		if why != "" {
			return
		}
		a, why := pl.take(content)
		if why != "" {
			require.Equal(t, Advice{}, a)
			return
		}
		require.True(t, a.Used)
		holds(t, items, a)
		for _, note := range a.Notes {
			inert(t, note)
		}
	})
}
