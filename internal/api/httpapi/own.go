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

// Do answers an in-process call in memory. It passes the same access checks, limits and audit log
// as every other call, and appears to come from the address that it is sent to.
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
		_ = c.Response.CloseBodyStream() // the caller has gone
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

// ownBody is the response body; closing it releases what the response holds.
type ownBody struct {
	io.Reader
	answer *fasthttp.Response
}

// Close releases the response.
func (b ownBody) Close() error { return b.answer.CloseBodyStream() }

// ownConn stands in for the connection that an in-process call does not have. Nothing is read from
// it or written to it.
type ownConn struct {
	net.Conn
	ctx  context.Context //nolint:containedctx // of who calls: it has hung up when it ends
	from net.Addr
}

// RemoteAddr returns the address that the call is sent to, which also counts as its origin.
func (c *ownConn) RemoteAddr() net.Addr { return c.from }

// LocalAddr returns the same address as RemoteAddr, because the service calls itself.
func (c *ownConn) LocalAddr() net.Addr { return c.from }

// SetReadDeadline does nothing: the whole body is already in memory.
func (c *ownConn) SetReadDeadline(time.Time) error { return nil }
