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
	coverage, err := docgen.Coverage(checks.All(), snapshot.Sources())
	require.NoError(t, err)
	for name, want := range map[string]string{
		"coverage.md":    coverage,
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

// TestPathsAreCommitted holds the table of docs/attack-paths.md to the detectors; -update writes it.
func TestPathsAreCommitted(t *testing.T) {
	const path, head = "../../../docs/attack-paths.md", "|---|---|\n| `"
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	before, after, ok := strings.Cut(string(page), head)
	require.True(t, ok)
	_, after, ok = strings.Cut(after, "\n\n")
	require.True(t, ok)
	var rows []string
	for _, k := range attackpath.Kinds() {
		require.NotEmpty(t, k.Finds, k.Name)
		rows = append(rows, k.Name+"` | "+k.Finds+" |")
	}
	want := before + head + strings.Join(rows, "\n| `") + "\n\n" + after
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(page), "run make gen")
}

// TestEveryFormatIsExplained holds docs/exports.md against the exporters.
func TestEveryFormatIsExplained(t *testing.T) {
	page, err := os.ReadFile("../../../docs/exports.md")
	require.NoError(t, err)
	for _, f := range export.Formats() {
		require.Contains(t, string(page), "| `"+f.Name+"` |")
	}
}
