package app

import (
	"context"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/provider/resolve"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// resolver chooses who answers for public names: the simulation for the demo
// account, whose names do not exist, and the configured resolver for the rest.
// Without one, what needs a look-up is UNKNOWN.
func (a *App) resolver() func(demo bool) assess.Resolver {
	var public assess.Resolver
	if a.o.NoLookups {
		return func(bool) assess.Resolver { return nil }
	}
	if a.cfg.DNSResolver != config.NoResolver {
		r, err := resolve.New(resolve.Options{Server: a.cfg.DNSResolver})
		if err != nil {
			a.o.Log.Warn("public names are not looked up", "reason", err)
		} else {
			public = r
		}
	}
	return func(demo bool) assess.Resolver {
		if demo && a.demo != nil {
			return simulated{a.demo.cloud}
		}
		return public
	}
}

// simulated answers for the names of the demo account.
type simulated struct{ cloud *simcloud.Cloud }

// Lookup implements assess.Resolver.
func (s simulated) Lookup(_ context.Context, q snapshot.Question) (snapshot.Lookup, error) {
	rcode, chain, answers := s.cloud.Resolve(q.Type, q.Name)
	if answers == nil {
		answers = []string{}
	}
	return snapshot.Lookup{Rcode: rcode, Chain: chain, Answers: answers}, nil
}
