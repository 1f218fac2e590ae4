package cloudflare

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestAnAnswerThatRepeatsTheToken: a proxy that tells what it was sent does not bring the token into a report.
func TestAnAnswerThatRepeatsTheToken(t *testing.T) {
	const token = "canaryToken-0123456789_abcdefghijklmnopqrstu"
	for _, status := range []int{200, 302, 400, 403, 404, 500} {
		client, err := New(Options{BaseURL: "http://sim.test", Token: secret.New(token), Gate: open{}, Tries: 1,
			Transport: handler{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(status)
				_, _ = fmt.Fprintf(w, `{"success":false,"errors":[{"code":6111,"message":"wrong header: %s"}]}`, r.Header.Get("Authorization"))
			})}})
		require.NoError(t, err)
		sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.ZoneDNSRecords), snapshot.SourceScope{AccountID: "a",
			Zone: snapshot.Zone{ID: "z"}}, knows(), nil)
		require.NoError(t, err)
		require.NotEqual(t, snapshot.OK, sec.Status)
		require.NotContains(t, sec.Reason, token)
		require.NotContains(t, sec.Reason, "canary")
		_, err = client.Live(t.Context(), "/zones/z", nil)
		if err != nil {
			require.NotContains(t, err.Error(), "canary")
		}
	}

	github := "ghp_" + strings.Repeat("aB3d", 9)
	for _, status := range []int{200, 400, 403, 500} {
		client, err := New(Options{BaseURL: "http://sim.test", Token: secret.New(token), Gate: open{}, Tries: 1,
			Transport: handler{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = fmt.Fprintf(w, `{"success":false,"errors":[{"code":1004,"message":"no user for %s and password=hunter22"}]}`, github)
			})}})
		require.NoError(t, err)
		_, err = client.Live(t.Context(), "/zones/z", nil)
		require.ErrorContains(t, err, "no user for "+masked+" and password="+masked, "a secret of somebody else")
	}

	for _, before := range []string{"", "a", "ab", "Bearer ", "Authorization: Bearer "} {
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			text := encoding.EncodeToString([]byte(before + token + "\n and more"))
			client, err := New(Options{BaseURL: "http://sim.test", Token: secret.New(token), Gate: open{}, Tries: 1,
				Transport: handler{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.WriteHeader(http.StatusForbidden)
					_, _ = fmt.Fprintf(w, `{"success":false,"errors":[{"code":6111,"message":"wrong header: %s"}]}`, text)
				})}})
			require.NoError(t, err)
			_, err = client.Live(t.Context(), "/zones/z", nil)
			require.ErrorContains(t, err, masked)
			first, end := (len(before)*8+5)/6, (len(before)+len(token))*8/6
			for _, part := range []string{text[first : first+8], text[end-8 : end]} {
				require.NotContains(t, err.Error(), part, before)
			}
		}
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = fmt.Fprintf(conn, "HTTP/1.1 %s\r\n\r\n", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			}
			_ = conn.Close()
		}
	}()
	pool := NewPool()
	t.Cleanup(pool.CloseIdleConnections)
	client, err := New(Options{BaseURL: "http://" + listener.Addr().String(), Token: secret.New(token), Gate: open{}, Tries: 1,
		Transport: pool})
	require.NoError(t, err)
	_, err = client.Live(t.Context(), "/zones/z", nil)
	require.ErrorContains(t, err, masked)
	require.NotContains(t, err.Error(), "canary")
}
