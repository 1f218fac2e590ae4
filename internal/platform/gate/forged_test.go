package gate

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// guard is the one thing that stands between a forged token and a Grant.
type guard string

const (
	bySignature guard = "signature" // its claims are right: without verification it would be accepted
	byClaims    guard = "claims"    // its signature is right: without a look at the claims it would be accepted
	byForm      guard = "form"      // the library alone would accept it
	byAll       guard = "all"       // nobody would
)

type forgery struct {
	name, token string
	guard       guard
}

func forgeries(t testing.TB) []forgery {
	var all []forgery
	for _, family := range []func(testing.TB) []forgery{unsigned, confused, guessed, ownKey, ownKeySigned, kids, swapped, tampered, barred,
		claimed, scoped, repeated, shaped} {
		all = append(all, family(t)...)
	}
	return all
}

// careless is the gate with its verification off, for tests: it believes any
// token whose claims are right.
func careless(g *Gate, token string) error {
	parts := strings.Split(token, ".")
	b, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return err
	}
	c := &claims{gate: g}
	if err := json.Unmarshal(b, c); err != nil {
		return err
	}
	return jwt.NewValidator(jwt.WithExpirationRequired(), jwt.WithTimeFunc(g.now), jwt.WithIssuer(g.issuer)).Validate(c)
}

// blind is the library with the right key and no look at the claims.
func blind(token string, options ...jwt.ParserOption) error {
	_, err := jwt.NewParser(options...).Parse(token, func(tok *jwt.Token) (any, error) {
		for _, m := range algorithms() {
			if m.alg == tok.Header["alg"] && m.public != nil {
				return m.public, nil
			}
		}
		return []byte(hmacKey), nil
	})
	return err
}

func TestForgedTokensAreRefused(t *testing.T) {
	g, all := fullGate(t), forgeries(t)
	count, seen := map[guard]int{}, map[string]string{}
	for _, f := range all {
		require.Empty(t, seen[f.token], "%s is %s again", f.name, seen[f.token])
		seen[f.token] = f.name
		reason := refused(t, g, f.token)
		count[f.guard]++
		switch f.guard {
		case bySignature:
			require.NoError(t, careless(g, f.token), "%s (%s) is no forgery that only the signature shows", f.name, reason)
		case byClaims:
			require.NoError(t, blind(f.token, jwt.WithoutClaimsValidation()), "%s (%s) is not signed well", f.name, reason)
		case byForm:
			require.NoError(t, blind(f.token, jwt.WithTimeFunc(g.now), jwt.WithExpirationRequired(), jwt.WithIssuer(issuer)),
				"%s (%s) is not believed by the library", f.name, reason)
		case byAll:
		}
	}
	t.Logf("%d forged tokens, 0 accepted: %v", len(all), count)
	require.GreaterOrEqual(t, len(all), 120)
	require.GreaterOrEqual(t, count[bySignature], 100)
	require.GreaterOrEqual(t, count[byClaims], 40)
	require.GreaterOrEqual(t, count[byForm], 15)
}

// The remediation switch and a missing key stand before all of them as well.
func TestForgedTokensAreRefusedWithLessConfigured(t *testing.T) {
	bare, off := mustGate(t, Options{}), fullGate(t)
	off.allowed = false
	for _, f := range forgeries(t) {
		refused(t, bare, f.token)
		require.Equal(t, ReasonDisabled, refused(t, off, f.token))
	}
}

// unsigned: alg none in all spellings, with and without a signature.
func unsigned(testing.TB) (out []forgery) {
	for _, alg := range []string{"none", "None", "NONE", "nOnE", "", "null", "plain", "HS", "HS1", "RSA1_5", "dir", "ES256K", "hs256"} {
		for sig, name := range map[string]string{"": "without", encode("x"): "with"} {
			out = append(out, forgery{"unsigned " + alg + " " + name, encode(head(alg, "")) + "." + encode(edit()) + "." + sig, bySignature})
		}
	}
	return out
}

// confused: public keys, in each form somebody may hash, as the shared key.
func confused(t testing.TB) (out []forgery) {
	for _, m := range algorithms() {
		if m.alg != "RS256" && m.alg != "ES256" && m.alg != "EdDSA" {
			continue
		}
		der, err := x509.MarshalPKIXPublicKey(m.public)
		require.NoError(t, err)
		text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
		j, err := json.Marshal(jwk(t, m.public, m.kid, nil))
		require.NoError(t, err)
		for name, key := range map[string][]byte{"PEM": text, "PEM without its end": text[:len(text)-1], "DER": der, "JWK": j,
			"set": testSet(t)} {
			for _, alg := range []string{"HS256", "HS384", "HS512"} {
				out = append(out, forgery{fmt.Sprintf("%s with the %s of %s", alg, name, m.alg), sign(t, alg, head(alg, kid(m.kid+name)), edit(), key),
					bySignature})
			}
		}
	}
	return out
}

