package password_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/password"
)

func matches(t *testing.T, h *password.Hasher, hash, text string) bool {
	t.Helper()
	is, err := h.Matches(hash, secret.New(text))
	require.NoError(t, err)
	return is
}

// TestFloods: of very many at once most are turned away at once, and nobody gets in by that.
func TestFloods(t *testing.T) {
	h := password.New(rand.Reader)
	hash, err := h.Hash(secret.New("correct horse battery"))
	require.NoError(t, err)
	var in, busy atomic.Int64
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			is, err := h.Matches(hash, secret.New("correct horse battery"))
			if is {
				in.Add(1)
			}
			if errors.Is(err, password.ErrBusy) {
				busy.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 200, in.Load()+busy.Load())
	require.GreaterOrEqual(t, in.Load(), int64(32))
	require.Positive(t, busy.Load())
}

func TestHashes(t *testing.T) {
	h := password.New(rand.Reader)
	one, err := h.Hash(secret.New("correct horse battery"))
	require.NoError(t, err)
	other, err := h.Hash(secret.New("correct horse battery"))
	require.NoError(t, err)
	require.NotEqual(t, one, other, "each has a salt of its own")
	require.True(t, strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$"))
	require.True(t, matches(t, h, one, "correct horse battery"))
	for _, wrong := range []string{"", "correct horse batterY", strings.Repeat("x", 300)} {
		require.False(t, matches(t, h, one, wrong))
	}
}

// TestOddHashesMatchNothing: what no hash of ours looks like never lets anybody in.
func TestOddHashesMatchNothing(t *testing.T) {
	h := password.New(rand.Reader)
	for _, hash := range []string{"", "$", "$argon2id$v=19$m=0,t=1,p=1$c2FsdA$aGFzaA", "$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA",
		"$argon2id$v=19$m=99999999,t=2,p=1$c2FsdA$aGFzaA", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$", "$argon2id$v=19$m=19456,t=2,p=1$!$aGFzaA"} {
		require.False(t, matches(t, h, hash, "correct horse battery"), hash)
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
