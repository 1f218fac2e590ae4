package gate

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Method is how somebody was admitted.
type Method string

// The methods.
const (
	MethodSecret Method = "secret"
	MethodJWT    Method = "jwt"
)

// Who was admitted, when no claim says it.
const (
	bySecret  = "secret"
	byNobody  = "unnamed"
	maxByName = 255 // characters of a subject; RFC 7519 names no limit, OpenID Connect Core section 2 this one
)

// Grant shows that Admit let a write happen. Only this package makes one that is
// valid, so a writer that demands it cannot be reached around the gate. It may be
// copied, and holds neither the token nor anything of it but the subject.
type Grant struct{ admission *admission }

type admission struct {
	method  Method
	subject string
	token   Token
	from    time.Time
	until   time.Time
	now     func() time.Time
}

// grant makes a Grant that ends after GrantAge, or when the token does.
func (g *Gate) grant(a *admission, end time.Time) Grant {
	a.now, a.from = g.now, g.now()
	a.until = a.from.Add(GrantAge)
	if !end.IsZero() && end.Before(a.until) {
		a.until = end
	}
	return Grant{a}
}

// Valid gives nil while the write may happen, else a *posture.Problem: the zero
// Grant is never valid, another until it expires. A clock that was set back
// before the admission ends it too. Ask right before each write.
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

// Subject is who was admitted: the sub claim of the token, "unnamed" when it has
// none, or "secret". Method tells a subject of that name from the secret.
func (g Grant) Subject() string {
	if g.admission == nil {
		return ""
	}
	return g.admission.subject
}

// Token names the JWT that somebody was admitted by, so that it lets one change begin and no
// second one. It holds nothing the token could be made from.
type Token struct {
	// ID is a hash of iss and jti, "" for a token without jti and for the secret.
	ID string
	// Until is when the token ends.
	Until time.Time
}

// Token names the JWT, or is zero.
func (g Grant) Token() Token {
	if g.admission == nil {
		return Token{}
	}
	return g.admission.token
}

// Method is how, and empty for the zero Grant.
func (g Grant) Method() Method {
	if g.admission == nil {
		return ""
	}
	return g.admission.method
}

// Until is when the Grant ends; the zero Grant has the zero time.
func (g Grant) Until() time.Time {
	if g.admission == nil {
		return time.Time{}
	}
	return g.admission.until
}
