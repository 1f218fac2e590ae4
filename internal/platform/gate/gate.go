// Package gate has the one function that admits a write to the provider. HTTP, the tool server and
// the command line all call Admit; a writer requires the Grant that it returns. Whatever cannot be
// verified is refused.
package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// Limits of the gate.
const (
	// MaxToken is the longest token that is examined, in bytes.
	MaxToken = 8 << 10
	// MaxSet is the largest JWK set that is read, in bytes.
	MaxSet = 64 << 10
	// Leeway is how far iat may be ahead of our clock. The clocks of two well-run machines differ by
	// less. exp and nbf have no leeway.
	Leeway = 30 * time.Second
	// DefaultLifetime is the longest lifetime of a token that is accepted, unless the options say
	// otherwise.
	DefaultLifetime = time.Hour
	// GrantAge is the longest lifetime of a Grant.
	GrantAge = time.Minute
)

// Fetcher reads a JWK set from where it is published. It returns the whole document or an error,
// and stops when the context ends.
type Fetcher interface {
	Fetch(ctx context.Context) ([]byte, error)
}

// Options configures a Gate. The zero value, with a clock, refuses everything.
type Options struct {
	// Allowed is whether SERVICE_ALLOW_REMEDIATION is exactly the word true.
	Allowed bool
	// Secret is SERVICE_EDIT_SCOPE, the opaque secret; without it no secret is accepted.
	Secret secret.Text
	// HMACKey is SERVICE_EDIT_SCOPE_JWT_SECRET. Its raw bytes are the key of HS256 (at least 32
	// bytes), HS384 (48) and HS512 (64); RFC 7518, section 3.2.
	HMACKey secret.Text
	// JWKS is the text of a JWK set (RFC 7517) with public keys for RS*, PS*, ES* and EdDSA, for when
	// SERVICE_EDIT_SCOPE_JWKS names a file.
	JWKS []byte
	// Keys reads the set when SERVICE_EDIT_SCOPE_JWKS is an address; see FromAddress. Set at most one
	// of JWKS and Keys.
	Keys Fetcher
	// Issuer is SERVICE_EDIT_SCOPE_JWT_ISSUER, the required iss; "" requires none.
	Issuer string
	// Audience is SERVICE_EDIT_SCOPE_JWT_AUDIENCE, which aud must contain when set. When it is not
	// set, a token may have no aud; one that has must name "edgeposture" or the edit scope.
	Audience string
	// Lifetime is SERVICE_EDIT_SCOPE_JWT_LIFETIME, the longest accepted lifetime of a token, counted
	// from its time of issue and from now; 0 is DefaultLifetime.
	Lifetime time.Duration
	// Now is the clock.
	Now func() time.Time
}

// Gate admits callers who may write. It is immutable and safe for concurrent use.
type Gate struct {
	allowed  bool
	secret   secret.Text
	hmac     secret.Text
	issuer   string
	audience string
	// lifetime is the longest accepted lifetime of a token.
	lifetime time.Duration
	ring     keySource // nil when no public keys are configured
	now      func() time.Time
}

// New returns a gate. Its errors name the variable that is wrong, never its value.
func New(o Options) (*Gate, error) {
	if o.Now == nil {
		return nil, errors.New("the gate of writes has no clock; pass one in Options.Now")
	}
	if len(o.Secret.Reveal()) > MaxToken {
		return nil, fmt.Errorf("SERVICE_EDIT_SCOPE is longer than %d bytes, which no token may be; use a shorter secret", MaxToken)
	}
	if err := checkHMACKey(o.HMACKey); err != nil {
		return nil, err
	}
	g := &Gate{allowed: o.Allowed, secret: o.Secret, hmac: o.HMACKey, issuer: o.Issuer, audience: o.Audience,
		lifetime: cmp.Or(o.Lifetime, DefaultLifetime), now: o.Now}
	switch {
	case o.JWKS != nil && o.Keys != nil:
		return nil, errors.New("SERVICE_EDIT_SCOPE_JWKS is given as a text and as an address; use one of them")
	case o.JWKS != nil:
		set, err := parseSet(o.JWKS)
		if err != nil {
			return nil, fmt.Errorf("SERVICE_EDIT_SCOPE_JWKS cannot be used: %w", err)
		}
		g.ring = fixedKeys{set}
	case o.Keys != nil:
		g.ring = &jwksCache{fetcher: o.Keys, now: o.Now}
	}
	return g, nil
}

// checkHMACKey rejects a key that is too short by RFC 7518, and a public key: anybody has that, so
// anybody could sign with it.
func checkHMACKey(key secret.Text) error {
	text := key.Reveal()
	trimmed := strings.TrimSpace(text)
	switch {
	case key.IsZero():
		return nil
	case len(text) < minHMACKey:
		return fmt.Errorf("SERVICE_EDIT_SCOPE_JWT_SECRET has %d bytes and HS256 needs %d (RFC 7518, section 3.2); use at least %d random ones",
			len(text), minHMACKey, minHMACKey)
	case strings.HasPrefix(trimmed, "-----BEGIN") || strings.HasPrefix(trimmed, "{"):
		return errors.New("SERVICE_EDIT_SCOPE_JWT_SECRET holds a PEM block or a JWK and not a shared secret; put public keys into " +
			"SERVICE_EDIT_SCOPE_JWKS")
	}
	return nil
}

// Admit returns a Grant for a caller who may write. Whether the caller may use the service at all
// was checked before, by the holder of the API keys. The error is a *Refusal: its problem is
// remediation_disabled or edit_scope_denied, with the same sentence whatever the reason; the reason
// is only for the audit log.
func (g *Gate) Admit(ctx context.Context, token secret.Text) (Grant, error) {
	if !g.allowed {
		return Grant{}, refuse(ReasonDisabled)
	}
	raw := token.Reveal()
	switch {
	case raw == "":
		return Grant{}, refuse(ReasonNoToken)
	case len(raw) > MaxToken:
		return Grant{}, refuse(ReasonTooLong)
	case !g.secret.IsZero() && g.secret.Equal(raw):
		return g.grant(&admission{method: MethodSecret, subject: bySecret}, time.Time{}), nil
	case strings.Count(raw, ".") != 2:
		return Grant{}, refuse(ReasonSecretWrong)
	case g.hmac.IsZero() && g.ring == nil:
		return Grant{}, refuse(ReasonNoKeys)
	}
	c, err := g.verify(ctx, raw)
	if err != nil {
		return Grant{}, g.refuseFor(err)
	}
	return g.grant(&admission{method: MethodJWT, subject: c.who(), token: Token{ID: c.idAtIssuer(), Until: c.expires.Time}}, c.expires.Time),
		nil
}
