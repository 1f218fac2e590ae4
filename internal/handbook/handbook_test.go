package handbook_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/attackpath"
	"github.com/edgeposture/edgeposture/internal/checks"
	"github.com/edgeposture/edgeposture/internal/cloudflare"
	"github.com/edgeposture/edgeposture/internal/export"
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

// TestEveryPathIsExplained holds docs/attack-paths.md against the detectors.
func TestEveryPathIsExplained(t *testing.T) {
	page, err := os.ReadFile("../../docs/attack-paths.md")
	require.NoError(t, err)
	for _, k := range attackpath.Kinds() {
		require.Contains(t, string(page), "| `"+k.Name+"` |")
	}
	require.Equal(t, len(attackpath.Kinds()), strings.Count(string(page), "\n| `"))
}

// TestEveryFormatIsExplained holds docs/exports.md against the exporters.
func TestEveryFormatIsExplained(t *testing.T) {
	page, err := os.ReadFile("../../docs/exports.md")
	require.NoError(t, err)
	for _, f := range export.Formats() {
		require.Contains(t, string(page), "| `"+f.Name+"` |")
	}
}
