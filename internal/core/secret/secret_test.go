package secret

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTextNeverPrints(t *testing.T) {
	const value = "cfut_canary_value_0123456789"
	s := New(value)
	holder := struct{ Token Text }{s}
	k, err := ParseKey("Y2FuYXJ5LWNhbmFyeS1jYW5hcnktY2FuYXJ5LTEyMzQ=")
	require.NoError(t, err)
	hidden := struct { // fmt calls no methods on these
		token  Text
		key    Key
		tokens map[string]struct{ token Text }
	}{s, k, map[string]struct{ token Text }{"a": {s}}}
	encoded, err := json.Marshal(holder)
	require.NoError(t, err)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "token", s, "holder", holder)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		require.NotContains(t, fmt.Sprintf(verb, s), "canary", verb)
		require.NotContains(t, fmt.Sprintf(verb, holder), "canary", verb)
		require.NotContains(t, fmt.Sprintf(verb, k), "canary", verb)
		for _, h := range []any{hidden, &hidden, []any{hidden}} {
			printed := fmt.Sprintf(verb, h)
			require.NotContains(t, printed, "canary", verb)
			require.NotContains(t, printed, "0x63, 0x61", verb)
			require.NotContains(t, printed, "99 97 110", verb)
			require.NotContains(t, printed, "63616e617279", verb)
		}
	}
	require.NotContains(t, string(encoded), "canary")
	require.NotContains(t, log.String(), "canary")
	require.Equal(t, value, s.Reveal())
	require.Equal(t, "••••6789", s.Hint())
	require.Equal(t, "••••", New("short").Hint())
	require.Equal(t, "••••", New("ééééééééééé").Hint(), "eleven characters, though more bytes")
	require.Equal(t, "••••éé€€", New("éééééééééé€€").Hint())
}

func TestSealOpens(t *testing.T) {
	k, err := NewKey(rand.Reader)
	require.NoError(t, err)
	other, err := NewKey(rand.Reader)
	require.NoError(t, err)
	sealed, err := k.Seal(New("hello"), "account:1", rand.Reader)
	require.NoError(t, err)
	again, err := ParseKey(k.Encode())
	require.NoError(t, err)
	opened, err := again.Open(sealed, "account:1")
	require.NoError(t, err)
	require.Equal(t, "hello", opened.Reveal())
	_, err = k.Open(sealed, "account:2")
	require.ErrorIs(t, err, ErrSealed)
	_, err = other.Open(sealed, "account:1")
	require.ErrorIs(t, err, ErrSealed)
	for i := range sealed {
		bad := append([]byte(nil), sealed...)
		bad[i] ^= 1
		_, err := k.Open(bad, "account:1")
		require.ErrorIs(t, err, ErrSealed, "byte %d", i)
	}
	_, err = k.Open(sealed[:5], "account:1")
	require.ErrorIs(t, err, ErrSealed)
}

func TestEqualAndFingerprint(t *testing.T) {
	k, err := NewKey(rand.Reader)
	require.NoError(t, err)
	require.True(t, New("abc").Equal("abc"))
	require.False(t, New("abc").Equal("abcd"))
	first := k.Fingerprint(New("a"))
	require.Equal(t, first, k.Fingerprint(New("a")))
	require.NotEqual(t, k.Fingerprint(New("a")), k.Fingerprint(New("b")))
	_, err = ParseKey("nope")
	require.Error(t, err)
	_, err = ParseKey("AAAA")
	require.ErrorContains(t, err, "32 are needed")
}
