package cloudflare

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Read reads source s for t and returns its section. The error is only that of ctx or of the
// checkpoint, or a *GateError: everything that the provider can do wrong becomes a status. A nil
// checkpoint stores nothing.
func (c *Client) Read(ctx context.Context, s snapshot.Source, t snapshot.SourceScope, known *snapshot.Known,
	cp Checkpoint) (sec snapshot.Section, err error) {
	if cp == nil {
		cp = noCheckpoint{}
	}
	ctx = reading(ctx, s.Name)
	sec = snapshot.Section{Source: s.Name, Scope: s.Scope(t), Permission: s.Permission}
	if reason := s.SkipReason(known, t); reason != "" {
		sec.Status, sec.Reason, sec.Permission = snapshot.Skipped, reason, ""
		return sec, nil
	}
	if reason := s.LeftOutReason(known, t); reason != "" {
		sec.Status, sec.Reason, sec.Permission = snapshot.LeftOut, reason, ""
		return sec, nil
	}
	ctx, end := c.begin(ctx)
	defer func() { end(s.Name, t.Zone.ID, sectionStatus(sec, err)) }()
	var pages []json.RawMessage
	if earlier, ok := c.retired.Load(s.Name); ok {
		err, _ = earlier.(error)
	} else if !s.Ends.IsZero() && !c.now().Before(s.Ends) {
		err = &APIError{Status: http.StatusGone, Path: bare(s.Path)}
	} else {
		pages, err = c.pages(ctx, s, t, known, cp)
	}
	if unsaved, ok := errors.AsType[*checkpointError](err); ok {
		return sec, unsaved.err
	}
	var closed *GateError
	if err != nil && s.Singly != nil && ctx.Err() == nil && !errors.As(err, &closed) {
		if retired(err) {
			c.retired.Store(s.Name, err) // the next zone need not ask again
		}
		list, singlyErr := c.singly(ctx, s, t, known, err)
		if singlyErr == nil {
			var reduced json.RawMessage
			reduced, err = s.Reducer(known, t)(list)
			pages = []json.RawMessage{reduced}
		} else if retired(err) || errors.As(singlyErr, &closed) || Unanswered(singlyErr) != nil {
			err = singlyErr
		}
	}
	if ctxErr := ctx.Err(); ctxErr != nil {
		return sec, ctxErr
	}
	if errors.As(err, &closed) {
		return sec, closed
	}
	if err == nil {
		sec.Value, err = s.Join(pages)
	}
	if err != nil {
		o := classify(err)
		if o.status == snapshot.Denied && s.Level() == snapshot.LevelUser && known.Status(snapshot.AccountTokenVerify,
			t.AccountID) == snapshot.OK {
			o.status, o.reason = snapshot.NeedsUserToken, needsUserToken(bare(s.Path))
		}
		sec.Status, sec.Code, sec.Reason, sec.Value, sec.Unanswered = o.status, o.code, o.reason, nil, Unanswered(err)
		if o.status != snapshot.Denied || o.badToken {
			sec.Permission = ""
		}
		return sec, nil
	}
	sec.Status, sec.Permission = snapshot.OK, ""
	return sec, nil
}

// singly reads the items of a list one by one after the list failed with cause. Items that are not
// requested are marked.
func (c *Client) singly(ctx context.Context, s snapshot.Source, t snapshot.SourceScope, known *snapshot.Known,
	cause error) (json.RawMessage, error) {
	if o := classify(cause); !retired(cause) && (o.status == snapshot.Denied || o.status == snapshot.Failed && o.code == 0) {
		return nil, cause
	}
	var got []json.RawMessage
	bytes := 0
	for _, item := range s.Singly {
		if !item.For(t.Zone, retired(cause)) {
			got = append(got, item.LeftOut())
			continue
		}
		raw, _, err := c.Get(ctx, fill(s, item.Path, known, t, c.now()), nil)
		switch {
		case err == nil:
			if bytes += len(raw); bytes > maxBody {
				return nil, incomplete("the items of the list are larger than %d bytes", maxBody)
			}
			got = append(got, raw)
		case classify(err).status == snapshot.NotEntitled || classify(err).status == snapshot.Absent:
			// An item that the plan does not include is left out, as in the list.
		default:
			return nil, err
		}
	}
	return json.Marshal(got)
}
