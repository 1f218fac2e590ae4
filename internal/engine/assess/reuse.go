package assess

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

const (
	// reuseAtMost is the age at which a section is read again although the audit log shows no change:
	// some products write no entries.
	reuseAtMost = 24 * time.Hour
	// reuseVolatileAtMost is that age for data that changes without anybody changing it.
	reuseVolatileAtMost = time.Hour
	// auditLogDelay is how far an entry of the audit log may lie before a read and still count as after
	// it: clocks differ, and a read takes time.
	auditLogDelay = 5 * time.Minute
	// baselineRuns is how many earlier runs are searched for sections.
	baselineRuns = 3
	// fullLog is a number of changes from which the log may have been cut off before the first one that
	// matters.
	fullLog = 900
)

// baseline is what earlier runs of the account read and a new one may carry forward. A nil baseline
// carries nothing.
type baseline struct {
	now      time.Time
	sections map[sectionKey]snapshot.Section // each with the instant at which it was read
	touched  *touched                        // nil until the audit log has been read
}

// touched records when something was last changed, according to the audit log. A change in a zone
// counts for the account's own sections too, and one in the account counts for all zones unless its
// product is known to exist outside of zones.
type touched struct {
	everything time.Time
	account    time.Time
	zones      map[string]time.Time
}

// earlier gathers what the last runs of the account read with the same catalogue and token, each
// section from the run that read it last. The reason says why there is nothing to reuse.
func (r *Runner) earlier(ctx context.Context, run Run) (_ *baseline, reason string, err error) {
	if run.OwnerID == "" {
		return nil, "a one-off token has no earlier run", nil
	}
	b := &baseline{now: r.o.Now(), sections: map[sectionKey]snapshot.Section{}}
	since := b.now.Add(-reuseAtMost)
	rows, _, err := r.o.Store.Assessments(ctx, store.AssessmentFilter{Account: run.OwnerID, Since: since}, store.Page{Limit: baselineRuns})
	if err != nil {
		return nil, "", fmt.Errorf("look for earlier runs: %w", err)
	}
	var listed *snapshot.Section
	for _, a := range rows {
		if a.CatalogueVersion != r.o.CatalogueVersion || a.Account.ID != run.Account.ID || a.StartedAt.Before(run.TokenAt) {
			continue
		}
		sections, err := r.o.Store.Sections(ctx, a.JobID)
		if err != nil {
			return nil, "", fmt.Errorf("load what an earlier run read: %w", err)
		}
		zones := slices.IndexFunc(sections, func(s snapshot.Section) bool { return s.Source == snapshot.ZoneList.Source() })
		switch {
		case zones < 0:
			continue
		case listed == nil:
			listed = &sections[zones]
		case !bytes.Equal(listed.Value, sections[zones].Value):
			continue // the zones differed then, which learn would not see
		}
		for _, s := range sections {
			if s.ReadAt.IsZero() {
				s.ReadAt = a.StartedAt // no read of the run was earlier
			}
			key := sectionKey{s.Source, s.Scope}
			if have, known := b.sections[key]; !known || s.ReadAt.After(have.ReadAt) {
				b.sections[key] = s
			}
		}
	}
	if len(b.sections) == 0 {
		return nil, "no run of the last 24 hours with this token and catalogue is there to reuse from", nil
	}
	return b, "", nil
}

// learn reads from the audit log what was changed. Without a log that reaches back to the oldest
// section nothing is carried, for the returned reason.
func (b *baseline) learn(k *snapshot.Known, account string) (reason string) {
	changes, ok := snapshot.Cached(k, snapshot.AccountAuditChanges, account)
	if !ok {
		return "the audit log of the account could not be read"
	}
	zones, ok := snapshot.Cached(k, snapshot.ZoneList, account)
	if !ok {
		return "the list of zones could not be read"
	}
	t := &touched{zones: map[string]time.Time{}}
	for _, c := range changes {
		t.add(c)
	}
	if len(changes) >= fullLog && !slices.ContainsFunc(changes,
		func(c snapshot.AuditedChange) bool { return c.Time.Before(b.now.Add(-reuseAtMost - auditLogDelay)) }) {
		return "more was changed lately than the audit log shows at once"
	}
	t.compare(b, account, zones)
	b.touched = t
	return ""
}

