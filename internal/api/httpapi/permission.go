package httpapi

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
)

type permissionsOutput struct{ Body posture.PermissionReport }

func getPermissions(s *Server, ctx context.Context, in *accountInput) (*permissionsOutput, error) {
	a, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	report, err := s.permissions.of(ctx, a)
	return &permissionsOutput{report}, err
}

// permissionsFor is how long an answer stands: to ask costs requests of the provider, which
// the runs of the account then lack. One that could not be had is asked for again sooner.
const (
	permissionsFor = time.Minute
	refusedFor     = 10 * time.Second
)

// permissions asks the provider what tokens may read, for all callers once.
type permissions struct {
	ask     func(ctx context.Context, a posture.Account) (posture.PermissionReport, error)
	now     func() time.Time
	limits  *limit.Limiter
	closing context.Context //nolint:containedctx // ends when the server drains
	flight  singleflight.Group

	mu    sync.Mutex
	known map[string]permitted // by account
}

// permitted is an answer about an account as it was at an instant.
type permitted struct {
	account time.Time
	until   time.Time
	report  posture.PermissionReport
	err     error
}

// of gives the answer of the last minute, or waits for one. A caller that leaves does not
// take it from the others.
func (p *permissions) of(ctx context.Context, a posture.Account) (posture.PermissionReport, error) {
	asked := p.flight.DoChan(fmt.Sprint(a.ID, a.UpdatedAt.UnixNano()), func() (any, error) {
		p.mu.Lock()
		known, there := p.known[a.ID]
		p.mu.Unlock()
		if there && known.account.Equal(a.UpdatedAt) && p.now().Before(known.until) {
			return known.report, known.err
		}
		release, err := callOf(ctx).take(p.limits, limit.Reads)
		if err != nil {
			return posture.PermissionReport{}, err
		}
		defer release()
		report, err := p.ask(p.closing, a) //nolint:contextcheck // others wait for the answer too
		stands := permissionsFor
		if err != nil {
			stands = refusedFor
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.known[a.ID] = permitted{account: a.UpdatedAt, until: p.now().Add(stands), report: report, err: err}
		return report, err
	})
	select {
	case <-ctx.Done():
		return posture.PermissionReport{}, ctx.Err()
	case got := <-asked:
		report, _ := got.Val.(posture.PermissionReport)
		return report, got.Err
	}
}
