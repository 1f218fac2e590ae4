package evidence

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// Key is the public key of a signature.
type Key struct{ public ed25519.PublicKey }

// SeedSize is the size of the seed of a private key in bytes.
const SeedSize = ed25519.SeedSize

// Signer signs manifests.
type Signer struct{ private ed25519.PrivateKey }

// NewSigner makes the signer for a seed of SeedSize bytes.
func NewSigner(seed []byte) Signer { return Signer{ed25519.NewKeyFromSeed(seed)} }

// Key returns the public key.
func (s Signer) Key() Key {
	public, _ := s.private.Public().(ed25519.PublicKey) // it is always of this type
	return Key{public}
}

// String keeps the private key out of formatted output.
func (s Signer) String() string { return "signer " + s.Key().ID() }

// GoString does the same for %#v.
func (s Signer) GoString() string { return s.String() }

// DER returns the SubjectPublicKeyInfo.
func (k Key) DER() []byte {
	der, _ := x509.MarshalPKIXPublicKey(k.public) // cannot fail for Ed25519
	return der
}

// PEM returns the SubjectPublicKeyInfo as PEM text.
func (k Key) PEM() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: k.DER()}))
}

// Fingerprint returns the fingerprint that people compare: SHA-256 over the DER form.
func (k Key) Fingerprint() string {
	sum := sha256.Sum256(k.DER())
	return "SHA256:" + hex.EncodeToString(sum[:])
}

// ID returns a short name of the key: the first 16 hex digits of the fingerprint.
func (k Key) ID() string { return strings.TrimPrefix(k.Fingerprint(), "SHA256:")[:16] }

// ParseDER parses the output of DER.
func ParseDER(der []byte) (Key, error) {
	got, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return Key{}, fmt.Errorf("the key is not a public key: %w", err)
	}
	public, ok := got.(ed25519.PublicKey)
	if !ok {
		return Key{}, errors.New("the key is not an Ed25519 key")
	}
	return Key{public}, nil
}

// ParsePEM parses the output of PEM, and accepts nothing besides it.
func ParsePEM(text []byte) (Key, error) {
	block, rest := pem.Decode(bytes.TrimSpace(text))
	if block == nil || block.Type != "PUBLIC KEY" || len(block.Headers) > 0 || len(bytes.TrimSpace(rest)) > 0 {
		return Key{}, errors.New("the key is not one PEM block of the type PUBLIC KEY")
	}
	return ParseDER(block.Bytes)
}
