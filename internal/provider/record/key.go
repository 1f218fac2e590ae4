package record

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"math/big"
	"strings"
)

// publicKey returns an unused key of the same kind and length, because checks judge the length of
// DKIM keys.
func (r *Replacer) publicKey(text string) (string, bool) {
	raw, err := base64.StdEncoding.DecodeString(strings.Map(func(c rune) rune {
		if c == '"' || c == ' ' || c == '\t' || c == '\n' {
			return -1
		}
		return c
	}, text))
	if err != nil {
		return "", false
	}
	known := "key " + string(raw)
	if r.words[known] == "" {
		made, err := r.madeKey(raw)
		if err != nil {
			return "", false
		}
		r.words[known] = base64.StdEncoding.EncodeToString(made)
	}
	return r.words[known], true
}

func (r *Replacer) madeKey(raw []byte) ([]byte, error) {
	parsed, _ := x509.ParsePKIXPublicKey(raw)
	key, enclosed := parsed.(*rsa.PublicKey)
	if !enclosed {
		key, _ = x509.ParsePKCS1PublicKey(raw)
	}
	if key == nil {
		made := make([]byte, len(raw))
		_, _ = r.random.Read(made)
		return made, nil
	}
	n := make([]byte, (key.N.BitLen()+7)/8)
	_, _ = r.random.Read(n)
	modulus := new(big.Int).SetBytes(n)
	modulus.Rsh(modulus, uint(len(n)*8-key.N.BitLen()))
	modulus.SetBit(modulus.SetBit(modulus, key.N.BitLen()-1, 1), 0, 1)
	made := &rsa.PublicKey{N: modulus, E: key.E}
	if enclosed {
		return x509.MarshalPKIXPublicKey(made)
	}
	return x509.MarshalPKCS1PublicKey(made), nil
}
