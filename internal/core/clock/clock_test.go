package clock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/clock"
)

// TestClock walks through what can happen between two clocks. real is the time that
// passes; the local clock is ahead by an hour, and is moved on the way.
func TestClock(t *testing.T) {
	real, ahead := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC), time.Hour
	took, broken := 20*time.Millisecond, error(nil)
	local := func() time.Time { return real.Add(ahead) }
	c := clock.New(local, func(context.Context) (time.Time, error) {
		real = real.Add(took / 2)
		shown := real
		real = real.Add(took / 2)
		return shown, broken
	})
	near := func(within time.Duration) {
		t.Helper()
		require.WithinDuration(t, real, c.Now(), within)
		require.Equal(t, time.UTC, c.Now().Location())
	}
	require.Equal(t, local(), c.Now(), "nothing is known yet")
	require.NoError(t, c.Sync(t.Context()))
	near(0)
	real = real.Add(3 * time.Hour)
	near(0)

	broken = errors.New("away")
	require.ErrorIs(t, c.Sync(t.Context()), broken)
	near(0)

	broken, took, ahead = nil, 10*time.Second, ahead+time.Minute
	require.NoError(t, c.Sync(t.Context()), "so slow an answer tells nothing")
	near(time.Minute)
	took = time.Millisecond
	require.NoError(t, c.Sync(t.Context()))
	near(0)
}

// TestASetClockIsNotSeen: what has passed is measured, not read off the wall.
func TestASetClockIsNotSeen(t *testing.T) {
	shared := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	c := clock.New(time.Now, func(context.Context) (time.Time, error) { return shared, nil })
	require.NoError(t, c.Sync(t.Context()))
	require.WithinDuration(t, shared, c.Now(), time.Minute)
}
