package jobs

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestForgottenExports: exports go with the record of their delivery, what a killed process left half written a day
// later; what another is writing stays, and so does what is no export.
func TestForgottenExports(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	f := Files{Dir: filepath.Join(t.TempDir(), "exports")}
	require.NoError(t, f.forget(now, now), "nothing was exported yet")
	require.NoError(t, os.Mkdir(f.Dir, 0o700))
	const id = "0198c5b2-1f6e-7c3a-9d2e-5a1b2c3d4e5"
	ages := map[string]time.Duration{id + "0.events.ndjson": 91 * Day, id + "1.documents.ndjson": 89 * Day,
		id + "2.events.ndjson.part": 25 * time.Hour, id + "3.events.ndjson.part": time.Hour, "mine.ndjson": 900 * Day, "notes.txt": 900 * Day}
	for name, age := range ages {
		path := filepath.Join(f.Dir, name)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, now.Add(-age), now.Add(-age)))
	}
	left := func() (names []string) {
		entries, err := os.ReadDir(f.Dir)
		require.NoError(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	require.NoError(t, f.forget(time.Time{}, now))
	require.NotContains(t, left(), id+"2.events.ndjson.part")
	require.Contains(t, left(), id+"0.events.ndjson", "exports are kept for good")
	require.NoError(t, f.forget(now.Add(-90*Day), now))
	require.Equal(t, []string{id + "1.documents.ndjson", id + "3.events.ndjson.part", "mine.ndjson", "notes.txt"}, left())
}
