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
	// probeWithin bounds how long a caller waits for a part that hangs.
	probeWithin = 2 * time.Second
	// probeEvery is how long an answer of a part stands for others who ask.
	probeEvery = time.Second
)

// probe asks a part whether it works: once a second, however many want to know.
type probe struct {
	part string
	look func(ctx context.Context) error
	now  func() time.Time
	log  *slog.Logger

	looking singleflight.Group // one at a time; guards what follows
	at      time.Time
	last    error
}

// ask gives nil when the part works. It ends with ctx at the latest.
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

// ask asks both parts at once.
func (s *Server) ask(ctx context.Context) (storeErr, queueErr error) {
	asked := make(chan error, 1)
	go func() { asked <- s.queue.ask(ctx) }()
	storeErr = s.store.ask(ctx)
	return storeErr, <-asked
}

// reasonOf says to an operator why a part does not work.
func reasonOf(err error) string {
	var down *store.UnavailableError
	var problem *posture.Problem
	switch {
	case errors.As(err, &problem):
		return problem.Detail
	case errors.As(err, &down):
		return down.Reason
	case errors.Is(err, context.DeadlineExceeded):
		return "it does not answer within 2 seconds; look at its server and the way there"
	default:
		return "it does not work; the log of the service has the cause"
	}
}
