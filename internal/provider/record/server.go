package record

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// BasePath is the prefix of every path, as on the public API.
const BasePath = "/client/v4"

// Server is a running substitute for the provider.
type Server struct {
	// URL is the base address for clients, e.g. http://127.0.0.1:4711/client/v4.
	URL string

	http *http.Server
	done chan error
}

// Start listens on addr (host:port, port 0 for a free one) and serves until Close. Use a loopback
// address, because the answers are not meant for a network.
func Start(ctx context.Context, handler http.Handler, addr string) (*Server, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	s := &Server{
		URL:  "http://" + ln.Addr().String() + BasePath,
		http: &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second},
		done: make(chan error, 1),
	}
	go func() { s.done <- s.http.Serve(ln) }()
	return s, nil
}

// Close drops every connection and waits until the server has stopped. A second call does nothing.
func (s *Server) Close() error {
	closeErr := s.http.Close()
	serveErr, running := <-s.done
	if !running {
		return nil
	}
	close(s.done)
	if errors.Is(serveErr, http.ErrServerClosed) {
		serveErr = nil
	}
	return errors.Join(closeErr, serveErr)
}
