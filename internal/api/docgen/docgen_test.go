package docgen_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/docgen"
	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestPagesAreCommitted holds the committed pages to what the catalogue says;
// -update writes them.
func TestPagesAreCommitted(t *testing.T) {
	for name, want := range map[string]string{
		"checks.md":      docgen.Checks(checks.All(), snapshot.Sources()),
		"permissions.md": docgen.Permissions(checks.All(), snapshot.Sources()),
	} {
		path := filepath.Join("..", "..", "..", "docs", name)
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
	page, err := os.ReadFile("../../../docs/attack-paths.md")
	require.NoError(t, err)
	for _, k := range attackpath.Kinds() {
		require.Contains(t, string(page), "| `"+k.Name+"` |")
	}
	require.Equal(t, len(attackpath.Kinds()), strings.Count(string(page), "\n| `"))
}

// TestEveryFormatIsExplained holds docs/exports.md against the exporters.
func TestEveryFormatIsExplained(t *testing.T) {
	page, err := os.ReadFile("../../../docs/exports.md")
	require.NoError(t, err)
	for _, f := range export.Formats() {
		require.Contains(t, string(page), "| `"+f.Name+"` |")
	}
}
