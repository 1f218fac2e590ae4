package cloudflare

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// checkpointError is a page that could not be stored: a failure of the service, not of the provider.
type checkpointError struct{ err error }

func (e *checkpointError) Error() string { return e.err.Error() }

// variant is one of several reads that are joined into a section.
type variant struct {
	path   string
	header http.Header
	// optional is a variant that the account may not have, such as a jurisdiction.
	optional bool
}

func variants(s snapshot.Source, known *snapshot.Known, t snapshot.SourceScope, now time.Time) []variant {
	headers := []map[string][]string{nil}
	if s.Headers != nil {
		headers = s.Headers(known, t)
	}
	var out []variant
	for _, path := range append([]string{s.Path}, s.More...) {
		for i, h := range headers {
			out = append(out, variant{path: fill(s, path, known, t, now), header: h, optional: i > 0})
		}
	}
	return out
}

// settled reports whether the pages read so far already answer the question.
func settled(s snapshot.Source, known *snapshot.Known, t snapshot.SourceScope, pages []json.RawMessage) bool {
	return s.MaxPages > 0 && len(pages) >= s.MaxPages || s.Enough != nil && s.Enough(known, t, pages)
}

// pages reads all pages of all variants, and takes pages that were read before from the checkpoint.
func (c *Client) pages(ctx context.Context, s snapshot.Source, t snapshot.SourceScope, known *snapshot.Known,
	cp Checkpoint) ([]json.RawMessage, error) {
	reduce := s.Reducer(known, t)
	reads := variants(s, known, t, c.now())
	var all []json.RawMessage
	for i, v := range reads {
		p := &pager{client: c, paging: s.Paging, path: v.path, header: v.header, reduce: reduce, listed: s.Listed(), mayBeEmpty: s.MayBeEmpty,
			seen: map[string]bool{}, marks: map[string]bool{}, whole: s.MaxPages == 0 && s.Enough == nil}
		for last := false; !last; {
			part, have := cp.Load(len(all))
			if !have {
				var err error
				part, err = p.read(ctx)
				if err != nil && (!v.optional || classify(err).status == snapshot.Failed) {
					return nil, err
				}
				if err != nil || settled(s, known, t, append(all, part.Value)) {
					part.Last = true
				}
				if !part.Last || i < len(reads)-1 {
					if err := cp.Save(ctx, len(all), part); err != nil {
						return nil, &checkpointError{err}
					}
				}
			}
			all, last = append(all, part.Value), part.Last
			if err := p.advance(part); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// fill replaces the variables of a path. A window ends at the next full second, because otherwise
// what happens in the current one would be in no run's log.
func fill(s snapshot.Source, path string, known *snapshot.Known, t snapshot.SourceScope, now time.Time) string {
	stamp := func(at time.Time) string { return url.QueryEscape(at.UTC().Format(time.RFC3339)) }
	var pairs []string // the first of two values for one variable counts
	if s.Fill != nil {
		for k, v := range s.Fill(known, t) {
			pairs = append(pairs, "{"+k+"}", url.PathEscape(v))
		}
	}
	pairs = append(pairs, "{since}", stamp(now.Add(-s.Window)), "{before}", stamp(now.Add(time.Second)), "{account_id}",
		url.PathEscape(t.AccountID), "{zone_id}", url.PathEscape(t.Zone.ID), "{item}", url.PathEscape(t.Item))
	return strings.NewReplacer(pairs...).Replace(path)
}
