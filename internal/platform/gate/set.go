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

// Limits of the keys in a set.
const (
	minRSA  = 2048 // bits; RFC 7518, sections 3.3 and 3.5
	maxRSA  = 8192 // bits; a larger one only costs time
	maxKeys = 64   // per set; without kids each may have to be tried
)

// publicAlgorithms maps each algorithm with a public key to the form of that key: the key type, or
// the curve of an elliptic curve key (RFC 7518, section 3.4; RFC 8037).
func publicAlgorithms() map[string]string {
	return map[string]string{
		"RS256": "RSA", "RS384": "RSA", "RS512": "RSA", "PS256": "RSA", "PS384": "RSA", "PS512": "RSA",
		"ES256": "P-256", "ES384": "P-384", "ES512": "P-521", "EdDSA": "Ed25519",
	}
}

// keySet holds the usable keys of a JWK set.
type keySet struct {
	keys  []setKey
	named bool // some key has a kid
}

type setKey struct {
	kid, form, algorithm string // algorithm is "" for a key that is not bound to one
	public               any
}

// errNoKey says what a set must contain.
var errNoKey = errors.New("it has no public key that can be used; give RSA keys of 2048 to 8192 bits, EC keys on P-256, P-384 or P-521, " +
	"or Ed25519 keys, for signatures and without their private part")

// parseSet parses a JWK set (RFC 7517, section 5). It skips keys that cannot be used, as the RFC
// asks: keys of an unknown type, too short, not for signatures, symmetric, or with their private
// part, which is then no longer private. Certificates and addresses in a key are ignored.
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

// parseKey parses one key. It returns false for a key that cannot be used.
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
	// Only the key material is passed on, so that no other member has an effect.
	k, err := jwkset.NewJWKFromMarshal(jwkset.JWKMarshal{KTY: m.KTY, CRV: m.CRV, X: m.X, Y: m.Y, N: m.N, E: m.E}, jwkset.JWKMarshalOptions{},
		jwkset.JWKValidateOptions{})
	if err != nil {
		return setKey{}, false
	}
	out := setKey{kid: m.KID, algorithm: string(m.ALG), public: k.Key(), form: formOf(k.Key())}
	if out.algorithm == "Ed25519" {
		out.algorithm = jwt.SigningMethodEdDSA.Alg() // the second name of EdDSA, from RFC 9864, section 2.2
	}
	return out, out.form != "" && (out.algorithm == "" || publicAlgorithms()[out.algorithm] == out.form)
}

// formOf returns the form of a key that may verify signatures, or "".
func formOf(key any) string {
	switch key := key.(type) {
	case *rsa.PublicKey:
		// With an exponent of 1, anybody could write a valid signature.
		if bits := key.N.BitLen(); bits >= minRSA && bits <= maxRSA && key.E >= 3 && key.E%2 == 1 {
			return "RSA"
		}
	case *ecdsa.PublicKey:
		if _, err := key.ECDH(); err == nil { // it is a point on its curve
			return key.Params().Name
		}
	case ed25519.PublicKey:
		return "Ed25519"
	}
	return ""
}

// has reports whether the set may have a key for a header.
func (s *keySet) has(h header) bool {
	return !s.named || slices.ContainsFunc(s.keys, s.answers(h))
}

// answers returns which keys a header may mean: those with its kid, and all when the header or the whole set has none
// (RFC 7515, section 4.1.4: it is a hint).
func (s *keySet) answers(h header) func(setKey) bool {
	return func(k setKey) bool { return !s.named || !h.named || h.kid == k.kid }
}

// keysFor returns the keys that a header may mean and that are for its algorithm.
func (s *keySet) keysFor(h header) (out jwt.VerificationKeySet) {
	form, means := publicAlgorithms()[h.algorithm], s.answers(h)
	for _, k := range s.keys {
		if means(k) && k.form == form && (k.algorithm == "" || k.algorithm == h.algorithm) {
			out.Keys = append(out.Keys, k.public)
		}
	}
	return out
}
