// Package password stores passwords as argon2id hashes (RFC 9106), in the format of the Password
// Hashing Competition.
package password

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// Cost of one hash: the first recommendation of OWASP's Password Storage Cheat Sheet for argon2id.
const (
	memoryKiB = 19 << 10
	passes    = 2
	lanes     = 1
	saltBytes = 16
	keyBytes  = 32
)

// Limits of a password: long enough that guessing is too expensive (NIST SP 800-63B-4 requires 8,
// or 15 as the only factor), and no longer than is worth hashing.
const (
	Shortest = 12  // characters
	longest  = 200 // bytes
)

// WeakError says why a password is rejected, as a sentence without its final period.
type WeakError struct{ Reason string }

func (e *WeakError) Error() string { return e.Reason }

// ErrBusy means that too many passwords are being processed; the caller should retry in a moment.
var ErrBusy = errors.New("too many passwords are being looked at")

// Hasher creates and compares hashes, at most two at a time, because each takes 19 MiB and some 20
// ms. Up to 30 more calls wait.
type Hasher struct {
	random      io.Reader
	turn, queue chan struct{}
}

// New returns a Hasher.
func New(random io.Reader) *Hasher {
	return &Hasher{random, make(chan struct{}, 2), make(chan struct{}, 32)}
}

// Hash returns the hash to store for a password. Errors: *WeakError, ErrBusy.
func (h *Hasher) Hash(p secret.Text) (string, error) {
	text := p.Reveal()
	switch {
	case utf8.RuneCountInString(text) < Shortest:
		return "", &WeakError{fmt.Sprintf("the password has fewer than %d characters; use a longer one, such as some words", Shortest)}
	case len(text) > longest:
		return "", &WeakError{fmt.Sprintf("the password has more than %d bytes", longest)}
	}
	salt := make([]byte, saltBytes)
	if _, err := io.ReadFull(h.random, salt); err != nil {
		return "", fmt.Errorf("read randomness for a salt: %w", err)
	}
	key, err := h.key(text, salt, passes, memoryKiB, lanes)
	if err != nil {
		return "", err
	}
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memoryKiB, passes, lanes, encode(salt), encode(key)), nil
}

// Matches reports whether a hash belongs to a password. It takes equally long without a hash, so
// that nobody learns which people exist. Error: ErrBusy.
func (h *Hasher) Matches(hash string, p secret.Text) (bool, error) {
	salt, want := make([]byte, saltBytes), make([]byte, keyBytes)
	var version, memory, times, width int
	fields := strings.Split(hash, "$")
	known := len(fields) == 6 && fields[1] == "argon2id"
	if known {
		_, err := fmt.Sscanf(fields[2]+" "+fields[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &times, &width)
		known = err == nil && version == argon2.Version && memory > 0 && memory <= 1<<20 && times > 0 && times <= 16 && width > 0 && width <= 16
	}
	if known {
		var bad, worse error
		salt, bad = base64.RawStdEncoding.DecodeString(fields[4])
		want, worse = base64.RawStdEncoding.DecodeString(fields[5])
		known = bad == nil && worse == nil && len(want) > 0 && len(want) <= 64
	}
	if !known {
		memory, times, width = memoryKiB, passes, lanes
	}
	if len(p.Reveal()) > longest {
		return false, nil
	}
	key, err := h.key(p.Reveal(), salt, times, memory, width)
	return err == nil && known && subtle.ConstantTimeCompare(key[:min(len(want), keyBytes)], want) == 1, err
}

func (h *Hasher) key(text string, salt []byte, times, memory, width int) ([]byte, error) {
	select {
	case h.queue <- struct{}{}:
	default:
		return nil, ErrBusy
	}
	defer func() { <-h.queue }()
	h.turn <- struct{}{}
	defer func() { <-h.turn }()
	return argon2.IDKey([]byte(text), salt, uint32(times), uint32(memory), uint8(width), keyBytes), nil
}
