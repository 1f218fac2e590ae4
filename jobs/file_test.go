package jobs

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestHalfAnExport: what a killed process left half written is gone a day later, and what another is writing stays.
func TestHalfAnExport(t *testing.T) {
	t.Parallel()
	f := Files{Dir: t.TempDir()}
	old, fresh, whole := filepath.Join(f.Dir, "old.part"), filepath.Join(f.Dir, "fresh.part"), filepath.Join(f.Dir, "whole.ndjson")
	for _, path := range []string{old, fresh, whole} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	long := time.Now().Add(-2 * Day)
	require.NoError(t, os.Chtimes(old, long, long))
	require.NoError(t, os.Chtimes(whole, long, long))
	require.NoError(t, f.write("new", func(w io.Writer) error { _, err := io.WriteString(w, "{}"); return err }))
	left, err := filepath.Glob(filepath.Join(f.Dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{fresh, filepath.Join(f.Dir, "new"), whole}, left)
}
