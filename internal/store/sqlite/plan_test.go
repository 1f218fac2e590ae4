package sqlite

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

// TestFiltersUseTheirIndex holds the statistics of the migrations to their
// purpose: a page is found, not searched for.
func TestFiltersUseTheirIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	db := raw(t, path)
	for where, index := range map[string]string{
		"seq > 7":                "PRIMARY KEY (assessment_no=? AND seq>?)",
		"result IN ('FAIL')":     "INDEX finding_by_result (assessment_no=? AND result=?)",
		"check_no IN (1, 2, 3)":  "INDEX finding_by_check (assessment_no=? AND check_no=?)",
		"zone_no IN (1)":         "INDEX finding_by_zone (assessment_no=? AND zone_no=?)",
		"resource_key IN (1, 2)": "INDEX finding_by_resource (assessment_no=? AND resource_key=?)",
	} {
		require.Contains(t, explained(t, db, "SELECT body FROM finding WHERE assessment_no = 1 AND "+where+" ORDER BY seq LIMIT 101"), index, where)
	}
}

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
	require.Contains(t, explained(t, db, "DELETE FROM finding WHERE assessment_no = 1 AND seq < (SELECT MIN(seq) FROM finding WHERE assessment_no = 1) + 1000"),
		"SEARCH finding USING PRIMARY KEY (assessment_no=? AND seq<?)")
}
