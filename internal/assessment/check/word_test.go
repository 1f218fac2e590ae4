package check

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLasting(t *testing.T) {
	for d, want := range map[time.Duration]string{720 * time.Hour: "30 days", 24 * time.Hour: "1 day",
		90 * time.Minute: "1 hour and 30 minutes", time.Hour: "1 hour", time.Minute: "1 minute",
		61 * time.Second: "1 minute and 1 second", time.Second: "1 second",
		10_700 * time.Second: "2 hours and 58 minutes", 0: "0 seconds", 25 * time.Hour: "1 day and 1 hour",
		43_824 * time.Hour: "1,826 days", 14*24*time.Hour + 5*time.Minute: "14 days"} {
		require.Equal(t, want, Lasting(d))
	}
}

func TestExceeding(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{day + time.Minute: "more than 1 day", day + time.Hour: "1 day and 1 hour", day: "1 day",
		time.Hour: "1 hour"} {
		require.Equal(t, want, Exceeding(d, day))
	}
}

// TestHostnameSettingsKeepTheCertificate makes the body that changes a setting of a custom hostname: a wildcard and the authority that
// was chosen stay.
func TestHostnameSettingsKeepTheCertificate(t *testing.T) {
	t.Parallel()
	run := exec.CommandContext(t.Context(), "jq", HostnameSettings("{id}", `{min_tls_version: "1.2"}`).Body)
	run.Stdin = strings.NewReader(`{"result":{"hostname":"shop.customer.test","ssl":{"id":"i","status":"active","method":"txt","type":"dv",` +
		`"wildcard":true,"certificate_authority":"google","settings":{"http2":"on","min_tls_version":"1.0"}}}}`)
	out, err := run.Output()
	require.NoError(t, err)
	require.JSONEq(t, `{"ssl":{"method":"txt","type":"dv","wildcard":true,"certificate_authority":"google",`+
		`"settings":{"http2":"on","min_tls_version":"1.2"}}}`, string(out))
}
