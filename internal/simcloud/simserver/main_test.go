package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunPrintsAddressAndStops(t *testing.T) {
	for _, args := range [][]string{{"-zones", "1", "-clean"}, {"-demo", "-token", "abc"}} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out bytes.Buffer
		require.NoError(t, run(ctx, args, &out))
		require.Contains(t, out.String(), "CLOUDFLARE_BASE_URL=http://127.0.0.1:")
		require.Contains(t, out.String(), "CLOUDFLARE_API_TOKEN=")
	}
}

func TestRunRefusesBadArguments(t *testing.T) {
	require.Error(t, run(t.Context(), []string{"-addr", "256.0.0.1:1"}, &bytes.Buffer{}))
	require.Error(t, run(t.Context(), []string{"-unknown"}, &bytes.Buffer{}))
}
