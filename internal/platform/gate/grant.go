package gate

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Method is how a caller was admitted.
type Method string

// The methods of admission.
const (
	MethodSecret Method = "secret"
	MethodJWT    Method = "jwt"
)

// Subjects without a claim, and a limit.
const (
	bySecret  = "secret"
	byNobody  = "unnamed"
	maxByName = 255 // characters; RFC 7519 has no limit, OpenID Connect Core, section 2, has this one
)

// Grant proves that Admit admitted a write. Only this package can create a valid one, so a writer
// that requires it cannot be reached without the gate. It may be copied. Of the token it holds only
// the subject, the identity and the end.
type Grant struct{ admission *admission }

type admission struct {
	method  Method
	subject string
	token   Token
	from    time.Time
	until   time.Time
	now     func() time.Time
}

// grant returns a Grant that ends after GrantAge, or when the token expires.
func (g *Gate) grant(a *admission, end time.Time) Grant {
	a.now, a.from = g.now, g.now()
	a.until = a.from.Add(GrantAge)
	if !end.IsZero() && end.Before(a.until) {
		a.until = end
	}
	return Grant{a}
}

// Valid returns nil while the write may happen, and otherwise a *posture.Problem. The zero Grant is
// never valid; others are valid until they expire, or until the clock is set back to before the
// admission. Call it right before each write.
func (g Grant) Valid() error {
	if g.admission == nil {
		return posture.Problemf(posture.CodeEditScopeDenied,
			"The change was not made, because nobody was admitted to make it; send a token with the edit scope.")
	}
	if now := g.admission.now(); now.Before(g.admission.from) || !now.Before(g.admission.until) {
		return posture.Problemf(posture.CodeEditScopeDenied,
			"The change was not made, because the permission to make it ran out; send the token again.")
	}
	return nil
}

// Subject returns who was admitted: the sub claim of the token, "unnamed" when it has none, or
// "secret". Method distinguishes a subject of that name from the secret.
func (g Grant) Subject() string {
	if g.admission == nil {
		return ""
	}
	return g.admission.subject
}

// Token identifies the JWT that somebody was admitted with, so that it can begin only one change.
// The token cannot be reconstructed from it.
type Token struct {
	// ID is a hash of iss and jti, "" for a token without jti and for the secret.
	ID string
	// Until is when the token expires.
	Until time.Time
}

// Token returns the identity of the JWT, or zero when there was none.
func (g Grant) Token() Token {
	if g.admission == nil {
		return Token{}
	}
	return g.admission.token
}

// Method returns how the caller was admitted, "" for the zero Grant.
func (g Grant) Method() Method {
	if g.admission == nil {
		return ""
	}
	return g.admission.method
}

// From returns when the Grant was given; the zero time for the zero Grant.
func (g Grant) From() time.Time {
	if g.admission == nil {
		return time.Time{}
	}
	return g.admission.from
}

// Until returns when the Grant ends; the zero time for the zero Grant.
func (g Grant) Until() time.Time {
	if g.admission == nil {
		return time.Time{}
	}
	return g.admission.until
}
