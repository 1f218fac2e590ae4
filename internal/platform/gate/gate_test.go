package gate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// The eight combinations of allowed, a secret configured, and the token right.
func TestSwitchSecretAndToken(t *testing.T) {
	for _, c := range []struct {
		allowed, configured, right bool
		code                       posture.Code
		reason                     Reason
	}{
		{false, false, false, posture.CodeRemediationDisabled, ReasonDisabled},
		{false, false, true, posture.CodeRemediationDisabled, ReasonDisabled},
		{false, true, false, posture.CodeRemediationDisabled, ReasonDisabled},
		{false, true, true, posture.CodeRemediationDisabled, ReasonDisabled},
		{true, false, false, posture.CodeEditScopeDenied, ReasonSecretWrong},
		{true, false, true, posture.CodeEditScopeDenied, ReasonSecretWrong},
		{true, true, false, posture.CodeEditScopeDenied, ReasonSecretWrong},
		{true, true, true, "", ""},
	} {
		o := Options{Allowed: c.allowed, Now: noon}
		if c.configured {
			o.Secret = secret.New(opaque)
		}
		g, err := New(o)
		require.NoError(t, err)
		token := opaque
		if !c.right {
			token = opaque[:len(opaque)-1] + "S"
		}
		grant, err := g.Admit(t.Context(), secret.New(token))
		if c.code == "" {
			require.NoError(t, err)
			require.NoError(t, grant.Valid())
			require.Equal(t, MethodSecret, grant.Method())
			require.Equal(t, "secret", grant.Subject())
			continue
		}
		var r *Refusal
		require.ErrorAs(t, err, &r, "%+v", c)
		require.Equal(t, c.reason, r.Reason, "%+v", c)
		require.Equal(t, c.code, posture.AsProblem(err).Code, "%+v", c)
		require.Equal(t, 403, posture.AsProblem(err).Code.Status())
		require.Error(t, grant.Valid())
	}
}

func TestNothingAndNobodyAreRefused(t *testing.T) {
	g, err := New(Options{Allowed: true, Now: noon})
	require.NoError(t, err)
	require.Equal(t, ReasonNoToken, refused(t, g, ""), "no secret and no token are equal, and still nobody is admitted")
	require.Equal(t, ReasonNoKeys, refused(t, g, sign(t, "HS256", head("HS256", ""), edit(), []byte{})))
	require.Equal(t, ReasonTooLong, refused(t, g, strings.Repeat("a", MaxToken+1)))
	require.Equal(t, ReasonSecretWrong, refused(t, g, strings.Repeat("a", MaxToken)))
	require.Equal(t, ReasonAlgorithm, refused(t, mustGate(t, Options{HMACKey: secret.New(hmacKey)}),
		sign(t, "RS256", head("RS256", kid("r1")), edit(), signersOnce().rsa)))
	require.Equal(t, ReasonAlgorithm, refused(t, mustGate(t, Options{JWKS: testSet(t)}), sign(t, "HS256", head("HS256", ""), edit(),
		[]byte{})))
}

// A token made for somebody else is not for us (RFC 7519, section 4.1.3).
func TestAudience(t *testing.T) {
	named := mustGate(t, Options{HMACKey: secret.New(hmacKey), Audience: "posture.example"})
	open := mustGate(t, Options{HMACKey: secret.New(hmacKey)})
	for aud, admits := range map[string]struct{ open, named bool }{
		``:                                 {true, false},
		`,"aud":"tag:edit"`:                {true, false},
		`,"aud":"edgeposture"`:             {true, false},
		`,"aud":["x","edgeposture"]`:       {true, false},
		`,"aud":"posture.example"`:         {false, true},
		`,"aud":["x","posture.example"]`:   {false, true},
		`,"aud":"https://other.example"`:   {false, false},
		`,"aud":["Edgeposture","tag:edi"]`: {false, false},
		`,"aud":[]`:                        {false, false},
		`,"aud":""`:                        {false, false},
	} {
		token := sign(t, "HS256", head("HS256", ""), payload(`,"permission":"edit"`+aud), []byte(hmacKey))
		for g, want := range map[*Gate]bool{open: admits.open, named: admits.named} {
			if _, err := g.Admit(t.Context(), secret.New(token)); want {
				require.NoError(t, err, aud)
			} else {
				require.Equal(t, ReasonAudience, refused(t, g, token), aud)
			}
		}
	}
}

