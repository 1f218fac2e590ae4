package outbound

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func TestRetryAfter(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"0", 0, true}, {"1", time.Second, true}, {" 60\t", time.Minute, true}, {"299", 299 * time.Second, true},
		{"86401", 24 * time.Hour, true}, {"99999999999999999999999999", 24 * time.Hour, true},
		{"Sat, 21 Nov 2026 12:00:30 GMT", 30 * time.Second, true}, {"Saturday, 21-Nov-26 12:00:30 GMT", 30 * time.Second, true},
		{"Sat Nov 21 12:00:30 2026", 30 * time.Second, true},
		{"Sat, 21 Nov 2026 11:00:00 GMT", 0, true}, {"Fri, 31 Dec 9999 23:59:59 GMT", 24 * time.Hour, true}, {"", 0, false}, {"-1", 0, false},
		{"1.5", 0, false}, {"soon", 0, false}, {"+5", 0, false}, {"٣", 0, false},
		{"5, 6", 0, false}, {"Sat, 21 Nov 2026 12:00:30", 0, false},
	} {
		got, ok := RetryAfter(c.value, noon)
		require.Equal(t, c.want, got, c.value)
		require.Equal(t, c.ok, ok, c.value)
	}
}

// FuzzRetryAfter looks for a value that makes a wait out of bounds, or one that
// is not understood but waits.
func FuzzRetryAfter(f *testing.F) {
	for _, v := range []string{"", "0", "60", "-1", "18446744073709551616", "Sat, 21 Nov 2026 12:00:30 GMT", "Sat Nov 21 12:00:30 2026",
		"1e3", "\x00"} {
		f.Add(v)
	}
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, v string) {
		defer fuzztest.Bound(t)()
		wait, ok := RetryAfter(v, noon)
		require.GreaterOrEqual(t, wait, time.Duration(0))
		require.LessOrEqual(t, wait, 24*time.Hour)
		require.True(t, ok || wait == 0)
	})
}
