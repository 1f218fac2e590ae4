package httpapi

import (
	"compress/gzip"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/export"
	"github.com/edgeposture/edgeposture/internal/posture"
)

// endless gives findings until the reader has gone, or until one fails.
func endless(fail int, left chan<- struct{}) export.Document {
	return export.Document{Findings: func(...posture.Result) iter.Seq2[posture.Finding, error] {
		return func(yield func(posture.Finding, error) bool) {
			for n := 0; n != fail; n++ {
				if !yield(posture.Finding{ID: "f", CheckID: "c", Result: posture.Fail, Severity: posture.High, Message: strings.Repeat("long ", 50)}, nil) {
					close(left)
					return
				}
			}
			yield(posture.Finding{}, errors.New("the database went away"))
		}
	}}
}

func csvFormat(t *testing.T) export.Format {
	t.Helper()
	for _, f := range export.Formats() {
		if f.Name == "csv" {
			return f
		}
	}
	require.Fail(t, "no CSV")
	return export.Format{}
}

func serveDocument(t *testing.T, d export.Document, packed bool) string {
	t.Helper()
	f := csvFormat(t)
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error {
		send(c, f, d, packed)
		return nil
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- app.Listener(l) }()
	t.Cleanup(func() {
		require.NoError(t, app.Shutdown())
		require.NoError(t, <-done)
	})
	return "http://" + l.Addr().String()
}

func fetchDocument(t *testing.T, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	resp, err := transport.RoundTrip(req)
	require.NoError(t, err)
	return resp
}

// TestBrokenDocumentIsNotWhole: when the store fails half-way, the client sees an
// error and no shorter file.
func TestBrokenDocumentIsNotWhole(t *testing.T) {
	for _, packed := range []bool{false, true} {
		resp := fetchDocument(t, serveDocument(t, endless(2000, nil), packed))
		require.Equal(t, 200, resp.StatusCode)
		var body io.Reader = resp.Body
		if packed {
			z, err := gzip.NewReader(resp.Body)
			require.NoError(t, err)
			body = z
		}
		got, err := io.ReadAll(body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.NotEmpty(t, got)
		require.NoError(t, resp.Body.Close())
	}
}

// TestWhoLeavesEndsTheWriting: a client that goes in the middle stops the reading
// of the store.
func TestWhoLeavesEndsTheWriting(t *testing.T) {
	left := make(chan struct{})
	resp := fetchDocument(t, serveDocument(t, endless(-1, left), false))
	_, err := io.ReadFull(resp.Body, make([]byte, 1<<20))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	<-left // closed when the source was told to stop
}
