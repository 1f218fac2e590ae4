package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMetricsAddress(t *testing.T) {
	const key = "SERVICE_API_KEY=9f3c71e0b5a84d26"
	for _, c := range []struct {
		environ []string
		want    string // of the error; "" none
		asks    bool
	}{
		{nil, "", false},
		{[]string{"METRICS_ADDR=127.0.0.1:9090"}, "", false},
		{[]string{"METRICS_ADDR=localhost:0"}, "", false},
		{[]string{"METRICS_ADDR=[::1]:9090", key}, "", false},
		{[]string{"METRICS_ADDR=0.0.0.0:9090"}, "SERVICE_API_KEY", false},
		{[]string{"METRICS_ADDR=:9090"}, "SERVICE_API_KEY", false},
		{[]string{"METRICS_ADDR=:9090", "METRICS_TRUSTED=false"}, "SERVICE_API_KEY", false},
		{[]string{"METRICS_ADDR=0.0.0.0:9090", key}, "", true},
		{[]string{"METRICS_ADDR=0.0.0.0:9090", key, "METRICS_TRUSTED=true"}, "", false},
		{[]string{"METRICS_ADDR=0.0.0.0:9090", "METRICS_TRUSTED=true"}, "", false},
		{[]string{"METRICS_ADDR=9090"}, "not host:port", false},
		{[]string{"METRICS_ADDR=127.0.0.1:70000"}, "not host:port", false},
		{[]string{"METRICS_TRUSTED=yes"}, "use true or false", false},
	} {
		cfg, err := Load(c.environ)
		if c.want != "" {
			require.ErrorContains(t, err, c.want, c.environ)
			continue
		}
		require.NoError(t, err, c.environ)
		require.Equal(t, c.asks, cfg.MetricsKey(), c.environ)
	}
}
