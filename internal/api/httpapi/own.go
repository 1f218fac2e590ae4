package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"
)

// Do answers a call of this process itself, in memory: through the fences, limits and audit log
// that every other call passes, as if it came from the address it goes to.
func (s *Server) Do(req *http.Request) (*http.Response, error) {
	c := &fasthttp.RequestCtx{}
	c.Init2(&ownConn{ctx: req.Context(), from: &net.TCPAddr{IP: net.ParseIP(req.URL.Hostname())}}, nil, true)
	c.Request.Header.SetMethod(req.Method)
	c.Request.SetRequestURI(req.URL.RequestURI())
	c.Request.Header.SetHost(req.URL.Host)
	for name, values := range req.Header {
		for _, v := range values {
			c.Request.Header.Add(name, v)
		}
	}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, fmt.Errorf("read the body of the request: %w", err)
		}
		c.Request.SetBodyRaw(body)
	}
	s.handler(c)
	if err := req.Context().Err(); err != nil {
		_ = c.Response.CloseBodyStream() // who called has gone
		return nil, err
	}
	body := c.Response.BodyStream()
	if body == nil {
		body = bytes.NewReader(c.Response.Body())
	}
	resp := &http.Response{StatusCode: c.Response.StatusCode(), Header: http.Header{}, Body: ownBody{body, &c.Response}, Request: req}
	for name, value := range c.Response.Header.All() {
		resp.Header.Add(string(name), string(value))
	}
	return resp, nil
}

// ownBody is what was answered; closing it gives back what the answer holds.
type ownBody struct {
	io.Reader
	answer *fasthttp.Response
}

// Close implements io.Closer.
func (b ownBody) Close() error { return b.answer.CloseBodyStream() }

// ownConn stands for the connection such a call did not need. Nothing is read from it or written to it.
type ownConn struct {
	net.Conn
	ctx  context.Context //nolint:containedctx // of who calls: it has hung up when it ends
	from net.Addr
}

// RemoteAddr is where the call comes from.
func (c *ownConn) RemoteAddr() net.Addr { return c.from }

// LocalAddr is the same: the service calls itself.
func (c *ownConn) LocalAddr() net.Addr { return c.from }

// SetReadDeadline has nothing to bound: the body is there.
func (c *ownConn) SetReadDeadline(time.Time) error { return nil }
