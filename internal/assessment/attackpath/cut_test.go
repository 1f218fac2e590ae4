package attackpath_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestLeastEqualsBruteForce tries every set of up to 14 changes.
func TestLeastEqualsBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		changes := 1 + r.IntN(14)
		risks := make([]int, changes)
		for i := range risks {
			risks[i] = r.IntN(4)
		}
		var paths []posture.AttackPath
		var masks []uint
		for i := range r.IntN(30) {
			p, mask := posture.AttackPath{ID: fmt.Sprint("p", i)}, uint(0)
			for range r.IntN(5) {
				c := r.IntN(changes)
				mask |= 1 << c
				p.Breaks = append(p.Breaks, posture.Break{Change: fmt.Sprint(c), NodeID: "n"})
			}
			if paths = append(paths, p); mask > 0 {
				masks = append(masks, mask)
			}
		}
		size, cost := changes+1, 0
		for set := range uint(1) << changes {
			hits := true
			for _, m := range masks {
				hits = hits && set&m > 0
			}
			sum := 0
			for c := range changes {
				if set>>c&1 > 0 {
					sum += risks[c]
				}
			}
			if n := bits.OnesCount(set); hits && (n < size || n == size && sum < cost) {
				size, cost = n, sum
			}
		}
		riskOf := func(c attackpath.ChokePoint) int {
			var n int
			_, err := fmt.Sscan(c.Change, &n)
			require.NoError(t, err)
			return risks[n]
		}
		got := attackpath.Least(paths, riskOf)
		sum, broken := 0, 0
		for _, c := range got.Changes {
			sum += riskOf(c)
			broken += c.Paths
		}
		require.True(t, got.Exact)
		require.Equal(t, []int{size, cost}, []int{len(got.Changes), sum}, "%+v %v", paths, risks)
		require.Equal(t, size, got.AtLeast)
		require.Equal(t, len(masks), got.Paths)
		require.Equal(t, len(masks), broken)
		require.Len(t, got.Unbroken, len(paths)-len(masks))
	}
}

// TestLeastSaysWhatItDoesNotKnow gives it more than it can search.
func TestLeastSaysWhatItDoesNotKnow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var paths []posture.AttackPath
	for i := range 3000 {
		p := posture.AttackPath{ID: fmt.Sprint("p", i)}
		for range 4 {
			p.Breaks = append(p.Breaks, posture.Break{Change: fmt.Sprint(r.IntN(300)), NodeID: "n"})
		}
		paths = append(paths, p)
	}
	got := attackpath.Least(paths, func(attackpath.ChokePoint) int { return 1 })
	require.False(t, got.Exact)
	require.Positive(t, got.AtLeast)
	require.Less(t, got.AtLeast, len(got.Changes))
	broken := 0
	for _, c := range got.Changes {
		broken += c.Paths
	}
	require.Equal(t, 3000, broken)
}

func BenchmarkLeast(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	var paths []posture.AttackPath
	for i := range 200 {
		p := posture.AttackPath{ID: fmt.Sprint("p", i)}
		for range 1 + r.IntN(4) {
			p.Breaks = append(p.Breaks, posture.Break{Change: fmt.Sprint(r.IntN(120)), NodeID: "n"})
		}
		paths = append(paths, p)
	}
	for b.Loop() {
		attackpath.Least(paths, func(attackpath.ChokePoint) int { return 1 })
	}
}
