package snapshot_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSweepAddASource adds a source to a copy of the module by writing one file: it is listed,
// documented, served by the simulated provider and read by the client.
func TestSweepAddASource(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and tests a copy of the module")
	}
	const module, pkg = "../../..", "internal/core/snapshot"
	dir := t.TempDir()
	for _, name := range []string{"internal", "docs"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(module, name))))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join(module, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-vet=off"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "go test %v: %s", args, out)
		return string(out)
	}
	added, err := fs.Glob(os.DirFS("testdata/source"), "*.go.txt")
	require.NoError(t, err)
	for _, name := range added {
		b, err := os.ReadFile(filepath.Join("testdata/source", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, pkg, strings.TrimSuffix(name, ".txt")), b, 0o600))
	}
	run("./"+pkg, "-run", "TestSourcesAreCommitted", "-update")
	run("./internal/api/docgen", "-run", "TestPagesAreCommitted", "-update")

	page, err := os.ReadFile(filepath.Join(dir, "docs/permissions.md"))
	require.NoError(t, err)
	require.Contains(t, string(page), "`zone/tiered_caching`")
	list, err := os.ReadFile(filepath.Join(dir, pkg, "sources_gen.go"))
	require.NoError(t, err)
	require.Contains(t, string(list), "\t\tzoneTieredCaching(),\n\t}\n", "it stands last")

	reads, err := os.ReadFile("testdata/read.go.txt")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "internal/provider/cloudflare/added_test.go"), reads, 0o600))
	out := run("./internal/provider/cloudflare", "-run", "TestAddedSourceIsRead", "-v")
	require.Contains(t, out, "--- PASS: TestAddedSourceIsRead")
	run("./"+pkg, "-run", "TestSourcesAreCommitted|TestExamples|TestSourcesLookAt")
	require.Len(t, added, 1)
	t.Logf("hand-written files: %d", len(added))
}
