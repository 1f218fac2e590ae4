package handbook_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/checks"
	"github.com/edgeposture/edgeposture/internal/cloudflare"
	"github.com/edgeposture/edgeposture/internal/handbook"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestPagesAreCommitted holds the committed pages to what the catalogue says;
// -update writes them.
func TestPagesAreCommitted(t *testing.T) {
	for name, want := range map[string]string{
		"checks.md":      handbook.Checks(checks.All(), cloudflare.Sources()),
		"permissions.md": handbook.Permissions(checks.All(), cloudflare.Sources()),
	} {
		path := filepath.Join("..", "..", "docs", name)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
			continue
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, want, string(got), "%s is not what the catalogue says; run make gen", name)
	}
}
