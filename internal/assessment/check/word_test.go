package check

import (
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
