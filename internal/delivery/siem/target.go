package siem

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// endpoint joins a path to the address of a receiver, which may have a path of its own. An address with
// a credential, a query or a fragment is refused: secrets do not belong where addresses are logged.
func endpoint(location, base, path string, own ...string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "" {
		return nil, posture.Invalid(location, "The address is not an http or https URL; give it as https://host:port/path.", nil)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
		return nil, posture.Invalid(location, "The address has a user, a query or a fragment; give the credential on its own and the address "+
			"without them.", nil)
	}
	for _, suffix := range append(own, path) { // people also give the full address
		u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), suffix)
	}
	if u.RawPath = ""; u.Path == "" {
		u.Path = "/"
	}
	return u.JoinPath(path), nil
}

// header checks a credential before it becomes a header, where a line break would start a second one.
func header(location string, t secret.Text) error {
	for _, c := range []byte(t.Reveal()) {
		if c < 0x20 || c >= 0x7f {
			return posture.Invalid(location, "The credential has characters that no header can carry; copy it again without spaces around it and "+
				"without line breaks.", nil)
		}
	}
	return nil
}

// post makes a request whose body can be read again.
func post(ctx context.Context, to *url.URL, kind string, body []byte, packed bool) (*http.Request, error) {
	if packed {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		if err == nil {
			_, err = z.Write(body)
		}
		if err == nil {
			err = z.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("compress a request: %w", err)
		}
		body = b.Bytes()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("prepare a request: %w", err)
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Accept", "application/json")
	if packed {
		r.Header.Set("Content-Encoding", "gzip")
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return r, nil
}

// passing reports whether a status of a whole request is worth a retry.
func passing(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status == http.StatusTooEarly
}
