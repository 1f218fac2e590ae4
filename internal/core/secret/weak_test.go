package secret

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func TestWeakness(t *testing.T) {
	for says, texts := range map[string][]string{
		"at least 32": {"", "a", strings.Repeat("x7", 15), "6bA9x-short"},
		"repeats itself": {strings.Repeat("a", 32), strings.Repeat("ab", 16), strings.Repeat("secret", 6), strings.Repeat("P@ssw0rd", 4),
			"2026-11-23-2026-11-23-2026-11-23", "20240101202401012024010120240101",
			"change-me-change-me-change-me-please", strings.Repeat("x7Kq9Zw2", 5)},
		"sequences": {"abcdefghijklmnopqrstuvwxyz0123456789", "qwertyuiopasdfghjklzxcvbnmpoiuytrewq"},
		"words": {"correcthorsebatterystaplemonkeydragon", "correct-horse-battery-staple-monkey-dragon", "thisisaverylongsecretfortheservice",
			"my-super-secret-edit-scope-for-production-2026", "SuperSecretEditScope!MonkeyDragon1234", "January2024February2025March2026April",
			"the-secret-of-the-administrators"},
	} {
		for _, text := range texts {
			require.Contains(t, Weakness(text, 32), says, text)
		}
	}
	for _, text := range []string{"aaaaaaaaaaaaaaaa", "abababababababab", "passwordpassword", "1234567890123456", "0123456789abcdef",
		"qwertyuiopasdfgh", "changemechangeme", "abcdefghijklmnop"} {
		require.NotEmpty(t, Guessable(text), text)
	}
	require.Empty(t, Guessable("the-key-of-this-test"))
}

// TestRandomSecretsAreTaken makes them as people do: openssl rand -hex, -base64, and a
// generator of passwords. One in 5,000 may look chosen; another is soon made.
func TestRandomSecretsAreTaken(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	b := make([]byte, 64)
	const rounds = 5000
	refused := 0
	for range rounds {
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		for _, text := range []string{hex.EncodeToString(b[:32]), base64.StdEncoding.EncodeToString(b[:32]),
			base64.RawURLEncoding.EncodeToString(b)[:32], base64.StdEncoding.EncodeToString(b)} {
			if Weakness(text, 32) != "" {
				refused++
			}
		}
		for _, text := range []string{hex.EncodeToString(b[:8]), base64.RawURLEncoding.EncodeToString(b)[:16]} {
			if Guessable(text) != "" {
				refused++
			}
		}
	}
	require.LessOrEqual(t, refused, rounds*6/5_000)
}

func FuzzWeakness(f *testing.F) {
	f.Add("correcthorsebatterystaple", 16)
	f.Add("\xff\xfe\x00", 2)
	f.Fuzz(func(t *testing.T, text string, length int) {
		defer fuzztest.Bound(t)()
		if why := Weakness(text, length); len(text) > 8 && strings.Contains(why, text) {
			t.Fatal("the reason repeats the secret")
		}
		Guessable(text)
	})
}
