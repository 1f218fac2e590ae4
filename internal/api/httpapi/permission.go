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

func getPermissions(s *Server, ctx context.Context, in *accountInput) (*answer[posture.PermissionReport], error) {
	a, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	report, err := s.permissions.of(ctx, a)
	return &answer[posture.PermissionReport]{report}, err
}

// How long an answer is reused. Asking costs provider requests that the runs of the account then
// lack. A refusal of the provider is retried sooner, a failure of our own parts at once.
const (
	permissionsFor = time.Minute
	refusedFor     = 10 * time.Second
)

// permissions asks the provider what tokens may read, with one request for concurrent callers.
type permissions struct {
	ask     func(ctx context.Context, a posture.Account) (posture.PermissionReport, error)
	now     func() time.Time
	limits  *limit.Limiter
	closing context.Context //nolint:containedctx // ends when the server drains
	flight  singleflight.Group

	mu    sync.Mutex
	known map[string]permitted // by account id
}

// permitted is a cached answer for a version of an account.
type permitted struct {
	account time.Time
	until   time.Time
	report  posture.PermissionReport
	err     error
}

// of returns an answer at most permissionsFor old, or waits for a new one. A caller that leaves
// does not cancel it for the others.
func (p *permissions) of(ctx context.Context, a posture.Account) (posture.PermissionReport, error) {
	asked := p.flight.DoChan(fmt.Sprint(a.ID, a.UpdatedAt.UnixNano()), func() (any, error) {
		p.mu.Lock()
		before, there := p.known[a.ID]
		p.mu.Unlock()
		if there && before.account.Equal(a.UpdatedAt) && p.now().Before(before.until) {
			return before.report, before.err
		}
		release, err := callOf(ctx).take(p.limits, limit.Reads)
		if err != nil {
			return posture.PermissionReport{}, err
		}
		defer release()
		report, err := p.ask(p.closing, a) //nolint:contextcheck // others wait for the answer too
		stands := permissionsFor
		if err != nil {
			if code := known(err).Code; code.Status() >= 500 && code != posture.CodeProvider {
				return report, err
			}
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
