package gate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// FromAddress returns a Fetcher that reads a set over HTTPS through the guarded client. Plain HTTP
// is only accepted for this machine, because elsewhere anybody on the network path could add a key
// of their own to the set. The error does not repeat the address.
func FromAddress(client outbound.Doer, address string) (Fetcher, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" &&
		(u.Scheme != "http" || !isLoopback(u.Hostname())) {
		return nil, errors.New("SERVICE_EDIT_SCOPE_JWKS is not a plain https address; use for example " +
			"https://login.example.com/.well-known/jwks.json, or the path of a file")
	}
	return &published{client, u.String()}, nil
}

func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

type published struct {
	client  outbound.Doer
	address string
}

// Fetch reads the set. It accepts only a complete response with status 200; redirects are not followed.
func (p *published) Fetch(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address, http.NoBody)
	if err != nil {
		return nil, errors.New("the request for the JWK set cannot be made; correct SERVICE_EDIT_SCOPE_JWKS")
	}
	req.Header.Set("Accept", "application/jwk-set+json, application/json") // RFC 7517, section 8.5.2
	resp, err := p.client.Do(req)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the JWK set: %w", err)
	case resp.Status != http.StatusOK:
		return nil, fmt.Errorf("the JWK set was answered with status %d and not 200; check SERVICE_EDIT_SCOPE_JWKS", resp.Status)
	case resp.Truncated || len(resp.Body) > MaxSet:
		return nil, fmt.Errorf("the JWK set is longer than %d bytes; leave out keys that no longer sign", MaxSet)
	}
	return resp.Body, nil
}
