package cloudflare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Source is one read as data. Use object or list to make one.
type Source struct {
	// Name is the snapshot key, such as "zone/dnssec".
	Name string
	// Path holds {account_id}, {zone_id} and {item}; a query may follow.
	Path   string
	Paging Paging
	// Permission is the group the token needs, as the provider names it.
	Permission string
	// Plans limits a zone source to plans (plan.legacy_id); empty means any.
	Plans []string
	// Parent lists the items a per-item source is read for.
	Parent string
	// After names sources whose sections Skip, Items or Fill look at.
	After []string
	// Skip gives the reason why the call is not needed, or "".
	Skip func(*Known, Target) string
	// Items gives the item ids a per-item source is read for; its scope is the
	// account id, or the zone id when the parent is a zone source.
	Items func(*Known, string) []string
	// Fill gives further path variables, such as {token_id}.
	Fill func(*Known, Target) map[string]string
	// Header gives request headers; several mean one read each, joined.
	Headers func(*Known, Target) []http.Header
	// More names further paths whose pages are joined to those of Path.
	More []string
	// Live marks what changes although nobody changes it, such as the health of a
	// tunnel or who uses a device: the audit log does not tell.
	Live bool
	// Window is how far back a log is read; {since} and {before} in a path are
	// its ends.
	Window time.Duration
	// MaxPages ends a list early; 0 means never.
	MaxPages int
	// Enough ends a list as soon as the pages read so far settle the question.
	Enough func(k *Known, t Target, pages []json.RawMessage) bool
	// Fallback reads in another way after the first was refused.
	Fallback func(ctx context.Context, c *Client, t Target, cause error) (json.RawMessage, error)
	// Offline marks a source that is read only when names are not looked up:
	// a look-up tells the same and costs no request.
	Offline bool
	// Feeds marks sources the graph and the attack paths need.
	Feeds bool
	// Example is a result of the provider, for tests and documentation.
	Example string

	// MayBeEmpty says that an object without members is an answer: nothing was
	// ever set up.
	MayBeEmpty bool
	// listed says that the result is a list.
	listed bool
	// reduce turns one page into its stored form, join the pages into one.
	reduce func(page json.RawMessage) (json.RawMessage, error)
	join   func(pages []json.RawMessage) (json.RawMessage, error)
	// narrow replaces reduce where what is kept depends on earlier sections.
	narrow func(*Known, Target) func(page json.RawMessage) (json.RawMessage, error)
}

// Level is the level of the source's scope.
func (s Source) Level() snapshot.Level { return snapshot.LevelOf(s.Name) }

// Target says what a source is read for.
type Target struct {
	AccountID string
	Zone      snapshot.Zone
	Item      string
}

// Scope is the scope id of the section a source gets for the target.
func (s Source) Scope(t Target) string {
	switch s.Level() {
	case snapshot.LevelUser:
		return snapshot.UserScope
	case snapshot.LevelZone:
		return t.Zone.ID
	case snapshot.LevelItem:
		if snapshot.InZone(s.Name) {
			return t.Zone.ID + "/" + t.Item
		}
		return t.Item
	default:
		return t.AccountID
	}
}

// Known gives a source the sections that were read before it. A section that is there
// must stay as it is: one of the account, which every zone looks at, is decoded once.
type Known struct {
	section func(source, scope string) (snapshot.Section, bool)
	decoded sync.Map // source and scope → value
}

// NewKnown wraps a look-up of finished sections.
func NewKnown(section func(source, scope string) (snapshot.Section, bool)) *Known {
	return &Known{section: section}
}

// Peek decodes an earlier section; ok is false unless it was read completely. The value
// is shared: callers must not change it.
func Peek[T any](k *Known, key snapshot.Key[T], scope string) (value T, ok bool) {
	name := [2]string{key.Source(), scope}
	if known, found := k.decoded.Load(name); found {
		value, ok = known.(T)
		return value, ok
	}
	sec, found := k.section(key.Source(), scope)
	if !found || sec.Status != snapshot.OK || json.Unmarshal(sec.Value, &value) != nil {
		return value, false
	}
	if snapshot.LevelOf(key.Source()) != snapshot.LevelZone {
		k.decoded.Store(name, value)
	}
	return value, true
}

// Status tells how an earlier read ended; Failed when there was none.
func (k *Known) Status(source snapshot.Named, scope string) snapshot.Status {
	if sec, found := k.section(source.Source(), scope); found {
		return sec.Status
	}
	return snapshot.Failed
}

