package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/outbound"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

func TestDefaults(t *testing.T) {
	c, err := Load(nil)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", c.Host)
	require.Zero(t, c.Port)
	require.Equal(t, 1200, c.RequestsPer5M)
	require.Equal(t, "https://api.cloudflare.com/client/v4", c.BaseURL)
	require.True(t, c.Embedded())
	require.False(t, c.Remediation())
	require.Equal(t, Retention{Assessments: "400d", Sections: "90d", Jobs: "30d", Deliveries: "90d"}, c.Retention)
	off, err := Load([]string{"SERVICE_KEEP_ASSESSMENTS=off"})
	require.NoError(t, err)
	kept, err := ParseKept(off.Retention.Assessments)
	require.NoError(t, err)
	require.Zero(t, kept)
	kept, err = ParseKept("90d")
	require.NoError(t, err)
	require.Equal(t, 90*24*time.Hour, kept)
}

func TestBadValuesNameTheVariable(t *testing.T) {
	const key = "SERVICE_ENCRYPTION_KEY=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	for _, tc := range []struct {
		env  string
		want string
	}{
		{"PORT=abc", "PORT"},
		{"PORT=70000", "PORT"},
		{"HOST=0.0.0.0", "SERVICE_API_KEY"},
		{"SERVICE_API_KEY=short", "SERVICE_API_KEY"},
		{"SERVICE_TRUSTED_PROXIES=10.0.0.0/8,proxy", "SERVICE_TRUSTED_PROXIES"},
		{"SERVICE_API_KEY=,", "SERVICE_API_KEY"},
		{"SERVICE_API_KEY= , ", "SERVICE_API_KEY"},
		{"SERVICE_ALLOW_REMEDIATION=yes", "SERVICE_ALLOW_REMEDIATION is neither true nor false"},
		{"SERVICE_ALLOW_REMEDIATION=True", "SERVICE_ALLOW_REMEDIATION"},
		{"SERVICE_ALLOW_REMEDIATION=true ", "SERVICE_ALLOW_REMEDIATION"},
		{"CLOUDFLARE_ACCOUNT_ID=Acme Inc", "CLOUDFLARE_ACCOUNT_ID"},
		{"CLOUDFLARE_ACCOUNT_ID=aaaa0000000000000000000000000001,bbbb0000000000000000000000000002", "CLOUDFLARE_ACCOUNT_ID"},
		{"SERVICE_REMEDIATION_APPROVALS=2", "SERVICE_REMEDIATION_APPROVALS is neither 0 nor 1"},
		{"SERVICE_API_KEY=aaaaaaaaaaaaaaaa", "SERVICE_API_KEY"},
		{"SERVICE_API_KEY=9f3c71e0b5a84d26,passwordpassword", "SERVICE_API_KEY"},
		{"SERVICE_EDIT_SCOPE=a", "SERVICE_EDIT_SCOPE"},
		{"SERVICE_EDIT_SCOPE=" + strings.Repeat("a", 32), "SERVICE_EDIT_SCOPE"},
		{"SERVICE_EDIT_SCOPE=correcthorsebatterystaplemonkeydragon", "SERVICE_EDIT_SCOPE"},
		{"SERVICE_EDIT_SCOPE_JWT_SECRET=" + strings.Repeat("a", 32), "SERVICE_EDIT_SCOPE_JWT_SECRET"},
		{"SERVICE_EDIT_SCOPE_JWT_SECRET=January2024February2025March2026April", "SERVICE_EDIT_SCOPE_JWT_SECRET"},
		{"SERVICE_LIMIT_STREAMS=5", "SERVICE_LIMIT_STREAMS"},
		{"CLOUDFLARE_API_TOKEN= \t\n", "CLOUDFLARE_API_TOKEN"},
		{"CLOUDFLARE_API_TOKEN=two words", "CLOUDFLARE_API_TOKEN has a character"},
		{"CLOUDFLARE_BASE_URL=ftp://x", "CLOUDFLARE_BASE_URL"},
		{"CLOUDFLARE_BASE_URL=http://api.example.test/x", "CLOUDFLARE_BASE_URL"},
		{"CLOUDFLARE_REQUESTS_PER_5M=0", "CLOUDFLARE_REQUESTS_PER_5M"},
		{"CLOUDFLARE_REQUESTS_PER_5M=many", "CLOUDFLARE_REQUESTS_PER_5M"},
		{"SERVICE_KEEP_ASSESSMENTS=0d", "SERVICE_KEEP_ASSESSMENTS"},
		{"SERVICE_KEEP_SECTIONS=90", "SERVICE_KEEP_SECTIONS"},
		{"SERVICE_KEEP_JOBS=-1d", "SERVICE_KEEP_JOBS"},
		{"SERVICE_KEEP_JOBS=99999d", "SERVICE_KEEP_JOBS"},
		{"SERVICE_KEEP_DELIVERIES=Off", "SERVICE_KEEP_DELIVERIES"},
		{"SERVICE_WORKER_CONCURRENCY=0", "SERVICE_WORKER_CONCURRENCY"},
		{"SERVICE_ENCRYPTION_KEY=abc", "SERVICE_ENCRYPTION_KEY"},
		{"DATABASE_URL=postgres://x/y", "REDIS_URL"},
		{"DATABASE_URL=mysql://x/y;REDIS_URL=redis://h:1", "DATABASE_URL"},
		{"DATABASE_URL=postgres://x/y;REDIS_URL=redis://h:1", "SERVICE_ENCRYPTION_KEY"},
		{"DATABASE_URL=postgres://x/y;REDIS_URL=http://h;" + key, "REDIS_URL"},
		{"DATABASE_URL=postgres://x/y;REDIS_URL=redis-sentinel://h:1;" + key, "redis-sentinel://host1,host2/master"},
		{"DATABASE_URL=postgres://x/y;REDIS_URL=redis-sentinel://h:1/m?db=3;" + key, "redis-sentinel://host1,host2/master"},
		{"SERVICE_DNS_RESOLVER=9.9.9.9", "SERVICE_DNS_RESOLVER"},
		{"SERVICE_DNS_RESOLVER=dns.example:many", "SERVICE_DNS_RESOLVER"},
		{"SERVICE_OUTBOUND_ALLOW=0.0.0.0/0", "SERVICE_OUTBOUND_ALLOW"},
		{"SERVICE_OUTBOUND_ALLOW=search.internal", "SERVICE_OUTBOUND_ALLOW"},
		{"SERVICE_NOTIFY_THRESHOLD=loud", "SERVICE_NOTIFY_THRESHOLD"},
		{"SERVICE_AI_PROVIDER=other", "SERVICE_AI_PROVIDER"},
		{"SERVICE_SEARCH_URL=search:9200", "SERVICE_SEARCH_URL"},
		{"SERVICE_CHAT_A_WEBHOOK=ftp://x", "SERVICE_CHAT_A_WEBHOOK"},
		{"SERVICE_SIEM_HEC_TOKEN=two words", "SERVICE_SIEM_HEC_TOKEN"},
		{"SERVICE_LOG_LEVEL=loud", "SERVICE_LOG_LEVEL"},
		{"SERVICE_LOG_FORMAT=xml", "SERVICE_LOG_FORMAT"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318", "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=https://me:word@collector", "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://c/v1/traces?key=x", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"},
		{"OTEL_EXPORTER_OTLP_HEADERS=only-a-word", "OTEL_EXPORTER_OTLP_HEADERS"},
		{"OTEL_EXPORTER_OTLP_HEADERS=a name=x", "OTEL_EXPORTER_OTLP_HEADERS"},
		{"OTEL_EXPORTER_OTLP_TRACES_HEADERS=a=%zz", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"},
		{"OTEL_EXPORTER_OTLP_HEADERS=a=%0d%0ab", "OTEL_EXPORTER_OTLP_HEADERS"},
		{"OTEL_RESOURCE_ATTRIBUTES=production", "OTEL_RESOURCE_ATTRIBUTES"},
		{"OTEL_EXPORTER_OTLP_TIMEOUT=10s", "OTEL_EXPORTER_OTLP_TIMEOUT"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_PROTOCOL"},
		{"OTEL_TRACES_EXPORTER=zipkin", "OTEL_TRACES_EXPORTER"},
		{"OTEL_TRACES_SAMPLER=sometimes", "OTEL_TRACES_SAMPLER"},
		{"OTEL_TRACES_SAMPLER=traceidratio;OTEL_TRACES_SAMPLER_ARG=2", "OTEL_TRACES_SAMPLER_ARG"},
		{"OTEL_TRACES_SAMPLER=parentbased_traceidratio;OTEL_TRACES_SAMPLER_ARG=NaN", "OTEL_TRACES_SAMPLER_ARG"},
	} {
		t.Run(tc.env, func(t *testing.T) {
			_, err := Load(strings.Split(tc.env, ";"))
			require.ErrorContains(t, err, tc.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestGoodValues(t *testing.T) {
	c, err := Load([]string{"HOST=0.0.0.0", "SERVICE_API_KEY=9f3c71e0b5a84d26, 62d8a4f07be1c935", "SERVICE_ALLOW_REMEDIATION=false"})
	require.NoError(t, err)
	require.Len(t, c.Keys(), 2)
	require.Empty(t, c.Settings)
	require.False(t, c.Remediation())
	require.False(t, c.ByTwo())
	c, err = Load([]string{"SERVICE_ALLOW_REMEDIATION=true", "CLOUDFLARE_ACCOUNT_ID=aaaa0000000000000000000000000001"})
	require.NoError(t, err)
	require.True(t, c.Remediation())
	for value, byTwo := range map[string]bool{"0": false, "1": true} {
		c, err = Load([]string{"SERVICE_REMEDIATION_APPROVALS=" + value})
		require.NoError(t, err)
		require.Equal(t, byTwo, c.ByTwo())
	}
}

// TestSettingsOfTheEnvironment sets every variable of the overlay.
func TestSettingsOfTheEnvironment(t *testing.T) {
	values := map[setting.Key]string{setting.NotifyThreshold: "info", setting.AIProvider: "local", setting.AWSAccountID: "123456789012",
		setting.AWSRegion: "eu-central-1", setting.TicketKind: "github", setting.TicketFrom: "high", setting.TicketClose: "true",
		setting.GitHubRepository: "owner/name", setting.JiraProject: "SEC", setting.JiraEmail: "ann@example.com"}
	var environ []string
	for _, d := range setting.Definitions() {
		if values[d.Key] == "" {
			values[d.Key] = "https://receiver.example:8088/" + string(d.Key)
		}
		if d.Key == setting.SearchUsername {
			values[d.Key] = "someone"
		}
		environ = append(environ, d.Env+"="+values[d.Key])
	}
	c, err := Load(append(environ, "SERVICE_OUTBOUND_ALLOW=10.0.0.0/8, receiver.example:8088"))
	require.NoError(t, err)
	values[setting.NotifyThreshold] = "informational"
	require.Len(t, c.Settings, len(values))
	for k, want := range values {
		require.Equal(t, want, c.Settings[k].Reveal(), k)
	}
	prefixes, pairs, err := c.Outbound()
	require.NoError(t, err)
	require.Len(t, prefixes, 1)
	require.Equal(t, []outbound.Pair{{Host: "receiver.example", Port: 8088}}, pairs)
	require.NotContains(t, fmt.Sprintf("%+v", c), "/hecToken")
}
