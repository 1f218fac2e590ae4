package gate

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

// minHMACKey is the shortest key of any HMAC algorithm, in bytes.
const minHMACKey = 32

// hmacAlgorithms maps each HMAC algorithm to its shortest key in bytes, which is the size of its
// hash (RFC 7518, section 3.2).
func hmacAlgorithms() map[string]int {
	return map[string]int{"HS256": minHMACKey, "HS384": 48, "HS512": 64}
}

// forbidden returns the header parameters that say where keys are, or that the token must be read
// in another way (RFC 7515, section 4.1; RFC 7516; RFC 7797). Keys come only from our
// configuration, so a token that brings its own is an attack.
func forbidden() []string {
	return []string{"jwk", "jku", "x5u", "x5c", "crit", "b64", "zip", "enc", "cty"}
}

// types returns the accepted values of typ: RFC 7519, section 5.1, and RFC 9068, section 2.1.
// Tokens of other types, such as logout tokens, were not issued to grant access.
func types() []string {
	return []string{"jwt", "at+jwt", "application/jwt", "application/at+jwt"}
}

// header holds the used parameters of a token's header. named means that it has a kid.
type header struct {
	algorithm, kid string
	named          bool
}

// readHeader parses the header of a token in compact form and rejects what the library accepts:
// repeated names, line breaks within base64, and forbidden parameters.
func readHeader(raw string) (header, error) {
	parts := strings.Split(raw, ".")
	if len(parts) != 3 || slices.Contains(parts, "") || strings.ContainsFunc(raw, func(r rune) bool { return !isTokenCharacter(r) }) {
		return header{}, because(ReasonMalformed)
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(parts[0])
	if err != nil {
		return header{}, because(ReasonMalformed)
	}
	all, err := object(b)
	if err != nil {
		return header{}, because(ReasonMalformed)
	}
	for _, name := range forbidden() {
		if _, present := all[name]; present {
			return header{}, because(ReasonHeader)
		}
	}
	return usedOf(all)
}

// usedOf takes the used parameters, all strings: alg, which is required, and kid and typ.
func usedOf(all map[string]json.RawMessage) (header, error) {
	algorithm, ok := text(all["alg"])
	h := header{algorithm: algorithm}
	if raw, present := all["kid"]; present {
		var fits bool
		h.kid, fits = text(raw)
		h.named, ok = true, ok && fits
	}
	if raw, present := all["typ"]; present {
		typ, fits := text(raw)
		ok = ok && fits && slices.Contains(types(), strings.ToLower(typ))
	}
	if !ok {
		return header{}, because(ReasonHeader)
	}
	return h, nil
}

func isTokenCharacter(r rune) bool {
	return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.'
}

// keysFor returns the keys that may have signed a token with this header. Only the algorithm
// decides which kind of key that is, so a public key never serves as a shared secret.
func (g *Gate) keysFor(ctx context.Context, h header) (jwt.VerificationKeySet, error) {
	if least, is := hmacAlgorithms()[h.algorithm]; is {
		key := []byte(g.hmac.Reveal())
		if len(key) < least {
			return jwt.VerificationKeySet{}, because(ReasonAlgorithm)
		}
		return jwt.VerificationKeySet{Keys: []jwt.VerificationKey{key}}, nil
	}
	if _, is := publicAlgorithms()[h.algorithm]; !is || g.ring == nil {
		return jwt.VerificationKeySet{}, because(ReasonAlgorithm)
	}
	set, err := g.ring.set(ctx, h)
	if err != nil {
		return jwt.VerificationKeySet{}, err
	}
	keys := set.keysFor(h)
	if len(keys.Keys) == 0 {
		return keys, because(ReasonKeyUnknown)
	}
	return keys, nil
}

// verify returns the claims of a token that is signed with one of our keys, is currently valid and
// has the edit scope. The error is for reasonOf.
func (g *Gate) verify(ctx context.Context, raw string) (*claims, error) {
	h, err := readHeader(raw)
	if err != nil {
		return nil, err
	}
	keys, err := g.keysFor(ctx, h)
	if err != nil {
		return nil, err
	}
	c := &claims{gate: g}
	_, err = g.parser(h.algorithm).ParseWithClaims(raw, c, func(*jwt.Token) (any, error) { return keys, nil })
	if errors.Is(err, jwt.ErrTokenRequiredClaimMissing) && c.expires != nil {
		err = because(ReasonIssuer) // the library requires two claims and does not say which is missing
	}
	return c, err
}

// parser returns a parser for one algorithm. It has no leeway: a token is rejected from the second
// of its exp on, and before that of its nbf.
func (g *Gate) parser(algorithm string) *jwt.Parser {
	options := []jwt.ParserOption{
		jwt.WithValidMethods([]string{algorithm}), jwt.WithStrictDecoding(), jwt.WithExpirationRequired(), jwt.WithTimeFunc(g.now),
	}
	if g.issuer != "" {
		options = append(options, jwt.WithIssuer(g.issuer))
	}
	return jwt.NewParser(options...)
}