// Read performs the read of s for t and gives its section. The error is only
// that of ctx, of the checkpoint or a *GateError: everything the provider can do
// wrong is a status. A nil checkpoint keeps nothing.
func (c *Client) Read(ctx context.Context, s Source, t Target, known *Known, cp Checkpoint) (sec snapshot.Section, err error) {
	if cp == nil {
		cp = noCheckpoint{}
	}
	ctx = reading(ctx, s.Name)
	sec = snapshot.Section{Source: s.Name, Scope: s.Scope(t), Permission: s.Permission}
	if reason := s.SkipReason(known, t); reason != "" {
		sec.Status, sec.Reason, sec.Permission = snapshot.Skipped, reason, ""
		return sec, nil
	}
	ctx, end := c.begin(ctx)
	defer func() { end(s.Name, t.Zone.ID, sectionStatus(sec, err)) }()
	pages, err := c.pages(ctx, s, t, known, cp)
	var unsaved *checkpointError
	if errors.As(err, &unsaved) {
		return sec, unsaved.err
	}
	var closed *GateError
	if err != nil && s.Fallback != nil && ctx.Err() == nil && !errors.As(err, &closed) {
		page, fallbackErr := s.Fallback(ctx, c, t, err)
		if fallbackErr == nil {
			var reduced json.RawMessage
			reduced, err = s.reduce(page)
			pages = []json.RawMessage{reduced}
		} else if errors.As(fallbackErr, &closed) || Unanswered(fallbackErr) != nil {
			err = fallbackErr
		}
	}
	if ctxErr := ctx.Err(); ctxErr != nil {
		return sec, ctxErr
	}
	if errors.As(err, &closed) {
		return sec, closed
	}
	if err == nil {
		sec.Value, err = s.join(pages)
	}
	if err != nil {
		o := classify(err)
		sec.Status, sec.Code, sec.Reason, sec.Value, sec.Unanswered = o.status, o.code, o.reason, nil, Unanswered(err)
		if o.status != snapshot.Denied {
			sec.Permission = ""
		}
		return sec, nil
	}
	sec.Status, sec.Permission = snapshot.OK, ""
	return sec, nil
}

// SkipReason tells why the read is not needed, or "".
func (s Source) SkipReason(known *Known, t Target) string {
	if len(s.Plans) > 0 && s.Level() == snapshot.LevelZone && !slices.Contains(s.Plans, t.Zone.Plan) {
		return "the plan of the zone is " + t.Zone.Plan
	}
	if s.Skip != nil {
		return s.Skip(known, t)
	}
	return ""
}

// object makes a source whose result is one object of the wire type W, stored
// as the shape T. Null counts as the zero W.
func object[W, T any](key snapshot.Key[T], s Source, reduce func(W) T) Source {
	s.Name = key.Source()
	s.reduce = func(page json.RawMessage) (json.RawMessage, error) {
		var w W
		if err := decodeInto(page, &w, s.Name); err != nil {
			return nil, err
		}
		return snapshot.Canonical(reduce(w))
	}
	s.join = func(pages []json.RawMessage) (json.RawMessage, error) { return pages[0], nil }
	return s
}

type sortable interface{ SortKey() string }

// list makes a source whose result is a list of the wire type W, stored as a
// list of T in the order of SortKey and without duplicates: a page that shifts
// underneath may give an item twice.
func list[W any, T sortable](key snapshot.Key[[]T], s Source, reduce func(W) T) Source {
	return nested(key, s, func(page []W) []W { return page }, reduce)
}

// nested is list for a result that holds its items somewhere inside the page P.
func nested[P, W any, T sortable](key snapshot.Key[[]T], s Source, items func(P) []W, reduce func(W) T) Source {
	s.Name = key.Source()
	s.reduce = func(page json.RawMessage) (json.RawMessage, error) {
		var p P
		if err := decodeInto(page, &p, s.Name); err != nil {
			return nil, err
		}
		out := []T{}
		for _, w := range items(p) {
			item := reduce(w)
			if item.SortKey() == "" {
				return nil, fmt.Errorf("decode %s: an item has no id", s.Name)
			}
			out = append(out, item)
		}
		return snapshot.Canonical(out)
	}
	s.listed = true
	s.join = func(pages []json.RawMessage) (json.RawMessage, error) {
		out := []T{}
		for _, page := range pages {
			var part []T
			if err := decodeInto(page, &part, s.Name); err != nil {
				return nil, err
			}
			out = append(out, part...)
		}
		slices.SortFunc(out, func(a, b T) int { return strings.Compare(a.SortKey(), b.SortKey()) })
		out = slices.CompactFunc(out, func(a, b T) bool { return a.SortKey() == b.SortKey() })
		return snapshot.Canonical(out)
	}
	return s
}

func decodeInto(raw json.RawMessage, into any, name string) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("decode %s: %w", name, err)
	}
	return nil
}

// Decode turns the result of a page into the stored form; for tests.
func (s Source) Decode(page json.RawMessage) (json.RawMessage, error) {
	part, err := s.reduce(page)
	if err != nil {
		return nil, err
	}
	return s.join([]json.RawMessage{part})
}

// Listed tells whether the result is a list of items.
func (s Source) Listed() bool { return s.listed }
