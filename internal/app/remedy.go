package app

import (
	"fmt"
	"os"
	"strings"

	"github.com/edgeposture/edgeposture/internal/checks"
	"github.com/edgeposture/edgeposture/internal/gate"
	"github.com/edgeposture/edgeposture/jobs"
)

// newRemedy makes what plans, applies and rolls back. Each process has a gate of
// its own, from the same variables: the API asks it first, the worker before every
// write, so both need them.
func (a *App) newRemedy() error {
	admits, err := a.newGate()
	if err != nil {
		return err
	}
	a.remedy = jobs.Remedy{Runner: a.assess.Runner, Store: a.backend.store, Key: a.key, Gate: admits, Checks: checks.All(), Resolver: a.resolver(),
		Random: a.o.Random, Now: a.o.Now, NewID: newID, Sleep: pause}
	return nil
}

func (a *App) newGate() (*gate.Gate, error) {
	o := gate.Options{Allowed: a.cfg.Remediation(), Secret: a.cfg.EditScope, HMACKey: a.cfg.EditScopeHMAC, Issuer: a.cfg.EditScopeIssuer, Now: a.o.Now}
	switch keys := a.cfg.EditScopeJWKS; {
	case keys == "":
	case strings.Contains(keys, "://"):
		fetcher, err := gate.FromAddress(a.outbound, keys)
		if err != nil {
			return nil, err
		}
		o.Keys = fetcher
	default:
		set, err := os.ReadFile(keys) //nolint:gosec // the operator names the file
		if err != nil {
			return nil, fmt.Errorf("the file SERVICE_EDIT_SCOPE_JWKS names cannot be read: %w; name a readable file, or an https address", rootOf(err))
		}
		o.JWKS = set
	}
	return gate.New(o)
}
