package httpapi

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// large is a store of 1,000 assessments of as many zones each as it says.
type large struct {
	store.Store
	zones int
	calls *int
}

func (l large) Assessments(_ context.Context, _ store.AssessmentFilter, p store.Page) (out []posture.AssessmentSummary, _ string, _ error) {
	*l.calls++
	from, _ := strconv.Atoi(p.Cursor)
	for i := from; i < min(from+p.Limit, 1000); i++ {
		out = append(out, posture.AssessmentSummary{ID: itoa(i), Zones: make([]posture.ZoneRef, l.zones)})
	}
	if from+p.Limit >= 1000 {
		return out, "", nil
	}
	return out, itoa(from + p.Limit), nil
}

// TestLongListsOfAssessments: a list of runs of many zones ends early, with a cursor, and no run is left out.
func TestLongListsOfAssessments(t *testing.T) {
	for zones, most := range map[int]int{0: 1000, 3: 1000, 1000: 51, 10_000: summariesFirst, 60_000: summariesFirst} {
		calls := 0
		s := &Server{o: Options{Store: large{zones: zones, calls: &calls}}}
		seen, cursor := 0, ""
		for pages := 0; cursor != "" || pages == 0; pages++ {
			calls = 0
			rows, next, err := s.summaries(t.Context(), store.AssessmentFilter{}, 1000, cursor)
			require.NoError(t, err)
			require.LessOrEqual(t, len(rows), most)
			require.LessOrEqual(t, calls, 3)
			for _, a := range rows {
				require.Equal(t, itoa(seen), a.ID)
				seen++
			}
			cursor = next
		}
		require.Equal(t, 1000, seen, zones)
	}
}
