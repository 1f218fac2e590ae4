package httpapi

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
)

// TestOwnCallsAreInMemory calls a server that does not listen: what is asked and answered, plain
// or as a stream, arrives whole, from the address it goes to, and who gives up counts as gone.
func TestOwnCallsAreInMemory(t *testing.T) {
	s := bare()
	released := make(chan struct{})
	s.app.Post("/api/echo", func(c *fiber.Ctx) error {
		c.Set("X-From", c.IP()+" "+string(c.Request().Host())+" "+c.Get("X-API-Key")+" "+c.Query("q"))
		return c.Status(http.StatusAccepted).Send(c.BodyRaw())
	})
	s.app.Post("/api/stream", func(c *fiber.Ctx) error {
		c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
			defer close(released)
			for range 3 {
				_, _ = w.WriteString("part ")
				_ = w.Flush()
			}
		})
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	s.app.Post("/api/leave", func(c *fiber.Ctx) error {
		n := &called{conn: c.Context().Conn()}
		require.False(t, n.gone())
		cancel()
		require.True(t, n.gone())
		return nil
	})
	s.handler = s.app.Handler()
	do := func(ctx context.Context, path string) (*http.Response, string, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.2:1"+path, strings.NewReader(`{"a":1}`))
		require.NoError(t, err)
		req.Header.Set("X-API-Key", "key")
		req.Header.Set("Content-Type", "application/json")
		resp, err := s.Do(req)
		if err != nil {
			return nil, "", err
		}
		defer func() { require.NoError(t, resp.Body.Close()) }()
		body, err := io.ReadAll(resp.Body)
		return resp, string(body), err
	}
	resp, body, err := do(t.Context(), "/api/echo?q=a%20b")
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, resp.StatusCode)
	require.Equal(t, "127.0.0.2 127.0.0.2:1 key a b", resp.Header.Get("X-From"))
	require.Equal(t, `{"a":1}`, body)
	_, body, err = do(t.Context(), "/api/stream")
	require.NoError(t, err)
	require.Equal(t, "part part part ", body)
	<-released
	_, _, err = do(ctx, "/api/leave")
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, (&called{conn: &ownConn{Conn: (net.Conn)(nil), ctx: t.Context()}}).gone())
}
