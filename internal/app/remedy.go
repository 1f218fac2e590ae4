package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/clock"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/remediation/planner"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
	"github.com/edgeposture/edgeposture/jobs"
)

// newRemedy builds what plans, applies and rolls back changes. Each process has a gate of its own,
// built from the same variables, because the API checks it first and the worker checks it again
// before every write.
func (a *App) newRemedy() error {
	admits, err := a.newGate()
	if err != nil {
		return err
	}
	a.jobs.Remedy = jobs.Remedy{Runner: a.jobs.Assess.Runner, Store: a.backend.store, Key: a.key, Gate: admits, ByTwo: a.cfg.ByTwo(),
		AuditLog: a.auditLog, Changed: a.telemetry.changed, Span: a.telemetry.span(), Checks: checks.All(), Resolver: a.resolver(),
		Advise: a.advise, Random: a.o.Random, Now: a.o.Now, NewID: newID, Sleep: clock.Sleep}
	return nil
}

func (a *App) newGate() (*gate.Gate, error) {
	o := gate.Options{Allowed: a.cfg.Remediation(), Secret: a.cfg.EditScope, HMACKey: a.cfg.EditScopeHMAC, Issuer: a.cfg.EditScopeIssuer,
		Audience: a.cfg.EditScopeAudience, Lifetime: a.cfg.EditScopeLifetime, Now: a.o.Now}
	switch keys := a.cfg.EditScopeJWKS; {
	case keys == "":
	case strings.Contains(keys, "://"):
		fetcher, err := gate.FromAddress(a.sending.client, keys)
		if err != nil {
			return nil, err
		}
		o.Keys = fetcher
	default:
		set, err := os.ReadFile(keys) //nolint:gosec // the operator names the file
		if err != nil {
			return nil, fmt.Errorf("the file SERVICE_EDIT_SCOPE_JWKS names cannot be read: %w; name a readable file, or an https address",
				rootOf(err))
		}
		o.JWKS = set
	}
	return gate.New(o)
}

// advise lets the configured planner order and annotate a plan. Changes of the same object keep
// their order.
func (a *App) advise(ctx context.Context, kept *change.Kept) error {
	values, err := a.sending.settings.Read(ctx)
	if err != nil {
		return err
	}
	p := planner.FromSettings(values, a.sending.guard)
	defer p.Close()
	resources := make([]posture.Resource, 0, len(kept.Steps))
	for _, s := range kept.Steps {
		resources = append(resources, s.Change.Resource)
	}
	refs := planner.Redact(resources)
	items := make([]planner.Item, 0, len(kept.Steps))
	last := map[string]string{} // by place: the id of the preceding change there
	for i, s := range kept.Steps {
		c := s.Change
		item := planner.Item{ID: c.ID, CheckID: c.CheckID, Severity: c.Severity, Risk: c.Risk, Reversible: c.Reversible,
			RemovesPaths: len(c.RemovesPathIDs), Ref: refs[i]}
		if before := last[s.Edit.Place.Path]; before != "" {
			item.After = []string{before}
		}
		last[s.Edit.Place.Path] = c.ID
		items = append(items, item)
	}
	advice := p.Advise(ctx, items)
	remedy.Arrange(kept, advice.Order, advice.Notes)
	kept.Plan.AI = change.Advice{Used: advice.Used, Provider: advice.Provider, Note: advice.Note}
	if sent := p.Preview(items); json.Valid(sent) {
		kept.Plan.AI.Sent = sent
	}
	return nil
}
