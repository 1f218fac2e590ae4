package gate

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"
)

// Limits of the keys of a set.
const (
	minRSA  = 2048 // bits; RFC 7518, sections 3.3 and 3.5
	maxRSA  = 8192 // bits; a larger one only costs time
	maxKeys = 64   // in a set; without kids each may have to be tried
)

// publicAlgorithms gives each algorithm with a public key the form of that key:
// the key type, and for elliptic curves the curve (RFC 7518, section 3.4; RFC 8037).
func publicAlgorithms() map[string]string {
	return map[string]string{
		"RS256": "RSA", "RS384": "RSA", "RS512": "RSA", "PS256": "RSA", "PS384": "RSA", "PS512": "RSA",
		"ES256": "P-256", "ES384": "P-384", "ES512": "P-521", "EdDSA": "Ed25519",
	}
}

// keySet is the usable keys of a JWK set.
type keySet struct {
	keys  []setKey
	named bool // some key has a kid
}

type setKey struct {
	kid, form, algorithm string // algorithm is empty when the set does not bind the key to one
	public               any
}

// errNoKey says what a set must have.
var errNoKey = errors.New("it has no public key that can be used; give RSA keys of 2048 to 8192 bits, EC keys on P-256, P-384 or P-521, " +
	"or Ed25519 keys, for signatures and without their private part")

// parseSet reads a JWK set (RFC 7517, section 5). A key that cannot be used is left
// out, as the RFC asks: of an unknown type, too short, not for signatures, shared,
// or with its private part, for that one is no longer private. Certificates and
// addresses in a key are not looked at.
func parseSet(b []byte) (*keySet, error) {
	if len(b) > MaxSet {
		return nil, fmt.Errorf("the JWK set is longer than %d bytes; leave out keys that no longer sign", MaxSet)
	}
	all, err := object(b)
	if err != nil {
		return nil, fmt.Errorf("the JWK set cannot be read: %w", err)
	}
	var keys []json.RawMessage
	if err := json.Unmarshal(all["keys"], &keys); err != nil || len(keys) > maxKeys {
		return nil, fmt.Errorf("the JWK set has no list named keys, or more than %d of them; publish the keys in force", maxKeys)
	}
	set := &keySet{}
	for _, raw := range keys {
		if k, ok := parseKey(raw); ok {
			set.keys = append(set.keys, k)
			set.named = set.named || k.kid != ""
		}
	}
	if len(set.keys) == 0 {
		return nil, errNoKey
	}
	return set, nil
}

// parseKey reads one key, and reports false for one that cannot be used.
func parseKey(raw json.RawMessage) (setKey, bool) {
	var m jwkset.JWKMarshal
	if json.Unmarshal(raw, &m) != nil {
		return setKey{}, false
	}
	private := m.D + m.P + m.Q + m.DP + m.DQ + m.QI + m.K
	forSignatures := (m.USE == "" || m.USE == jwkset.UseSig) && (len(m.KEYOPS) == 0 || slices.Contains(m.KEYOPS, jwkset.KeyOpsVerify))
	if private != "" || len(m.OTH) > 0 || !forSignatures {
		return setKey{}, false
	}
	// Only the key itself goes on, so that nothing else of it is acted upon.
	k, err := jwkset.NewJWKFromMarshal(jwkset.JWKMarshal{KTY: m.KTY, CRV: m.CRV, X: m.X, Y: m.Y, N: m.N, E: m.E}, jwkset.JWKMarshalOptions{},
		jwkset.JWKValidateOptions{})
	if err != nil {
		return setKey{}, false
	}
	out := setKey{kid: m.KID, algorithm: string(m.ALG), public: k.Key(), form: formOf(k.Key())}
	if out.algorithm == "Ed25519" {
		out.algorithm = jwt.SigningMethodEdDSA.Alg() // RFC 9864, section 2.2, gave it a second name
	}
	return out, out.form != "" && (out.algorithm == "" || publicAlgorithms()[out.algorithm] == out.form)
}

// formOf names the form of a key that may verify, or gives nothing.
func formOf(key any) string {
	switch key := key.(type) {
	case *rsa.PublicKey:
		// An exponent of 1 would verify what everybody can write.
		if bits := key.N.BitLen(); bits >= minRSA && bits <= maxRSA && key.E >= 3 && key.E%2 == 1 {
			return "RSA"
		}
	case *ecdsa.PublicKey:
		if _, err := key.ECDH(); err == nil { // it is a point of its curve
			return key.Params().Name
		}
	case ed25519.PublicKey:
		return "Ed25519"
	}
	return ""
}

// has reports whether the set may answer for a header: it names the kid, or no
// key of it is named.
func (s *keySet) has(h header) bool {
	return !s.named || slices.ContainsFunc(s.keys, s.answers(h))
}

// answers says which keys a header means: those of its kid, those without a name
// when it has none, and all of a set without names, where a kid says nothing.
func (s *keySet) answers(h header) func(setKey) bool {
	return func(k setKey) bool { return !s.named || h.named == (k.kid != "") && h.kid == k.kid }
}

// keysFor gives the keys that a header means and that are for its algorithm.
func (s *keySet) keysFor(h header) (out jwt.VerificationKeySet) {
	form, means := publicAlgorithms()[h.algorithm], s.answers(h)
	for _, k := range s.keys {
		if means(k) && k.form == form && (k.algorithm == "" || k.algorithm == h.algorithm) {
			out.Keys = append(out.Keys, k.public)
		}
	}
	return out
}
