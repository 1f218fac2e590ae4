package assess

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// walk makes every promise of the plan. Pre-flight reads come first, so that a
// provider that cannot be reached is reported after seconds.
func (c *collector) walk() ([]snapshot.Zone, error) {
	target := snapshot.SourceScope{AccountID: c.account}
	var first []*promise
	for _, name := range c.beginning() {
		first = append(first, c.need(c.byName[name], target))
	}
	if err := c.await(first...); err != nil {
		return nil, err
	}
	if c.baseline != nil {
		c.notCarried = c.baseline.learn(c.known, c.account)
	}
	if silent(first) {
		return nil, fmt.Errorf("%w: %s", errProvider, first[len(first)-1].section.Reason)
	}
	if err := c.stillSilent(); err != nil {
		return nil, err
	}
	zones, err := c.zones()
	if err != nil {
		return nil, err
	}
	var zonal []snapshot.Source
	for _, s := range c.sources {
		switch {
		case s.Level() == snapshot.LevelZone || snapshot.InZone(s.Name):
			zonal = append(zonal, s)
		case s.Level() == snapshot.LevelItem:
			c.spawn(func() error { return c.items(s, target) })
		default:
			c.need(s, target)
		}
	}
	c.spawn(func() error { return c.everyZone(zones, zonal) })
	return zones, nil
}

// zonesAtOnce bounds the zones whose reads wait for slots at the same time: each waiting zone takes
// memory, and a few zones keep every slot busy.
const zonesAtOnce = 24

// everyZone makes the promises of the zones, starting a zone as others are done.
func (c *collector) everyZone(zones []snapshot.Zone, sources []snapshot.Source) error {
	for _, s := range sources {
		if s.Level() == snapshot.LevelZone {
			c.total.Add(int64(len(zones)))
		}
	}
	first := ""
	if len(zones) > 0 {
		first = zones[0].ID
	}
	room := make(chan struct{}, zonesAtOnce)
	for _, z := range zones {
		select {
		case room <- struct{}{}:
		case <-c.halt:
			return errLost
		case <-c.ctx.Done():
			return c.ctx.Err()
		}
		c.spawn(func() error {
			defer func() { <-room }()
			return c.zone(snapshot.SourceScope{AccountID: c.account, Zone: z, First: first}, sources)
		})
	}
	return nil
}

// zone makes the promises of one zone and waits until they are settled.
func (c *collector) zone(target snapshot.SourceScope, sources []snapshot.Source) error {
	var all []*promise
	for _, s := range sources {
		if s.Level() == snapshot.LevelZone {
			all = append(all, c.need(s, target))
		}
	}
	var lists errgroup.Group
	for _, s := range sources {
		if s.Level() != snapshot.LevelZone {
			lists.Go(func() error {
				if err := c.items(s, target); !errors.Is(err, errLost) {
					return err
				}
				return nil
			})
		}
	}
	for _, p := range all {
		<-p.settled
	}
	return lists.Wait()
}

// beginning names what is read before anything else. What is carried forward depends on the audit log,
// and the account itself may be carried.
func (c *collector) beginning() []string {
	if c.baseline == nil {
		return preflight()
	}
	names := slices.DeleteFunc(preflight(), func(name string) bool { return name == snapshot.AccountList.Source() })
	return append(names, snapshot.AccountAuditChanges.Source())
}

// silent reports whether not one pre-flight read got a usable answer.
func silent(first []*promise) bool {
	return !slices.ContainsFunc(first, func(p *promise) bool { return p.section.Status != snapshot.Failed })
}

// zones applies the request's zone patterns to the zone list, once that is known. When the list could not
// be read there are no zones in scope and the checks are UNKNOWN. Every list of items asks, so the choice is
// kept.
func (c *collector) zones() ([]snapshot.Zone, error) {
	if kept := c.chosen.Load(); kept != nil {
		return kept.zones, kept.err
	}
	all, ok := snapshot.Cached(c.known, snapshot.ZoneList, c.account)
	if !ok {
		return nil, nil
	}
	zones, err := ChooseZones(c.req, all)
	c.chosen.Store(&chosen{zones, err})
	return zones, err
}

// items makes the promises of a per-item source once its lists, of the account or of one zone, are
// known, and waits for them.
func (c *collector) items(s snapshot.Source, target snapshot.SourceScope) error {
	first := append(c.before(s, target), c.need(c.byName[s.Parent], target))
	if err := c.await(first...); err != nil {
		return err
	}
	scope := target.AccountID
	if target.Zone.ID != "" {
		scope = target.Zone.ID
	}
	var all []*promise
	for _, id := range s.Items(c.known, scope) {
		target.Item = id
		all = append(all, c.need(s, target))
	}
	return c.await(all...)
}

// before makes the promises of the sections that a source looks at. A source of the account that looks
// at a zone source looks at that of every zone in scope.
func (c *collector) before(s snapshot.Source, t snapshot.SourceScope) []*promise {
	var out []*promise
	if zones, _ := c.zones(); s.Leads && len(zones) > 0 && t.First == zones[0].ID && t.Zone.ID != t.First {
		out = append(out, c.need(s, snapshot.SourceScope{AccountID: t.AccountID, Zone: zones[0], First: t.First}))
	}
	for _, name := range s.After {
		after := c.byName[name]
		if after.Level() != snapshot.LevelZone || t.Zone.ID != "" {
			out = append(out, c.need(after, t))
			continue
		}
		// An invalid choice of zones ends the run elsewhere, with its reason.
		zones, _ := c.zones()
		for _, z := range zones {
			out = append(out, c.need(after, snapshot.SourceScope{AccountID: t.AccountID, Zone: z}))
		}
	}
	return out
}
