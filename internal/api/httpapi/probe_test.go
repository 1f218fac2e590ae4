package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

// TestProbe: however many ask, a part is looked at once a second; one that hangs is an
// answer after two.
func TestProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int32
		answer := error(nil)
		p := &probe{now: time.Now, log: slog.New(slog.DiscardHandler), look: func(ctx context.Context) error {
			looks.Add(1)
			time.Sleep(100 * time.Millisecond) // of the bubble
			return answer
		}}
		all := func(want error) {
			t.Helper()
			for range 3 {
				answers := make(chan error, 50)
				for range cap(answers) {
					go func() { answers <- p.ask(t.Context()) }()
				}
				for range cap(answers) {
					require.ErrorIs(t, <-answers, want)
				}
			}
		}
		all(nil)
		require.EqualValues(t, 1, looks.Load())
		answer = &store.UnavailableError{Reason: "full", Err: errors.New("x")}
		time.Sleep(probeEvery)
		all(answer)
		require.EqualValues(t, 2, looks.Load())
		require.Equal(t, "full", reasonOf("sqlite", answer))

		hung := make(chan struct{})
		p.look = func(context.Context) error { <-hung; return nil }
		time.Sleep(probeEvery)
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), probeWithin)
		defer cancel()
		err := p.ask(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, probeWithin, time.Since(begun))
		require.Contains(t, reasonOf("postgres", err), "does not answer within 2 seconds; look at its server")
		for _, name := range []string{"sqlite", "embedded", "file"} {
			require.NotContains(t, reasonOf(name, err), "server", name)
		}
		close(hung)
	})
}
