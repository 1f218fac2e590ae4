package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"
)

// Claims that grant the edit scope; any one of them is enough.
const (
	editPermission = "edit"     // permission equals it
	editAudience   = "tag:edit" // aud contains it
	editScope      = "edit"     // scope contains it as a word
)

// ownAudience is the name of this service in aud unless another one is configured.
const ownAudience = "edgeposture"

// lastSecond is the end of the year 9999. Later instants are not valid dates, and very large ones
// would overflow to the past when a float is converted to an integer.
const lastSecond = 253402300799

// claims are the claims that the gate uses, each with the type that its RFC defines.
type claims struct {
	issuer, subject, permission, scope, id string
	audience                               jwt.ClaimStrings
	expires, notBefore, issuedAt           *jwt.NumericDate
	gate                                   *Gate
}

// UnmarshalJSON reads the payload of a token. A claim of a wrong type, including null, invalidates
// the whole token; nothing is converted.
func (c *claims) UnmarshalJSON(b []byte) error {
	all, err := object(b)
	if err != nil {
		return because(ReasonMalformed)
	}
	ok := true
	for name, into := range map[string]*string{"iss": &c.issuer, "sub": &c.subject, "permission": &c.permission, "scope": &c.scope,
		"jti": &c.id} {
		if raw, present := all[name]; present {
			var fits bool
			*into, fits = text(raw)
			ok = ok && fits
		}
	}
	for name, into := range map[string]**jwt.NumericDate{"exp": &c.expires, "nbf": &c.notBefore, "iat": &c.issuedAt} {
		if raw, present := all[name]; present {
			*into = date(raw)
			ok = ok && *into != nil
		}
	}
	if raw, present := all["aud"]; present {
		c.audience = audience(raw)
		ok = ok && c.audience != nil
	}
	if !ok || !isName(c.subject) {
		return because(ReasonClaim)
	}
	return nil
}

// date parses a NumericDate (RFC 7519, section 2) between 1970 and the end of 9999, and otherwise
// returns nil.
func date(raw json.RawMessage) *jwt.NumericDate {
	var seconds float64
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') || json.Unmarshal(raw, &seconds) != nil {
		return nil
	}
	if seconds < 0 || seconds > lastSecond {
		return nil
	}
	whole, part := math.Modf(seconds)
	return &jwt.NumericDate{Time: time.Unix(int64(whole), int64(part*1e9))}
}

// audience parses a string or a list of strings (RFC 7519, section 4.1.3), and otherwise returns nil.
func audience(raw json.RawMessage) jwt.ClaimStrings {
	if one, ok := text(raw); ok {
		return jwt.ClaimStrings{one}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return nil
	}
	out := make(jwt.ClaimStrings, 0, len(list))
	for _, item := range list {
		s, ok := text(item)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// isName reports whether a subject is fit for a log: short and printable. An empty subject is valid.
func isName(s string) bool {
	return utf8.RuneCountInString(s) <= maxByName && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Validate is called by the JWT library in addition to its own checks of exp, nbf and iss.
func (c *claims) Validate() error {
	now, longest := c.gate.now(), c.gate.lifetime+Leeway
	if c.issuedAt != nil && c.issuedAt.After(now.Add(Leeway)) {
		return because(ReasonFuture)
	}
	if c.expires != nil && (c.expires.After(now.Add(longest)) || c.issuedAt != nil && c.expires.Sub(c.issuedAt.Time) > longest) {
		return because(ReasonLifetime)
	}
	if !c.forUs() {
		return because(ReasonAudience)
	}
	if c.permission == editPermission || slices.Contains(c.audience, editAudience) || slices.Contains(strings.Split(c.scope, " "), editScope) {
		return nil
	}
	return because(ReasonNotEdit)
}

// forUs reports whether the token was made for this service. A token that names only others must be
// rejected (RFC 7519, section 4.1.3), and with a configured audience also one without an audience.
func (c *claims) forUs() bool {
	if ours := c.gate.audience; ours != "" {
		return slices.Contains(c.audience, ours)
	}
	return c.audience == nil || slices.Contains(c.audience, ownAudience) || slices.Contains(c.audience, editAudience)
}

func (c *claims) who() string {
	if c.subject == "" {
		return byNobody
	}
	return c.subject
}

// idAtIssuer identifies the token among all tokens (RFC 7519, section 4.1.7).
func (c *claims) idAtIssuer() string {
	if c.id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(c.issuer + "\x00" + c.id))
	return hex.EncodeToString(sum[:])
}

// GetExpirationTime returns exp. It and the following methods implement jwt.Claims.
func (c *claims) GetExpirationTime() (*jwt.NumericDate, error) { return c.expires, nil }

// GetNotBefore returns nbf.
func (c *claims) GetNotBefore() (*jwt.NumericDate, error) { return c.notBefore, nil }

// GetIssuedAt returns iat.
func (c *claims) GetIssuedAt() (*jwt.NumericDate, error) { return c.issuedAt, nil }

// GetIssuer returns iss.
func (c *claims) GetIssuer() (string, error) { return c.issuer, nil }

// GetSubject returns sub.
func (c *claims) GetSubject() (string, error) { return c.subject, nil }

// GetAudience returns aud.
func (c *claims) GetAudience() (jwt.ClaimStrings, error) { return c.audience, nil }
