package app_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

func (s *system) scrape(headers ...string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://"+s.app.MetricsAddr()+"/metrics", nil)
	require.NoError(s.t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	require.Equal(s.t, resp.StatusCode == http.StatusUnauthorized, resp.Header.Get("WWW-Authenticate") == "Bearer")
	raw, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	require.NoError(s.t, resp.Body.Close())
	return resp.StatusCode, string(raw)
}

// TestMetricsWhileJobsRun scrapes while eight jobs run and holds what is told: the
// counts of what happened, few series, no name and no secret.
func TestMetricsWhileJobsRun(t *testing.T) {
	t.Parallel()
	o := fixable()
	for range 8 {
		o.Tokens = append(o.Tokens, simcloud.Token{CanWrite: true})
	}
	s := embedded(t, o, "SERVICE_ALLOW_REMEDIATION=true", "SERVICE_EDIT_SCOPE="+editSecret, "METRICS_ADDR=127.0.0.1:0")
	secrets := append(simcloud.Canaries(), editSecret, "canary-in-a-path")
	s.assessed() // what the store is asked is remembered for 15 s
	var group sync.WaitGroup
	for _, token := range s.cloud.Tokens()[1:] {
		secrets = append(secrets, token.Secret)
		group.Go(func() { // jobs of one token would join
			require.Equal(t, 200, s.call("POST", "/api/assess", map[string]any{"token": token.Secret, "checks": []string{"CFL-SSL-002"}}).status)
		})
	}
	for range 5 {
		status, _ := s.scrape()
		require.Equal(t, 200, status)
	}
	group.Wait()
	a := s.assessed()
	s.changes("apply", map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret})
	require.Equal(t, 200, s.call("POST", "/api/integrations/ship", map[string]any{"target": "file"}).status)
	s.call("GET", "/api/jobs/canary-in-a-path", nil)
	s.call("GET", "/canary-in-a-path", nil)
	_, got := s.scrape()
	for _, want := range []string{
		`edgeposture_jobs{kind="assess",state="succeeded"}`, `edgeposture_job_duration_seconds_count{kind="assess",outcome="succeeded"}`,
		`edgeposture_remediation_changes_total{kind="apply",outcome="applied"} 3`,
		`edgeposture_provider_requests_total{source="zone_settings",status="2xx"}`, `edgeposture_budget_grants_total{class="interactive"}`,
		`edgeposture_assessments_total{outcome="completed`,
		`edgeposture_http_request_duration_seconds_count{method="GET",route="/api/jobs/{id}",status="4xx"} 1`,
		`edgeposture_http_request_duration_seconds_count{method="other",route="other",status="`,
		`edgeposture_store_operation_duration_seconds_count{engine="sqlite",operation="write to the audit log"}`,
		`edgeposture_queue_size{queue="interactive"}`, `edgeposture_store_connections{pool="writer"}`,
		`edgeposture_findings{account="`, `edgeposture_build_info{store="sqlite",version="test"} 1`, `edgeposture_workers 1`,
		`edgeposture_deliveries_total{kind="ship",outcome="delivered"`,
	} {
		require.Contains(t, got, want)
	}
	require.Eventually(t, func() bool { // of a slow machine some fail
		failed := strings.Count(s.log.String(), "an entry of the audit log could not be written")
		_, got := s.scrape()
		return strings.Contains(got, fmt.Sprintf("edgeposture_audit_failures_total %d\n", failed))
	}, 10*time.Second, 100*time.Millisecond, "as many as the log tells of")
	for _, secret := range secrets {
		require.NotContains(t, got, secret)
	}
	for _, z := range a.Zones {
		require.NotContains(t, got, z.Name)
		require.NotContains(t, got, z.ID)
	}
	require.NotContains(t, got, a.Account.Name)
	require.Less(t, strings.Count(got, "\n"), 6000)
	require.Empty(t, regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-`).FindAllString(strings.Join(regexp.MustCompile(
		`(?m)^edgeposture_[^f][^{]*\{[^}]*\}`).FindAllString(got, -1), "\n"), -1), "an id is a label of findings alone")
}

// TestMetricsAskForTheKey: where others can reach them, unless the address is trusted.
func TestMetricsAskForTheKey(t *testing.T) {
	key := "SERVICE_API_KEY=" + apiKey
	for name, c := range map[string]struct {
		environ []string
		want    int
	}{
		"loopback":            {[]string{"METRICS_ADDR=127.0.0.1:0", key}, 200},
		"everywhere":          {[]string{"METRICS_ADDR=:0", key}, 401},
		"everywhere, trusted": {[]string{"METRICS_ADDR=:0", key, "METRICS_TRUSTED=true"}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			s := embedded(t, small(), c.environ...)
			got, _ := s.scrape()
			require.Equal(t, c.want, got)
			for _, h := range [][]string{{"X-API-Key", apiKey}, {"Authorization", "Bearer " + apiKey}} {
				got, _ = s.scrape(h...)
				require.Equal(t, 200, got)
			}
			got, _ = s.scrape("X-API-Key", "another key of 16")
			require.Equal(t, c.want, got)
		})
	}
}
