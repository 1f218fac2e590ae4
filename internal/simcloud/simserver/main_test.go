package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/simcloud"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunPrintsAddressAndStops(t *testing.T) {
	for _, args := range [][]string{{"-zones", "1", "-clean"}, {"-demo", "-token", "abc"}, {"-zones", "1", "-writable", "-control", "127.0.0.1:0"}} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out bytes.Buffer
		require.NoError(t, run(ctx, args, &out))
		require.Contains(t, out.String(), "CLOUDFLARE_BASE_URL=http://127.0.0.1:")
		require.Contains(t, out.String(), "CLOUDFLARE_API_TOKEN=")
	}
}

func TestControlPath(t *testing.T) {
	cloud := simcloud.New(simcloud.Options{Tokens: []simcloud.Token{{Secret: "w", CanWrite: true}}})
	var out bytes.Buffer
	stop, err := watch("127.0.0.1:0", cloud, &out)
	require.NoError(t, err)
	defer func() { require.NoError(t, stop()) }()
	base := strings.TrimSpace(strings.TrimPrefix(out.String(), "SIMSERVER_CONTROL_URL="))
	client := &http.Client{Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	ask := func(method, path string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, base+path, nil)
		require.NoError(t, err)
		got, err := client.Do(r)
		require.NoError(t, err)
		raw, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		require.NoError(t, got.Body.Close())
		return got.StatusCode, string(raw)
	}
	account := cloud.Accounts()[0]
	zone := simcloud.BasePath + "/zones/" + cloud.ZoneIDs(account)[0]
	before := string(cloud.State(account))
	r := httptest.NewRequest(http.MethodPatch, zone, strings.NewReader(`{"paused":true}`))
	r.Header.Set("Authorization", "Bearer w")
	cloud.ServeHTTP(httptest.NewRecorder(), r)
	status, state := ask("GET", "/state/"+account)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, state, `"paused": true`)
	require.NotContains(t, before, `"paused": true`)
	_, writes := ask("GET", "/writes")
	require.JSONEq(t, `[{"Method":"PATCH","Path":"`+zone+`","Status":200}]`, writes)
	status, _ = ask("DELETE", "/writes")
	require.Equal(t, http.StatusNoContent, status)
	_, writes = ask("GET", "/writes")
	require.JSONEq(t, `[]`, writes)
	status, _ = ask("GET", "/state/unknown")
	require.Equal(t, http.StatusNotFound, status)
}

func TestRunRefusesBadArguments(t *testing.T) {
	require.Error(t, run(t.Context(), []string{"-control", "0.0.0.0:0"}, &bytes.Buffer{}))
	require.Error(t, run(t.Context(), []string{"-control", "host:1"}, &bytes.Buffer{}))
	require.Error(t, run(t.Context(), []string{"-addr", "256.0.0.1:1"}, &bytes.Buffer{}))
	require.Error(t, run(t.Context(), []string{"-unknown"}, &bytes.Buffer{}))
}