// guessed: shared keys people choose, and those that lie near.
func guessed(t testing.TB) (out []forgery) {
	for _, key := range []string{"", "secret", "password", strings.Repeat("\x00", 65), strings.Repeat("0", 64), opaque, issuer, hmacKey[:32],
		hmacKey + "\n", "tag:edit", "a shared key that lies in the set of public ones"} {
		out = append(out, forgery{fmt.Sprintf("guessed %q", key), sign(t, "HS256", head("HS256", kid("oct")), edit(), []byte(key)), bySignature})
	}
	return out
}

// ownKey: the token brings the key it was signed with.
func ownKey(t testing.TB) (out []forgery) {
	s := signersOnce()
	for _, m := range []means{{"RS256", "r1", s.attacker, s.attacker.Public()}, {"PS512", "r1", s.attacker, s.attacker.Public()},
		{"ES256", "e2", s.thief, s.thief.Public()}} {
		for _, id := range []string{"", kid(m.kid), kid("attacker")} {
			for name, more := range brought(t, m.public) {
				out = append(out, forgery{fmt.Sprintf("%s own key by %s %s", m.alg, name, id), sign(t, m.alg, head(m.alg, id+more), edit(), m.key),
					bySignature})
			}
			out = append(out, forgery{fmt.Sprintf("%s own key %s", m.alg, id), sign(t, m.alg, head(m.alg, id), edit(), m.key), bySignature})
		}
	}
	return out
}

// brought is the header parameters that say where a key is.
func brought(t testing.TB, public any) map[string]string {
	j, err := json.Marshal(jwk(t, public, "attacker", nil))
	require.NoError(t, err)
	return map[string]string{
		"jwk": `,"jwk":` + string(j), "jku": `,"jku":"https://attacker.example/jwks.json"`, "jku of the issuer": `,"jku":"` + issuer +
			`@attacker.example/"`,
		"x5u": `,"x5u":"http://127.0.0.1:1/cert.pem"`, "x5c": `,"x5c":["MIIB"]`,
	}
}

// ownKeySigned: the same parameters, and others that are refused, in tokens that are otherwise right.
func ownKeySigned(t testing.TB) (out []forgery) {
	more := brought(t, signersOnce().rsa.Public())
	for _, p := range []string{`"crit":["exp"]`, `"crit":[]`, `"crit":["b64"],"b64":false`, `"b64":true`, `"zip":"DEF"`, `"enc":"A256GCM"`,
		`"cty":"JWT"`, `"jwk":null`, `"kid":1`, `"kid":null`, `"kid":["r1"]`, `"kid":{}`} {
		more[p] = "," + p
	}
	for name, p := range more {
		out = append(out, forgery{"signed with " + name, sign(t, "HS256", head("HS256", p), edit(), []byte(hmacKey)), byForm})
	}
	for _, h := range []string{`{"alg":"HS256","typ":"logout+jwt"}`, `{"alg":"HS256","typ":"JOSE"}`, `{"alg":"HS256","typ":""}`,
		`{"alg":"HS256","typ":1}`, `{"alg":"none","alg":"HS256"}`, `{"alg":"HS256","x":{"a":1,"a":2}}`, `{"alg":"RS256","\u0061lg":"HS256"}`} {
		out = append(out, forgery{"signed with header " + h, sign(t, "HS256", h, edit(), []byte(hmacKey)), byForm})
	}
	return out
}

// kids: names that lead elsewhere where they are put into a path, a query or a command.
func kids(t testing.TB) (out []forgery) {
	s := signersOnce()
	for _, id := range []string{"../../../../dev/null", "/dev/null", "file:///dev/null", "r1/../r1", "' UNION SELECT 'x", "r1|/bin/true",
		"r1\x00", " r1", "r1 ", "R1", "", "*", "http://127.0.0.1/", strings.Repeat("r1", 500), "attacker"} {
		encoded, err := json.Marshal(id)
		require.NoError(t, err)
		more := `,"kid":` + string(encoded)
		out = append(out, forgery{fmt.Sprintf("kid %.40q, empty shared key", id), sign(t, "HS256", head("HS256", more), edit(), []byte{}),
			bySignature}, forgery{fmt.Sprintf("kid %.40q, another key", id), sign(t, "RS384", head("RS384", more), edit(), s.attacker), bySignature},
			forgery{fmt.Sprintf("kid %.40q, a key of ours", id), sign(t, "RS256", head("RS256", more), edit(), s.rsa), byForm})
	}
	return out
}

// TestCarelessIsTheGateWithoutVerification holds the test's own parser to the claims.
func TestCarelessIsTheGateWithoutVerification(t *testing.T) {
	g := fullGate(t)
	for _, f := range append(claimed(t), scoped(t)...) {
		require.Error(t, careless(g, f.token), f.name)
	}
	good := sign(t, "HS256", head("HS256", ""), edit(), []byte(hmacKey))
	require.NoError(t, careless(g, good))
	_, err := g.Admit(t.Context(), secret.New(good))
	require.NoError(t, err)
}
