package config

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTraces(t *testing.T) {
	for _, c := range []struct {
		environ []string
		url     string // "": off
	}{
		{nil, ""},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318"}, "http://c:4318/v1/traces"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=https://c/under/"}, "https://c/under/v1/traces"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://d/x"}, "http://d/x"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_SDK_DISABLED=TRUE"}, ""},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_TRACES_EXPORTER=none"}, ""},
		{[]string{"OTEL_SERVICE_NAME=x", "OTEL_TRACES_SAMPLER=always_on"}, ""},
	} {
		cfg, err := Load(c.environ)
		require.NoError(t, err, c.environ)
		got, on := cfg.Traces()
		require.Equal(t, c.url != "", on, c.environ)
		require.Equal(t, c.url, got.URL, c.environ)
	}
}

// TestTraceHeadersAreSecrets: they are sent as they were meant, and no print of the
// configuration has them.
func TestTraceHeadersAreSecrets(t *testing.T) {
	cfg, err := Load([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c",
		"OTEL_EXPORTER_OTLP_HEADERS=Authorization=Basic%20canary-one, x-key = canary=two,",
		"OTEL_EXPORTER_OTLP_TIMEOUT=250", "OTEL_SERVICE_NAME=mine", "OTEL_RESOURCE_ATTRIBUTES=service.name=other,team=edge%20one",
		"OTEL_TRACES_SAMPLER=TraceIDRatio", "OTEL_TRACES_SAMPLER_ARG=0.5"})
	require.NoError(t, err)
	o, on := cfg.Traces()
	require.True(t, on)
	require.Equal(t, 250*time.Millisecond, o.Timeout)
	require.Equal(t, "mine", o.Service)
	require.Equal(t, "edge one", o.About["team"])
	require.Equal(t, "Basic canary-one", o.Headers["Authorization"].Reveal())
	require.Equal(t, "canary=two", o.Headers["x-key"].Reveal())
	require.Len(t, o.Headers, 2)
	require.NotContains(t, fmt.Sprintf("%+v %#v %+v", cfg, cfg, o), "canary")
	var all []string
	for _, s := range cfg.Secrets() {
		all = append(all, s.Reveal())
	}
	require.Subset(t, all, []string{"Basic canary-one", "canary=two"})
	own, err := Load([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_EXPORTER_OTLP_HEADERS=a=b",
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS=c=d"})
	require.NoError(t, err)
	o, _ = own.Traces()
	require.Equal(t, "d", o.Headers["c"].Reveal())
	require.Len(t, o.Headers, 1)
}
