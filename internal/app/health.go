package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/edgeposture/edgeposture/internal/engine/queue"
	"github.com/edgeposture/edgeposture/internal/platform/config"
)

// healthWithin bounds one check, so that a hanging dependency also gives an answer.
const healthWithin = 5 * time.Second

// Health checks the running process of a role on this host, for probes in images without a shell;
// environ is the environment of that process. For an API it requests /readyz at HOST and PORT. A
// worker has no port: Redis must answer and hold the heartbeat (renewed every 5 s) of a worker with
// this host's name. The error is one sentence.
func Health(ctx context.Context, role Role, environ []string, stdout io.Writer) error {
	cfg, err := config.Load(environ)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	if role.API {
		err = apiHealth(ctx, cfg)
	} else {
		err = workerHealth(ctx, cfg)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, "ready")
	return err
}

func apiHealth(ctx context.Context, cfg config.Config) error {
	if cfg.Port == 0 {
		return fmt.Errorf("PORT is unset, so the service chose a port that nobody else knows; set PORT to let health find it")
	}
	host := cfg.Host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	address := net.JoinHostPort(host, strconv.Itoa(cfg.Port))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", http.NoBody)
	if err != nil {
		return fmt.Errorf("HOST and PORT make no address (%w); set them as for the service", rootOf(err))
	}
	// Without the environment's proxy, which must not be between a process and itself.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the service at %s does not answer (%w); see its log", address, rootOf(err))
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the service at %s answers %d, so its database or its queue cannot be reached; see its log", address, resp.StatusCode)
	}
	return nil
}

func workerHealth(ctx context.Context, cfg config.Config) error {
	if cfg.RedisURL.IsZero() {
		return fmt.Errorf("REDIS_URL is unset; give health the environment of the worker")
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("the name of this host cannot be read: %w", err)
	}
	rdb, err := queue.Connect(ctx, cfg.RedisURL.Reveal())
	if err != nil {
		return err
	}
	defer func() { _ = rdb.Close() }()
	alive, err := queue.AliveOn(ctx, rdb, host)
	if err != nil {
		return err
	}
	if !alive {
		return fmt.Errorf("no worker on %s has shown a sign of life in the last seconds; see its log", host)
	}
	return nil
}
