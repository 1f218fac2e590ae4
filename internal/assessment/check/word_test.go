package check

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLasting(t *testing.T) {
	for d, want := range map[time.Duration]string{720 * time.Hour: "30 days", 24 * time.Hour: "1 day", 90 * time.Minute: "90 minutes",
		time.Hour: "1 hour", time.Minute: "1 minute", 61 * time.Second: "61 seconds", time.Second: "1 second",
		10_700 * time.Second: "178 minutes"} {
		require.Equal(t, want, Lasting(d))
	}
}
