package graph

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestManyAliasesOfOneName: a list that gives a name 100 aliases took 100⁸ look-ups; each name is looked up once, and a circle ends.
func TestManyAliasesOfOneName(t *testing.T) {
	b := &builder{byName: map[string][]destination{}}
	for level := range 12 {
		name := fmt.Sprintf("n%d.example", level)
		for range 100 {
			b.byName[name] = append(b.byName[name], destination{alias: true, content: fmt.Sprintf("n%d.example", level+1)})
		}
	}
	b.byName["n3.example"] = append(b.byName["n3.example"], destination{content: "192.0.2.3"}, destination{alias: true, content: "n1.example"})
	began := time.Now()
	require.Equal(t, []string{"192.0.2.3", "n8.example"}, b.ends("n0.example", true))
	require.Less(t, time.Since(began), time.Second)
}
