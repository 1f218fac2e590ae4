package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/edgeposture/edgeposture/internal/simcloud"
)

// watch serves what a test wants to know about the provider: what a client could
// read and what was written. It prints its address; an empty one serves nothing.
// Anybody who reaches it may ask, so it listens on loopback only.
func watch(addr string, cloud *simcloud.Cloud, out io.Writer) (stop func() error, err error) {
	if addr == "" {
		return func() error { return nil }, nil
	}
	if at, err := netip.ParseAddrPort(addr); err != nil || !at.Addr().IsLoopback() {
		return nil, fmt.Errorf("control address %s is not an address and port of loopback", addr)
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("control path cannot listen on %s: %w", addr, err)
	}
	server := &http.Server{Handler: controls(cloud), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	_, _ = fmt.Fprintf(out, "SIMSERVER_CONTROL_URL=http://%s\n", ln.Addr())
	return func() error {
		closeErr, serveErr := server.Close(), <-done
		if errors.Is(serveErr, http.ErrServerClosed) {
			serveErr = nil
		}
		return errors.Join(closeErr, serveErr)
	}, nil
}

// controls are the answers of the control path; DELETE /writes forgets them.
func controls(cloud *simcloud.Cloud) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /state/{account}", func(w http.ResponseWriter, r *http.Request) {
		state := cloud.State(r.PathValue("account"))
		if state == nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(state) // a failed write means the client left
	})
	mux.HandleFunc("GET /writes", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(append([]simcloud.Write{}, cloud.Writes()...))
	})
	mux.HandleFunc("DELETE /writes", func(w http.ResponseWriter, _ *http.Request) {
		cloud.ResetWrites()
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}
