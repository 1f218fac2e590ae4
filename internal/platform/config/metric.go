package config

import (
	"errors"
	"fmt"
	"net"
)

// checkMetrics requires a safe metrics address: on this machine, protected by the API key, or
// declared trusted by the operator.
func checkMetrics(c Config) error {
	if err := either("METRICS_TRUSTED", c.MetricsTrusted); err != nil {
		return err
	}
	if c.MetricsAddr == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(c.MetricsAddr)
	if err != nil || port != "0" && !isPort(port) {
		return errors.New("METRICS_ADDR is not host:port; use for example 127.0.0.1:9090")
	}
	if !Loopback(host) && !c.OpenMetrics() && c.APIKeys.IsZero() {
		return fmt.Errorf("METRICS_ADDR is %s, which others can reach; set SERVICE_API_KEY, which scrapes then send, or METRICS_TRUSTED=true "+
			"where the network lets only the scraper in, or use 127.0.0.1", c.MetricsAddr)
	}
	return nil
}

// OpenMetrics reports whether metrics are served without a key on an address that others can reach.
func (c Config) OpenMetrics() bool { return c.MetricsTrusted == "true" }

// MetricsKey reports whether scrapes must send the API key.
func (c Config) MetricsKey() bool {
	host, _, err := net.SplitHostPort(c.MetricsAddr)
	return err == nil && !Loopback(host) && !c.OpenMetrics()
}
