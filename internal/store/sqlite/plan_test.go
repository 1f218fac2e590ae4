package sqlite

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

// TestForgettingReadsWhatIsOld: what is past its time is found by its age, and its rows by
// their range, so that what stays costs nothing.
func TestForgettingReadsWhatIsOld(t *testing.T) {
	s, said, db := heard(t)
	defer func() { require.NoError(t, s.Close()) }()
	_, err := s.Forget(t.Context(), store.Assessed, time.Unix(1, 0), time.Unix(2, 0))
	require.NoError(t, err)
	asked := ""
	for _, q := range said.said {
		if strings.Contains(q, "FROM assessment AS a") {
			asked = explained(t, db, q)
		}
	}
	require.Contains(t, asked, "SEARCH a USING INDEX assessment_newest")
	require.Contains(t, asked, "SEARCH n USING COVERING INDEX assessment_of_provider_account")
	require.NotContains(t, asked, "SCAN ")
	require.NotContains(t, asked, "TEMP B-TREE")
	require.Contains(t, explained(t, db, "DELETE FROM finding WHERE assessment_no = 1 AND seq < (SELECT MIN(seq) FROM finding WHERE "+
		"assessment_no = 1) + 1000"),
		"SEARCH finding USING PRIMARY KEY (assessment_no=? AND seq<?)")
}
