package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListsAreCommitted: make gen was run after a check was added, renamed or removed.
func TestListsAreCommitted(t *testing.T) {
	files, err := generate("..")
	require.NoError(t, err)
	require.Greater(t, len(files), 28)
	for name, want := range files {
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%s is stale: run make gen", name)
	}
}
