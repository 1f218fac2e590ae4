package oidc

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// maxFlow is the longest Flow that is read, in bytes; a cookie holds less.
const maxFlow = 4 << 10

// Flow is the state of a sign-in. It may only be kept in the browser that began it, because whoever
// has it can complete the sign-in. Seal it into a cookie that scripts and other sites cannot see,
// and delete the cookie when it comes back. It prints as the name of its provider.
type Flow struct {
	Provider    string    `json:"provider"`
	State       string    `json:"state"`
	Nonce       string    `json:"nonce"`
	Verifier    string    `json:"verifier"` // PKCE verifier (RFC 7636)
	RedirectURI string    `json:"redirect_uri"`
	Expires     time.Time `json:"expires"`
}

// MarshalBinary returns what to seal.
func (f Flow) MarshalBinary() ([]byte, error) { return json.Marshal(f) }

// UnmarshalBinary parses the opened text.
func (f *Flow) UnmarshalBinary(b []byte) error {
	if len(b) > maxFlow || json.Unmarshal(b, f) != nil {
		return errors.New("this is no flow of a sign-in")
	}
	return nil
}

// Asked reports whether a query answers this flow, and not another one of the browser or none.
func (f Flow) Asked(query url.Values) bool {
	state := query["state"]
	return f.State != "" && len(state) == 1 && subtle.ConstantTimeCompare([]byte(state[0]), []byte(f.State)) == 1
}

// Format prints only the provider.
func (f Flow) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "sign-in at "+f.Provider) }

// LogValue logs only the provider.
func (f Flow) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(f)) }

// Begin returns the address to send the browser to, and the flow to keep for Complete. redirectURI
// is the callback of this service, exactly as it is registered at the provider. The error is a
// *Failure, or a failure of the randomness.
func (p *Provider) Begin(ctx context.Context, redirectURI string) (string, Flow, error) {
	e, err := p.discover(ctx)
	if err != nil {
		return "", Flow{}, err
	}
	f := Flow{Provider: p.config.Name, RedirectURI: redirectURI, Expires: p.now().Add(FlowAge)}
	for _, value := range []*string{&f.State, &f.Nonce, &f.Verifier} {
		b := make([]byte, 32) // RFC 7636, section 4.1, recommends 32 bytes for a verifier
		if _, err := io.ReadFull(p.random, b); err != nil {
			return "", Flow{}, fmt.Errorf("read randomness for a sign-in: %w", err)
		}
		*value = base64.RawURLEncoding.EncodeToString(b)
	}
	conf := e.oauth
	conf.RedirectURL = redirectURI
	return conf.AuthCodeURL(f.State, gooidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), f, nil
}
