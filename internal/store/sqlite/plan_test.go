package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
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