// What names a token is the same for the same jti of the same issuer only.
func TestTokenIsNamed(t *testing.T) {
	g := mustGate(t, Options{Secret: secret.New(opaque), HMACKey: secret.New(hmacKey)})
	named := func(claims string) Token {
		p := fmt.Sprintf(`{"permission":"edit","exp":%d%s}`, noon().Unix()+60, claims)
		grant, err := g.Admit(t.Context(), secret.New(sign(t, "HS256", head("HS256", ""), p, []byte(hmacKey))))
		require.NoError(t, err)
		return grant.Token()
	}
	one := named(`,"iss":"a","jti":"1"`)
	require.Equal(t, noon().Add(time.Minute), one.Until.UTC())
	require.Equal(t, one, named(`,"jti":"1","iss":"a","sub":"somebody"`))
	for _, other := range []string{`,"iss":"a","jti":"2"`, `,"iss":"b","jti":"1"`, `,"jti":"1"`, `,"iss":"a1"`} {
		require.NotEqual(t, one.ID, named(other).ID, other)
	}
	require.Empty(t, named(`,"iss":"a"`).ID)
	grant, err := g.Admit(t.Context(), secret.New(opaque))
	require.NoError(t, err)
	require.Empty(t, grant.Token())
	require.Equal(t, ReasonClaim, refused(t, g, sign(t, "HS256", head("HS256", ""), payload(`,"permission":"edit","jti":7`), []byte(hmacKey))))
}

func mustGate(t testing.TB, o Options) *Gate {
	t.Helper()
	o.Allowed = true
	if o.Now == nil {
		o.Now = noon
	}
	g, err := New(o)
	require.NoError(t, err)
	return g
}

func TestEveryAlgorithmAndEveryClaimAdmit(t *testing.T) {
	g := fullGate(t)
	for _, m := range algorithms() {
		for _, scope := range []string{`,"permission":"edit"`, `,"aud":"tag:edit"`, `,"aud":["other","tag:edit"]`, `,"scope":"read edit write"`,
			`,"scope":"edit"`} {
			grant, err := g.Admit(t.Context(), secret.New(sign(t, m.alg, m.header(""), payload(scope), m.key)))
			require.NoError(t, err, "%s %s", m.alg, scope)
			require.NoError(t, grant.Valid())
			require.Equal(t, MethodJWT, grant.Method())
			require.Equal(t, "ada", grant.Subject())
		}
	}
	for name, p := range map[string]string{
		"issued within the leeway": payload(fmt.Sprintf(`,"permission":"edit","iat":%d`, noon().Add(Leeway).Unix())),
		"in force from now on":     payload(fmt.Sprintf(`,"permission":"edit","nbf":%d`, noon().Unix())),
		"one second left":          fmt.Sprintf(`{"iss":%q,"exp":%d,"permission":"edit"}`, issuer, noon().Unix()+1),
		"half a second left":       fmt.Sprintf(`{"iss":%q,"exp":%d.5,"permission":"edit"}`, issuer, noon().Unix()),
		"claims nobody knows":      payload(`,"permission":"edit","roles":[{"a":null}],"Permission":"read"`),
	} {
		_, err := g.Admit(t.Context(), secret.New(sign(t, "HS256", head("HS256", ""), p, []byte(hmacKey))))
		require.NoError(t, err, name)
	}
	for _, h := range []string{`{"alg":"HS256"}`, `{"alg":"HS256","typ":"at+jwt"}`,
		`{"alg":"HS256","typ":"application/AT+JWT","x5t":"a","kid":"any"}`} {
		_, err := g.Admit(t.Context(), secret.New(sign(t, "HS256", h, edit(), []byte(hmacKey))))
		require.NoError(t, err, h)
	}
}

func TestHMACKeysAreLongEnough(t *testing.T) {
	for _, c := range []struct {
		length int
		admits []string
	}{{32, []string{"HS256"}}, {47, []string{"HS256"}}, {48, []string{"HS256", "HS384"}}, {63, []string{"HS256", "HS384"}},
		{64, []string{"HS256", "HS384", "HS512"}}} {
		key := hmacKey[:c.length]
		g := mustGate(t, Options{HMACKey: secret.New(key)})
		for _, alg := range []string{"HS256", "HS384", "HS512"} {
			grant, err := g.Admit(t.Context(), secret.New(sign(t, alg, head(alg, ""), edit(), []byte(key))))
			admitted := strings.Contains(strings.Join(c.admits, " "), alg)
			require.Equal(t, admitted, err == nil, "%s with %d bytes", alg, c.length)
			require.Equal(t, admitted, grant.Valid() == nil)
		}
	}
}

