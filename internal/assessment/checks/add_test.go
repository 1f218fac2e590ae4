package checks

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSweepAddACheck adds "HTTP/3 is on" to a copy of the module by one file that somebody
// writes. The generators do the rest, and the tests of checks hold what they hold for others.
func TestSweepAddACheck(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the checks anew")
	}
	t.Parallel()
	dir := t.TempDir()
	for _, part := range []string{"internal", "jobs", "docs"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join("../../..", part))))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		copyFile(t, filepath.Join("../../..", name), filepath.Join(dir, name))
	}
	before := digests(t, dir)
	const family = "internal/assessment/checks/tls"
	byHand := []string{family + "/http3.go"}
	copyFile(t, "testdata/http3.go.txt", filepath.Join(dir, byHand[0]))

	run(t, dir, "run", "-trimpath", "./internal/assessment/checks/gen")
	run(t, dir, "test", "-trimpath", "./internal/api/docgen", "-run", "TestPagesAreCommitted", "-update")
	after := digests(t, dir)
	var changed []string
	for name, sum := range after {
		if before[name] != sum && name != byHand[0] {
			changed = append(changed, name)
		}
	}
	require.ElementsMatch(t, []string{family + "/checks_gen.go", "docs/checks.md", "docs/coverage.md", "docs/permissions.md"},
		changed, "what the generators wrote")
	require.Contains(t, run(t, dir, "test", "-trimpath", "-v", "-run", "^TestChecks$/^CFL-SSL-900$", "./internal/assessment/checks"),
		"--- PASS: TestChecks/CFL-SSL-900")
	run(t, dir, "test", "-trimpath", "-skip", "^TestSweep", "./internal/assessment/checks",
		"./internal/assessment/checks/gen", "./internal/assessment/compliance", "./internal/api/docgen")
	t.Logf("files written by hand: %d %v; by generators: %d %v", len(byHand), byHand, len(changed), changed)
}

// TestSweepExamplesAreNotInTheBinary: what only tests call is dropped by the linker.
func TestSweepExamplesAreNotInTheBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("links the command")
	}
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "edgeposture")
	run(t, "../../..", "build", "-o", binary, "./cmd/edgeposture")
	symbols := run(t, ".", "tool", "nm", binary)
	require.Contains(t, symbols, "internal/assessment/checks/tls.minVersion")
	require.NotRegexp(t, `internal/assessment/\S*(Examples|Good|goodtest)`, symbols)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, raw, 0o600))
}

// run runs the go command in the copy.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%v\n%s", args, out)
	return string(out)
}

// digests gives the digest of each file below dir by its path there.
func digests(t *testing.T, dir string) map[string][sha256.Size]byte {
	t.Helper()
	sums := map[string][sha256.Size]byte{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(dir, name))
		sums[name] = sha256.Sum256(raw)
		return err
	}))
	return sums
}
