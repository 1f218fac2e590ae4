package gate

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// FuzzAdmit sends garbage. Nothing is admitted but the secret and what the
// fuzzer was given as good, and a refusal always has a reason of the list.
func FuzzAdmit(f *testing.F) {
	g := fullGate(f)
	good := map[string]bool{opaque: true}
	for _, m := range algorithms() {
		token := sign(f, m.alg, m.header(""), edit(), m.key)
		good[token] = true
		f.Add(token)
	}
	f.Add(opaque)
	for i, forged := range forgeries(f) {
		if i%9 == 0 && len(forged.token) < MaxToken {
			f.Add(forged.token)
		}
	}
	f.Fuzz(func(t *testing.T, token string) {
		defer fuzztest.Bound(t)()
		if good[token] {
			_, err := g.Admit(t.Context(), secret.New(token))
			require.NoError(t, err)
			return
		}
		refused(t, g, token)
	})
}

// FuzzClaims reads any payload as if it were signed: whoever is admitted by it
// has the edit scope by the rules, written down here once more and otherwise.
func FuzzClaims(f *testing.F) {
	g := fullGate(f)
	for _, forged := range append(claimed(f), scoped(f)...) {
		b, err := base64.RawURLEncoding.DecodeString(strings.Split(forged.token, ".")[1])
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte(edit()))
	f.Fuzz(func(t *testing.T, b []byte) {
		defer fuzztest.Bound(t)()
		if len(b) > 4<<10 {
			return
		}
		token := sign(t, "HS256", head("HS256", ""), string(b), []byte(hmacKey))
		if _, err := g.Admit(t.Context(), secret.New(token)); err == nil {
			require.True(t, mayEdit(b), "%q", b)
		}
	})
}

func mayEdit(b []byte) bool {
	var c map[string]any
	if json.Unmarshal(b, &c) != nil {
		return false
	}
	if exp, ok := c["exp"].(float64); !ok || exp <= float64(noon().Unix()) || c["iss"] != issuer {
		return false
	}
	if scope, ok := c["scope"].(string); ok && regexp.MustCompile(`(^| )edit( |$)`).MatchString(scope) {
		return true
	}
	if list, ok := c["aud"].([]any); ok && slices.Contains(list, any("tag:edit")) {
		return true
	}
	return c["permission"] == "edit" || c["aud"] == "tag:edit"
}

// FuzzSet reads any document as a key set; what comes out is keys of the forms that are allowed.
func FuzzSet(f *testing.F) {
	f.Add(testSet(f))
	f.Add([]byte(`{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		defer fuzztest.Bound(t)()
		set, err := parseSet(b)
		if err != nil {
			require.Nil(t, set)
			return
		}
		require.NotEmpty(t, set.keys)
		for _, k := range set.keys {
			require.Equal(t, k.form, formOf(k.public))
			require.NotEmpty(t, k.form)
		}
	})
}
