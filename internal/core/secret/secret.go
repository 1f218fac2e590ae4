// Package secret holds values that must never be shown. A Text prints as dots wherever Go prints
// it; Seal and Open protect values at rest with AES-256-GCM. The package does not know what the
// secrets are for.
package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

const dots = "••••"

// Text is a secret string. Only Reveal returns the value; every printing, logging and encoding path
// yields dots. The value is behind a pointer because fmt calls no method on an unexported field: it
// would print a value field's content, but prints only the address of a pointer. Compare two Texts
// with Equal, never with ==.
type Text struct{ value *string }

// New wraps a value.
func New(value string) Text {
	if value == "" {
		return Text{}
	}
	return Text{value: &value}
}

// Reveal returns the value, for the code that must send it.
func (t Text) Reveal() string {
	if t.value == nil {
		return ""
	}
	return *t.value
}

// IsZero reports whether there is no value.
func (t Text) IsZero() bool { return t.value == nil }

// IsToken reports whether a header can carry the value as a token: ASCII without spaces and control characters (RFC 6750,
// section 2.1, allows fewer).
func (t Text) IsToken() bool {
	return !strings.ContainsFunc(t.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' })
}

// String prints dots.
func (t Text) String() string { return dots }

// GoString prints dots for %#v.
func (t Text) GoString() string { return dots }

// Format prints dots for every verb, %x and %q included.
func (t Text) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, dots) }

// MarshalText encodes dots, so that JSON and XML never carry the value.
func (t Text) MarshalText() ([]byte, error) { return []byte(dots), nil }

// UnmarshalText reads a value from configuration or a request.
func (t *Text) UnmarshalText(b []byte) error { *t = New(string(b)); return nil }

// LogValue logs dots.
func (t Text) LogValue() slog.Value { return slog.StringValue(dots) }

// Equal compares in constant time, regardless of the lengths.
func (t Text) Equal(other string) bool {
	a, b := sha256.Sum256([]byte(t.Reveal())), sha256.Sum256([]byte(other))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// Hint is the masked form for people: dots and the last four characters when the value has at least
// twelve, otherwise dots only.
func (t Text) Hint() string {
	characters := []rune(t.Reveal())
	if len(characters) < 12 {
		return dots
	}
	return dots + string(characters[len(characters)-4:])
}

// Key seals and opens values. It is 32 bytes, stored as a Text because fmt prints arrays even
// through a pointer; the zero Key is 32 zero bytes.
type Key struct{ bytes Text }

func (k Key) raw() []byte {
	if k.bytes.IsZero() {
		return make([]byte, 32)
	}
	return []byte(k.bytes.Reveal())
}

// ParseKey parses a key of 32 bytes in standard base64.
func ParseKey(s string) (Key, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return Key{}, fmt.Errorf("the key is not base64: %w", err)
	}
	if len(b) != 32 {
		return Key{}, fmt.Errorf("the key has %d bytes, 32 are needed", len(b))
	}
	return Key{New(string(b))}, nil
}

// NewKey makes a key from 32 random bytes.
func NewKey(random io.Reader) (Key, error) {
	b := make([]byte, 32)
	if _, err := io.ReadFull(random, b); err != nil {
		return Key{}, fmt.Errorf("read randomness for a key: %w", err)
	}
	return Key{New(string(b))}, nil
}

// Encode returns the base64 form for the key file.
func (k Key) Encode() string { return base64.StdEncoding.EncodeToString(k.raw()) }

// String prints dots.
func (k Key) String() string { return dots }

// GoString prints dots.
func (k Key) GoString() string { return dots }

// Fingerprint identifies a secret without revealing it: the first 16 bytes of HMAC-SHA256 under the
// key, as hex. Equal secrets have equal fingerprints.
func (k Key) Fingerprint(t Text) string {
	m := hmac.New(sha256.New, k.raw())
	_, _ = io.WriteString(m, "fingerprint\x00"+t.Reveal())
	return hex.EncodeToString(m.Sum(nil)[:16])
}

// Mac is HMAC-SHA256 over the parts for a context, under a key derived from this one. The length of
// each part is included.
func (k Key) Mac(context string, parts ...[]byte) []byte {
	derive := hmac.New(sha256.New, k.raw())
	_, _ = io.WriteString(derive, "mac\x00"+context)
	m := hmac.New(sha256.New, derive.Sum(nil))
	for _, p := range parts {
		_, _ = m.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		_, _ = m.Write(p)
	}
	return m.Sum(nil)
}

// Verify reports in constant time whether mac equals the result of Mac.
func (k Key) Verify(mac []byte, context string, parts ...[]byte) bool {
	return hmac.Equal(mac, k.Mac(context, parts...))
}

// ErrSealed means a sealed value was changed or belongs to another key or context.
var ErrSealed = errors.New("the sealed value does not open with this key")

// Seal encrypts value for a context (such as "account:<id>"); it opens only in the same context.
// random supplies the nonce.
func (k Key) Seal(value Text, context string, random io.Reader) ([]byte, error) {
	gcm, err := k.aead()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	if _, err := io.ReadFull(random, nonce); err != nil {
		return nil, fmt.Errorf("read randomness for a nonce: %w", err)
	}
	return gcm.Seal(nonce, nonce, []byte(value.Reveal()), []byte(context)), nil
}

// Open decrypts what Seal made for the same context, or returns ErrSealed.
func (k Key) Open(sealed []byte, context string) (Text, error) {
	gcm, err := k.aead()
	if err != nil {
		return Text{}, err
	}
	if len(sealed) < gcm.NonceSize() {
		return Text{}, ErrSealed
	}
	plain, err := gcm.Open(nil, sealed[:gcm.NonceSize()], sealed[gcm.NonceSize():], []byte(context))
	if err != nil {
		return Text{}, ErrSealed
	}
	return New(string(plain)), nil
}

func (k Key) aead() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.raw())
	if err != nil {
		return nil, fmt.Errorf("prepare the cipher: %w", err)
	}
	return cipher.NewGCM(block)
}
