package password_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/password"
)

func TestHashes(t *testing.T) {
	h := password.New(rand.Reader)
	one, err := h.Hash(secret.New("correct horse battery"))
	require.NoError(t, err)
	other, err := h.Hash(secret.New("correct horse battery"))
	require.NoError(t, err)
	require.NotEqual(t, one, other, "each has a salt of its own")
	require.True(t, strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$"))
	require.True(t, h.Matches(one, secret.New("correct horse battery")))
	for _, wrong := range []string{"", "correct horse batterY", strings.Repeat("x", 300)} {
		require.False(t, h.Matches(one, secret.New(wrong)))
	}
}

// TestOddHashesMatchNothing: what no hash of ours looks like never lets anybody in.
func TestOddHashesMatchNothing(t *testing.T) {
	h := password.New(rand.Reader)
	for _, hash := range []string{"", "$", "$argon2id$v=19$m=0,t=1,p=1$c2FsdA$aGFzaA", "$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA",
		"$argon2id$v=19$m=99999999,t=2,p=1$c2FsdA$aGFzaA", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$", "$argon2id$v=19$m=19456,t=2,p=1$!$aGFzaA"} {
		require.False(t, h.Matches(hash, secret.New("correct horse battery")), hash)
	}
}

func TestWeakPasswords(t *testing.T) {
	h := password.New(rand.Reader)
	for _, p := range []string{"", "elevenchars", strings.Repeat("ä", 101)} {
		_, err := h.Hash(secret.New(p))
		_, weak := errors.AsType[*password.WeakError](err)
		require.True(t, weak, p)
	}
	_, err := password.New(strings.NewReader("short")).Hash(secret.New("correct horse battery"))
	require.ErrorContains(t, err, "randomness")
}
