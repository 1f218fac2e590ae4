package notify

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// The headers of a signed delivery. The first signature covers the body only; the second also covers
// the time, so that a receiver can refuse old copies.
const (
	HeaderSignature   = "X-Service-Signature"
	HeaderSignatureV2 = "X-Service-Signature-V2"
	HeaderTimestamp   = "X-Service-Timestamp" // seconds since 1970
	HeaderEvent       = "X-Service-Event"
	HeaderDelivery    = "X-Service-Delivery"
)

// The headers of Standard Webhooks, in addition to ours. The id is that of the delivery. Source:
// standardwebhooks.com, specification 1.0.0.
const (
	HeaderStandardID        = "Webhook-Id"
	HeaderStandardTimestamp = "Webhook-Timestamp"
	HeaderStandardSignature = "Webhook-Signature"
)

// standardPrefix marks a secret in the format of Standard Webhooks.
const standardPrefix = "whsec_"

// signed returns the headers of a webhook. X-Service-Signature and its V2 use the secret's bytes
// unchanged; Standard Webhooks uses the decoded base64 after "whsec_", or the bytes unchanged without
// that prefix.
func signed(t Address, d Delivery, body []byte) (http.Header, error) {
	key := []byte(t.Secret.Reveal())
	standard, err := standardKey(t.Secret)
	if err != nil {
		return nil, err
	}
	at := strconv.FormatInt(d.At.Unix(), 10)
	h := http.Header{}
	h.Set(HeaderSignature, "sha256="+hex.EncodeToString(mac(key, body)))
	h.Set(HeaderSignatureV2, "sha256="+hex.EncodeToString(mac(key, []byte(at+"."), body)))
	h.Set(HeaderTimestamp, at)
	h.Set(HeaderEvent, cmp.Or(d.Event, Event))
	h.Set(HeaderDelivery, d.ID)
	h.Set(HeaderStandardID, d.ID)
	h.Set(HeaderStandardTimestamp, at)
	h.Set(HeaderStandardSignature, "v1,"+base64.StdEncoding.EncodeToString(mac(standard, []byte(d.ID+"."+at+"."), body)))
	return h, nil
}

func mac(key []byte, parts ...[]byte) []byte {
	m := hmac.New(sha256.New, key)
	for _, p := range parts {
		_, _ = m.Write(p) // writing to a hash never fails
	}
	return m.Sum(nil)
}

// standardKey returns the signing key for Standard Webhooks. The error does not show the secret.
func standardKey(t secret.Text) ([]byte, error) {
	encoded, ok := strings.CutPrefix(t.Reveal(), standardPrefix)
	if !ok {
		return []byte(t.Reveal()), nil
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) == 0 {
		return nil, fmt.Errorf("read the secret of the webhook: what follows %s is not standard base64", standardPrefix)
	}
	return key, nil
}
