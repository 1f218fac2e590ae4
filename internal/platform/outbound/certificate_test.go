package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCertificates(t *testing.T) {
	for name, tc := range map[string]struct {
		trusted bool
		change  func(*httptest.Server)
		host    string
		says    string
	}{
		"trusted":      {true, func(*httptest.Server) {}, "127.0.0.1", ""},
		"not trusted":  {false, func(*httptest.Server) {}, "127.0.0.1", "not trusted"},
		"another name": {true, func(*httptest.Server) {}, "other.test", "another name"},
		"old TLS": {true, func(s *httptest.Server) {
			s.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
		}, "127.0.0.1", "TLS 1.2"},
		"plain instead": {true, nil, "127.0.0.1", "does not speak TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Resolver: addresses("127.0.0.1"), Roots: x509.NewCertPool()}
			if !tc.trusted {
				o.Roots = nil
			}
			var url string
			var client *Client
			if tc.change == nil {
				url, client = receiver(t, func(http.ResponseWriter, *http.Request) {}, o)
				url = strings.Replace(url, "http", "https", 1)
			} else {
				url, client = secureReceiver(t, o, tc.change)
			}
			got, err := get(t, client, strings.Replace(url, "127.0.0.1", tc.host, 1))
			if tc.says == "" {
				require.NoError(t, err)
				require.Equal(t, "safe", string(got.Body))
				return
			}
			require.ErrorContains(t, err, tc.says)
		})
	}
}
