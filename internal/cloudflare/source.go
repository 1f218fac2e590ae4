package cloudflare

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/snapshot"
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
	// Items gives the item ids a per-item source is read for.
	Items func(*Known, string) []string
	// Fill gives further path variables, such as {token_id}.
	Fill func(*Known, Target) map[string]string
	// Header gives request headers; several mean one read each, joined.
	Headers func(*Known, Target) []http.Header
	// Fallback reads in another way after the first was refused.
	Fallback func(ctx context.Context, c *Client, t Target, cause error) ([]json.RawMessage, error)
	// Feeds marks sources the graph and the attack paths need.
	Feeds bool
	// Example is a result of the provider, for tests and documentation.
	Example string

	decode func(pages []json.RawMessage) (json.RawMessage, error)
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
		return t.Item
	default:
		return t.AccountID
	}
}

// Known gives a source the sections that were read before it.
type Known struct {
	section func(source, scope string) (snapshot.Section, bool)
}

// NewKnown wraps a look-up of finished sections.
func NewKnown(section func(source, scope string) (snapshot.Section, bool)) *Known {
	return &Known{section: section}
}

// Peek decodes an earlier section; ok is false unless it was read completely.
func Peek[T any](k *Known, key snapshot.Key[T], scope string) (value T, ok bool) {
	sec, found := k.section(key.Source(), scope)
	if !found || sec.Status != snapshot.OK || json.Unmarshal(sec.Value, &value) != nil {
		return value, false
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
// that of ctx: everything the provider can do wrong is a status.
func (c *Client) Read(ctx context.Context, s Source, t Target, known *Known) (snapshot.Section, error) {
	sec := snapshot.Section{Source: s.Name, Scope: s.Scope(t), Permission: s.Permission}
	if reason := s.skipReason(known, t); reason != "" {
		sec.Status, sec.Reason, sec.Permission = snapshot.Skipped, reason, ""
		return sec, nil
	}
	pages, err := c.pages(ctx, s, t, known)
	if err != nil && s.Fallback != nil && ctx.Err() == nil {
		if again, fallbackErr := s.Fallback(ctx, c, t, err); fallbackErr == nil {
			pages, err = again, nil
		}
	}
	if ctxErr := ctx.Err(); ctxErr != nil {
		return sec, ctxErr
	}
	if err == nil {
		sec.Value, err = s.decode(pages)
	}
	if err != nil {
		o := classify(err)
		sec.Status, sec.Code, sec.Reason, sec.Value = o.status, o.code, o.reason, nil
		if o.status != snapshot.Denied {
			sec.Permission = ""
		}
		return sec, nil
	}
	sec.Status, sec.Permission = snapshot.OK, ""
	return sec, nil
}

func (s Source) skipReason(known *Known, t Target) string {
	if len(s.Plans) > 0 && s.Level() == snapshot.LevelZone && !slices.Contains(s.Plans, t.Zone.Plan) {
		return "the plan of the zone is " + t.Zone.Plan
	}
	if s.Skip != nil {
		return s.Skip(known, t)
	}
	return ""
}

func (c *Client) pages(ctx context.Context, s Source, t Target, known *Known) ([]json.RawMessage, error) {
	path := s.path(known, t)
	headers := []http.Header{nil}
	if s.Headers != nil {
		headers = s.Headers(known, t)
	}
	var all []json.RawMessage
	for i, h := range headers {
		pages, err := c.read(ctx, path, s.Paging, h)
		if err != nil && i > 0 && classify(err).status != snapshot.Failed {
			continue // a further variant, such as another jurisdiction, the account does not have
		}
		if err != nil {
			return nil, err
		}
		all = append(all, pages...)
	}
	return all, nil
}

func (c *Client) read(ctx context.Context, path string, p Paging, h http.Header) ([]json.RawMessage, error) {
	if p.Kind == Single {
		result, _, err := c.Get(ctx, path, h)
		if err != nil {
			return nil, err
		}
		return []json.RawMessage{result}, nil
	}
	return c.list(ctx, path, p, h)
}

func (s Source) path(known *Known, t Target) string {
	pairs := []string{"{account_id}", url.PathEscape(t.AccountID), "{zone_id}", url.PathEscape(t.Zone.ID), "{item}", url.PathEscape(t.Item)}
	if s.Fill != nil {
		for k, v := range s.Fill(known, t) {
			pairs = append(pairs, "{"+k+"}", url.PathEscape(v))
		}
	}
	return strings.NewReplacer(pairs...).Replace(s.Path)
}

// object makes a source whose result is one object of the wire type W, stored
// as the shape T. Null counts as the zero W.
func object[W, T any](key snapshot.Key[T], s Source, reduce func(W) T) Source {
	s.Name = key.Source()
	s.decode = func(pages []json.RawMessage) (json.RawMessage, error) {
		var w W
		if len(pages) > 0 {
			if err := decodeInto(pages[0], &w, s.Name); err != nil {
				return nil, err
			}
		}
		return snapshot.Canonical(reduce(w))
	}
	return s
}

type sortable interface{ SortKey() string }

// list makes a source whose result is a list of the wire type W, stored as a
// list of T in the order of SortKey and without duplicates: a page that shifts
// underneath may give an item twice.
func list[W any, T sortable](key snapshot.Key[[]T], s Source, reduce func(W) T) Source {
	s.Name = key.Source()
	s.decode = func(pages []json.RawMessage) (json.RawMessage, error) {
		out := []T{}
		for _, p := range pages {
			var ws []W
			if err := decodeInto(p, &ws, s.Name); err != nil {
				return nil, err
			}
			for _, w := range ws {
				out = append(out, reduce(w))
			}
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

// Decode turns the result of one page into the stored form; for tests.
func (s Source) Decode(pages ...json.RawMessage) (json.RawMessage, error) { return s.decode(pages) }