func (t *touched) add(c snapshot.AuditedChange) {
	at := c.Time.Time
	switch {
	case c.ZoneID != "":
		t.zones[c.ZoneID] = latest(t.zones[c.ZoneID], at)
		t.account = latest(t.account, at)
	case outsideZones(c.Product):
		t.account = latest(t.account, at)
	default:
		t.everything = latest(t.everything, at)
	}
}

// compare treats a zone whose list entry differs, such as one with another plan, as changed now: orders
// need not be in the log.
func (t *touched) compare(b *baseline, account string, zones []snapshot.Zone) {
	before, ok := snapshot.Cached(snapshot.NewKnown(func(source, scope string) (snapshot.Section, bool) {
		s, known := b.sections[sectionKey{source, scope}]
		return s, known
	}), snapshot.ZoneList, account)
	if !ok {
		t.everything = b.now
		return
	}
	for _, z := range zones {
		if !slices.ContainsFunc(before, func(was snapshot.Zone) bool { return reflect.DeepEqual(was, z) }) {
			t.zones[z.ID], t.account = b.now, b.now
		}
	}
	if len(zones) < len(before) {
		t.account = b.now
	}
}

// reuse returns the section that an earlier run read, if nothing is known that could have changed it
// since: it is young enough, no entry of the audit log is later, and the sections it depends on are
// unchanged.
func (b *baseline) reuse(s snapshot.Source, t snapshot.SourceScope, before []*promise) (snapshot.Section, bool) {
	if b == nil || b.touched == nil {
		return snapshot.Section{}, false
	}
	sec, known := b.sections[sectionKey{s.Name, s.Scope(t)}]
	if !known || s.Window > 0 && !s.Volatile || sec.Status != snapshot.OK && sec.Status != snapshot.Absent &&
		sec.Status != snapshot.NotEntitled {
		return snapshot.Section{}, false
	}
	most := reuseAtMost
	if s.Volatile {
		most = reuseVolatileAtMost
	}
	if b.now.Sub(sec.ReadAt) > most || !b.touched.before(s, t, sec.ReadAt.Add(-auditLogDelay)) {
		return snapshot.Section{}, false
	}
	if s.Lacks(sec, t.Zone) {
		return snapshot.Section{}, false
	}
	for _, p := range before {
		was, known := b.sections[sectionKey{p.section.Source, p.section.Scope}]
		if !known || was.Status != p.section.Status || string(was.Value) != string(p.section.Value) {
			return snapshot.Section{}, false
		}
	}
	return sec, true
}

// before reports whether every change that may concern the section was made before at.
func (t *touched) before(s snapshot.Source, target snapshot.SourceScope, at time.Time) bool {
	changed := latest(t.everything, t.account)
	if s.Level() == snapshot.LevelZone || snapshot.InZone(s.Name) {
		changed = latest(t.everything, t.zones[target.Zone.ID])
	}
	return changed.Before(at)
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// outsideZones reports whether a product's changes show in the account's own sections and in no zone.
// The audit log has no fixed list of product names, so an unknown product counts for all zones.
func outsideZones(product string) bool {
	return slices.Contains([]string{"access", "identity providers", "service tokens", "members", "roles", "account members", "user groups",
		"sso", "sso connectors", "tokens", "api tokens", "account tokens", "gateway", "devices", "device posture", "teamnet", "tunnels",
		"cfd tunnel", "cloudflare tunnel", "warp connector", "dlp", "casb",
		"r2", "kv", "workers kv", "d1", "queues", "hyperdrive", "ai gateway", "vectorize", "pages", "alerting", "notifications", "turnstile",
		"email security", "magic",
		"magic transit", "magic wan"}, snapshot.ProductWords(product))
}