func TestBadConfigurationIsRefusedInOneSentence(t *testing.T) {
	canary := "canary" + strings.Repeat("x", 20)
	for want, o := range map[string]Options{
		"no clock":       {},
		"HS256 needs":    {Now: noon, HMACKey: secret.New(canary)},
		"PEM block":      {Now: noon, HMACKey: secret.New("\n-----BEGIN PUBLIC KEY-----\ncanary" + hmacKey)},
		"a JWK and not":  {Now: noon, HMACKey: secret.New(` {"kty":"RSA","n":"canary` + hmacKey)},
		"longer than":    {Now: noon, Secret: secret.New(strings.Repeat("canary", MaxToken))},
		"use one of":     {Now: noon, JWKS: testSet(t), Keys: fetcherFunc(nil)},
		"cannot be read": {Now: noon, JWKS: []byte(`canary`)},
		"no public key":  {Now: noon, JWKS: []byte(`{"keys":[]}`)},
	} {
		g, err := New(o)
		require.ErrorContains(t, err, want)
		require.Nil(t, g)
		require.NotContains(t, err.Error(), "canary")
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestGrantsEnd(t *testing.T) {
	c := &clock{at: noon()}
	g := mustGate(t, Options{Secret: secret.New(opaque), HMACKey: secret.New(hmacKey), Now: c.now})
	grant, err := g.Admit(t.Context(), secret.New(opaque))
	require.NoError(t, err)
	require.Equal(t, noon().Add(GrantAge), grant.Until())
	c.move(GrantAge - 1)
	require.NoError(t, grant.Valid())
	c.move(1)
	require.Equal(t, posture.CodeEditScopeDenied, posture.AsProblem(grant.Valid()).Code)
	c.move(-GrantAge - 1)
	require.Error(t, grant.Valid(), "the clock was set back before the admission")

	c.move(1)
	soon := fmt.Sprintf(`{"exp":%d,"permission":"edit"}`, noon().Unix()+20)
	grant, err = g.Admit(t.Context(), secret.New(sign(t, "HS256", head("HS256", ""), soon, []byte(hmacKey))))
	require.NoError(t, err)
	require.Equal(t, "unnamed", grant.Subject())
	require.True(t, noon().Add(20*time.Second).Equal(grant.Until()), "a grant does not outlive its token")
	c.move(20 * time.Second)
	require.Error(t, grant.Valid())
}

func TestZeroAndForeignGrantsAreNotValid(t *testing.T) {
	var zero, read Grant
	require.Equal(t, posture.CodeEditScopeDenied, posture.AsProblem(zero.Valid()).Code)
	require.Empty(t, zero.Subject())
	require.Empty(t, zero.Method())
	require.True(t, zero.Until().IsZero())
	require.NoError(t, json.Unmarshal([]byte(`{"admission":{"subject":"ada"},"Admission":{}}`),
		&read)) //nolint:staticcheck // that nothing is read is what is shown
	require.Error(t, read.Valid(), "a grant cannot be sent")
}

// No part of a token comes out: not in an error, not in a grant, not in the gate.
func TestNothingOfTheTokenOrTheKeysComesOut(t *testing.T) {
	g := fullGate(t)
	good := sign(t, "HS256", head("HS256", ""), payload(`,"permission":"edit","note":"canary"`), []byte(hmacKey))
	bad := good[:len(good)-4] + "AAAA"
	grant, err := g.Admit(t.Context(), secret.New(good))
	require.NoError(t, err)
	_, refusal := g.Admit(t.Context(), secret.New(bad))
	_, other := g.Admit(t.Context(), secret.New("wrong"))
	require.Equal(t, refusal.Error(), other.Error(), "callers cannot tell reasons apart")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for _, shown := range []any{grant, refusal, g, *g} {
			printed := fmt.Sprintf(verb, shown)
			for _, part := range append(strings.Split(good, "."), "canary", hmacKey, opaque) {
				require.NotContains(t, printed, part, verb)
			}
		}
	}
}

// Secrets are compared by secret.Equal and, inside the JWT library, by hmac.Equal.
func TestNoSecretIsComparedWithAnOperator(t *testing.T) {
	operator := regexp.MustCompile(`(Reveal\(\)|\braw\b|\btoken\b|\.secret|\.hmac|bytes\.Equal|strings\.(EqualFold|Compare|HasPrefix\(raw))` +
		`[^\n]*`)
	compares := regexp.MustCompile(`(\braw|\btoken|Reveal\(\)|\.secret|\.hmac)\s*[!=]=\s*([^"\s]|"[^"])|[!=]=\s*(raw|token|g\.secret|g\.hma` +
		`c|key\.Reveal\(\)|o\.Secret)\b|bytes\.Equal|bytes\.Compare|strings\.EqualFold|strings\.Compare`)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	seen := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		seen += len(operator.FindAll(src, -1))
		require.Empty(t, compares.FindAllString(string(src), -1), name)
	}
	require.Greater(t, seen, 10, "the words this test looks at are those of the source")
	for _, bad := range []string{`if raw == g.secret.Reveal() {`, `g.secret.Reveal() != x`, `raw == "letmein"`, `x == raw`,
		`bytes.Equal(a, b)`} {
		require.True(t, compares.MatchString(bad), bad)
	}
	require.False(t, compares.MatchString(`case raw == "":`))
}
