package mailauth

import (
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"slices"
	"strings"
)

// Key is a published DKIM key, reduced to what determines its strength.
type Key struct {
	Kind    string // "rsa", "ed25519", or "" when the key cannot be read
	Bits    int    // of an RSA key
	Revoked bool   // p is present and empty
	Testing bool   // t contains y: receivers treat the mail as unsigned
	// Outdated is set when h allows only SHA-1: receivers must not accept it (RFC 8301).
	Outdated bool
	// NotMail is set when s names services and e-mail is none of them, such as tlsrpt of RFC 8460: mail
	// that is signed with the key fails.
	NotMail bool
}

// ForMail reports whether receivers can verify mail with the key.
func (k Key) ForMail() bool { return k.Kind != "" && !k.NotMail }

// Selector reports whether a name in a zone belongs to a DKIM selector. Names that start with an
// underscore are obsolete policies, not selectors.
func Selector(name string) bool {
	labels := strings.Split(strings.ToLower(name), ".")
	i := slices.Index(labels, "_domainkey")
	return i > 0 && !strings.HasPrefix(labels[i-1], "_")
}

// HasKey reports whether a text publishes a key, readable or not; who published it means to sign mail.
func HasKey(text string) bool { return tags(text)["p"] != "" }

// ParseKey parses a key text. A text that is not a key has an empty Kind.
func ParseKey(text string) Key {
	t := tags(text)
	p, published := t["p"]
	k := Key{Revoked: published && p == "", Outdated: strings.EqualFold(strings.TrimSpace(t["h"]), "sha1")}
	for flag := range strings.SplitSeq(t["t"], ":") {
		k.Testing = k.Testing || strings.EqualFold(strings.TrimSpace(flag), "y")
	}
	if services, limited := t["s"]; limited {
		k.NotMail = !slices.ContainsFunc(strings.Split(services, ":"), func(s string) bool {
			s = strings.TrimSpace(s)
			return s == "*" || strings.EqualFold(s, "email")
		})
	}
	if v, ok := t["v"]; ok && v != "DKIM1" {
		return k
	}
	raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(p), ""))
	if err != nil || len(raw) == 0 {
		return k
	}
	kind, named := t["k"]
	switch {
	case strings.EqualFold(kind, "ed25519"):
		if len(raw) == ed25519.PublicKeySize {
			k.Kind = "ed25519"
		}
	case !named || strings.EqualFold(kind, "rsa"):
		if key := readRSA(raw); key != nil {
			k.Kind, k.Bits = "rsa", key.N.BitLen()
		}
	}
	return k
}

// readRSA accepts both forms in use: SubjectPublicKeyInfo and the bare RSAPublicKey that RFC 6376
// names.
func readRSA(raw []byte) *rsa.PublicKey {
	if parsed, err := x509.ParsePKIXPublicKey(raw); err == nil {
		key, _ := parsed.(*rsa.PublicKey)
		return key
	}
	key, err := x509.ParsePKCS1PublicKey(raw)
	if err != nil {
		return nil
	}
	return key
}
