package gate

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/core/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	opaque  = "opaque-edit-secret-for-tests"
	hmacKey = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" // 64 bytes, so HS512 too
	issuer  = "https://issuer.example"
)

func noon() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

// signers are the private keys of the tests. weak, sealed, shown and bound are in
// the set too, but may not be used, or not for every algorithm.
type signers struct {
	rsa, attacker, weak, bound, sealed *rsa.PrivateKey
	p256, p384, p521, shown            *ecdsa.PrivateKey
	ed                                 ed25519.PrivateKey
	thief                              *ecdsa.PrivateKey
}

// Making RSA keys takes long, so it is done once.
var signersOnce = sync.OnceValue(func() signers {
	rsaKey := func(bits int) *rsa.PrivateKey {
		k, err := rsa.GenerateKey(rand.Reader, bits)
		if err != nil {
			panic(err)
		}
		return k
	}
	ecKey := func(c elliptic.Curve) *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(c, rand.Reader)
		if err != nil {
			panic(err)
		}
		return k
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	return signers{rsaKey(2048), rsaKey(2048), rsaKey(1024), rsaKey(2048), rsaKey(2048),
		ecKey(elliptic.P256()), ecKey(elliptic.P384()), ecKey(elliptic.P521()), ecKey(elliptic.P256()), ed, ecKey(elliptic.P256())}
})

// jwk writes a key as a JWK; private keys keep their private part.
func jwk(t testing.TB, key any, kid string, change func(*jwkset.JWKMarshal)) jwkset.JWKMarshal {
	t.Helper()
	k, err := jwkset.NewJWKFromKey(key, jwkset.JWKOptions{Marshal: jwkset.JWKMarshalOptions{Private: true}})
	require.NoError(t, err)
	m := k.Marshal()
	m.KID = kid
	if change != nil {
		change(&m)
	}
	return m
}

func setOf(t testing.TB, keys ...jwkset.JWKMarshal) []byte {
	t.Helper()
	b, err := json.Marshal(jwkset.JWKSMarshal{Keys: keys})
	require.NoError(t, err)
	return b
}

func testSet(t testing.TB) []byte {
	s := signersOnce()
	return setOf(t,
		jwk(t, s.rsa.Public(), "r1", nil), jwk(t, s.p256.Public(), "e2", nil), jwk(t, s.p384.Public(), "e3", nil),
		jwk(t, s.p521.Public(), "e5", nil),
		jwk(t, s.ed.Public(), "o1", nil), jwk(t, s.weak.Public(), "weak", nil), jwk(t, s.shown, "shown", nil),
		jwk(t, s.bound.Public(), "bound", func(m *jwkset.JWKMarshal) { m.ALG = jwkset.AlgRS512 }),
		jwk(t, s.sealed.Public(), "sealed", func(m *jwkset.JWKMarshal) { m.USE = jwkset.UseEnc }),
		jwk(t, []byte("a shared key that lies in the set of public ones"), "oct", nil),
	)
}

// clock is moved by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) move(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.at = c.at.Add(d) }

func fullGate(t testing.TB) *Gate {
	t.Helper()
	g, err := New(Options{Allowed: true, Secret: secret.New(opaque), HMACKey: secret.New(hmacKey), JWKS: testSet(t), Issuer: issuer,
		Now: noon})
	require.NoError(t, err)
	return g
}

func encode(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// sign makes a token of any header and payload, signed as the algorithm signs.
func sign(t testing.TB, alg, header, payload string, key any) string {
	t.Helper()
	text := encode(header) + "." + encode(payload)
	sig, err := jwt.GetSigningMethod(alg).Sign(text, key)
	require.NoError(t, err)
	return text + "." + base64.RawURLEncoding.EncodeToString(sig)
}

func head(alg, more string) string { return fmt.Sprintf(`{"alg":%q,"typ":"JWT"%s}`, alg, more) }

func kid(id string) string { return fmt.Sprintf(`,"kid":%q`, id) }

// payload is right for the gate under test but for what more adds.
func payload(more string) string {
	return fmt.Sprintf(`{"iss":%q,"sub":"ada","exp":%d%s}`, issuer, noon().Add(time.Hour).Unix(), more)
}

func edit() string { return payload(`,"permission":"edit"`) }

// means of each algorithm: the kid of its key and the key.
type means struct {
	alg, kid string
	key      any
	public   crypto.PublicKey
}

func algorithms() []means {
	s := signersOnce()
	h := []byte(hmacKey)
	return []means{
		{"HS256", "", h, nil}, {"HS384", "", h, nil}, {"HS512", "", h, nil},
		{"RS256", "r1", s.rsa, s.rsa.Public()}, {"RS384", "r1", s.rsa, s.rsa.Public()}, {"RS512", "r1", s.rsa, s.rsa.Public()},
		{"PS256", "r1", s.rsa, s.rsa.Public()}, {"PS384", "r1", s.rsa, s.rsa.Public()}, {"PS512", "r1", s.rsa, s.rsa.Public()},
		{"ES256", "e2", s.p256, s.p256.Public()}, {"ES384", "e3", s.p384, s.p384.Public()}, {"ES512", "e5", s.p521, s.p521.Public()},
		{"EdDSA", "o1", s.ed, s.ed.Public()},
	}
}

func (m means) header(more string) string {
	if m.kid != "" {
		more = kid(m.kid) + more
	}
	return head(m.alg, more)
}

// refused gives the reason a token is refused for, and fails when it is not.
func refused(t testing.TB, g *Gate, token string) Reason {
	t.Helper()
	grant, err := g.Admit(t.Context(), secret.New(token))
	var r *Refusal
	require.ErrorAs(t, err, &r)
	require.Equal(t, Grant{}, grant)
	require.Error(t, grant.Valid())
	require.Contains(t, Reasons(), r.Reason)
	return r.Reason
}
