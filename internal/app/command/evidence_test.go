package command_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEvidence writes a bundle and checks it without any configuration, as somebody
// would who has nothing but the file.
func TestEvidence(t *testing.T) {
	s := newShell(t)
	s.want(0, "assess", "--check", "CFL-DNS-001", "-q")
	require.Contains(t, s.want(0, "trends", "--all", "--bucket", "run").out, "ASSESSMENT")
	s.want(2, "trends", "--bucket", "year")
	dir := t.TempDir()
	file := filepath.Join(dir, "evidence.zip")
	require.Contains(t, s.want(0, "evidence", "-o", file).err, "edgeposture verify")
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(raw), s.want(0, "evidence").out)

	nobody := newShell(t, "DATA_DIR=/dev/null/none", "DATABASE_URL=not an address")
	plain := nobody.want(0, "verify", file, "--replay")
	for _, words := range []string{"is valid evidence", "built-in demo account", "verdicts are the same",
		"signed with the key inside the bundle, SHA256:", "compare this fingerprint"} {
		require.Contains(t, plain.out, words)
	}
	answer := object(t, nobody.want(0, "verify", file, "--output", "json").out)
	require.Equal(t, false, answer["trusted"])
	key := answer["manifest"].(map[string]any)["key"].(map[string]any)
	trusted := nobody.want(0, "verify", file, "--key", key["fingerprint"].(string))
	require.Contains(t, trusted.out, "signed with the key named")
	require.NotContains(t, trusted.out, "compare")
	public := filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(public, []byte(key["publicKey"].(string)), 0o600))
	nobody.want(0, "verify", file, "--key", public)
	other := "SHA256:0000000000000000000000000000000000000000000000000000000000000000"
	require.Contains(t, nobody.want(1, "verify", file, "--key", other).err, "signed with another key")
	nobody.want(2, "verify", file, "--key", file)
	nobody.want(2, "verify", filepath.Join(dir, "missing.zip"))
	s.want(2, "verify", "latest", "--replay")

	raw[len(raw)/2] ^= 1
	bad := filepath.Join(dir, "bad.zip")
	require.NoError(t, os.WriteFile(bad, raw, 0o600))
	require.Contains(t, nobody.want(1, "verify", bad).err, "is not valid evidence: ")
}
