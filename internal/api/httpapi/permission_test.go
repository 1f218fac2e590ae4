package httpapi

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
	"github.com/edgeposture/edgeposture/internal/store"
)

func TestPermissionsAreAskedAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer error
		after  time.Duration
	}{
		{"what was answered, after a minute", nil, permissionsFor},
		{"what the provider refused, after ten seconds", posture.Problemf(posture.CodeProvider, "No."), refusedFor},
		{"what a part of ours failed at, at once", posture.Problemf(posture.CodeUnavailable, "Redis."), 0},
		{"without a store, at once", &store.UnavailableError{Reason: "gone"}, 0},
		{"what nobody knows the reason of, at once", errors.New("?"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			now, asked := time.Unix(0, 0), 0
			p := permissions{now: func() time.Time { return now }, limits: limit.New(nil, func(limit.Kind) {}), closing: t.Context(),
				known: map[string]permitted{}, ask: func(context.Context, posture.Account) (posture.PermissionReport, error) {
					asked++
					return posture.PermissionReport{}, c.answer
				}}
			call := func(want int) {
				_, err := p.of(t.Context(), posture.Account{ID: "a"})
				require.ErrorIs(t, err, c.answer)
				require.Equal(t, want, asked)
			}
			call(1)
			if c.after > 0 {
				now = now.Add(c.after - 1)
				call(1)
				now = now.Add(1)
			}
			call(2)
		})
	}
}
