package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

const (
	// probeWithin bounds how long a caller waits for a dependency that hangs.
	probeWithin = 2 * time.Second
	// probeEvery is how long the result of a probe is reused.
	probeEvery = time.Second
)

// probe checks whether a dependency works, at most once per probeEvery however many callers ask.
type probe struct {
	part string
	look func(ctx context.Context) error
	now  func() time.Time
	log  *slog.Logger

	looking singleflight.Group // one check at a time; it guards the fields below
	at      time.Time
	last    error
}

// ask returns nil when the dependency works. It returns when ctx ends at the latest.
func (p *probe) ask(ctx context.Context) error {
	//nolint:contextcheck // the answer is not only for this caller
	answer := p.looking.DoChan("", func() (any, error) { return nil, p.fresh() })
	select {
	case a := <-answer:
		return a.Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *probe) fresh() error {
	if since := p.now().Sub(p.at); !p.at.IsZero() && since >= 0 && since < probeEvery {
		return p.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeWithin)
	defer cancel()
	err := p.look(ctx)
	if (err == nil) != (p.last == nil) {
		p.log.Warn("what the service needs has changed its state", "part", p.part, "works", err == nil, "error", err)
	}
	p.at, p.last = p.now(), err
	return err
}

// ask probes the store and the queue concurrently, and calls then when the queue works, so that a
// store that hangs leaves time for it.
func (s *Server) ask(ctx context.Context, then func() error) (storeErr, queueErr error) {
	asked := make(chan error, 1)
	go func() {
		err := s.queue.ask(ctx)
		if err == nil {
			err = then()
		}
		asked <- err
	}()
	storeErr = s.store.ask(ctx)
	return storeErr, <-asked
}

// reasonOf explains to an operator why a dependency, by its name, does not work.
func reasonOf(name string, err error) string {
	var down *store.UnavailableError
	var problem *posture.Problem
	switch {
	case errors.As(err, &problem):
		return problem.Detail
	case errors.As(err, &down):
		return down.Reason
	case errors.Is(err, context.DeadlineExceeded):
		why, known := map[string]string{"sqlite": "another process may hold the database file locked, or the disk is slow",
			"embedded": "the machine has too much to do", "file": "the disk of DATA_DIR is slow"}[name]
		if !known {
			why = "look at its server and the way there"
		}
		return "it does not answer within 2 seconds; " + why
	default:
		return "it does not work; the log of the service has the cause"
	}
}
