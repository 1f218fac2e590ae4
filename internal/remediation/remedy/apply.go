package remedy

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

// Fresh verifies that the live values are still those that a plan was made from; the
// *posture.Problem plan_stale names what changed. now is a plan that was just made from the same
// request.
func Fresh(planned []change.Step, now change.Kept) error {
	live := make(map[string]string, len(now.Steps))
	for _, s := range now.Steps {
		live[s.Change.ID] = change.Fingerprint(s.Edit)
	}
	var moved []posture.FieldError
	for _, s := range planned {
		if live[s.Change.ID] != change.Fingerprint(s.Edit) {
			moved = append(moved, posture.FieldError{Location: "changes." + s.Change.ID, Message: s.Change.CheckID + " on " +
				s.Change.Resource.Name + ": the live value is no longer the one in the plan"})
		}
	}
	if len(moved) == 0 {
		return nil
	}
	p := posture.Problemf(posture.CodePlanStale, "Nothing was changed, because %d of %d live values moved since the plan was made; make a "+
		"new plan and look at it again.", len(moved), len(planned))
	p.Errors = moved
	return p
}

// Entries converts steps to the entries of a bundle, all pending. Changes of high risk are skipped
// unless forced.
func Entries(steps []change.Step, force bool) []change.BundleStep {
	out := make([]change.BundleStep, 0, len(steps))
	for _, s := range steps {
		entry := change.BundleStep{Step: s, Status: change.Pending}
		if s.Change.Risk == change.High && !force {
			entry.Status, entry.Reason = change.Skip, "The change is of high risk; read its caution, then force it to make it (force, or --force)."
		}
		out = append(out, entry)
	}
	return out
}

// Apply makes the pending changes of a bundle in order and stops at the first that fails. A bundle
// that a killed process left behind must go through Look first. It returns the bundle as it was
// last stored; the error is a problem, or that of ctx or of Keep.
func (e *Engine) Apply(ctx context.Context, r Request, b change.Bundle) (change.Bundle, error) {
	b.State = change.StateOpen
	if err := e.Keep(ctx, b); err != nil {
		return b, err
	}
	for i := range b.Entries {
		e.progress("apply", i, len(b.Entries))
		if b.Count(change.Failed, change.Restored, change.Unknown) > 0 {
			skipRest(&b)
			break
		}
		if b.Entries[i].Status != change.Pending {
			continue
		}
		if err := ctx.Err(); err != nil {
			return b, errors.Join(err, e.settle(ctx, &b))
		}
		if err := e.one(ctx, r, &b, i); err != nil {
			return b, errors.Join(err, e.settle(ctx, &b))
		}
		if b.Entries[i].Status == change.Skip {
			skipRest(&b)
		}
	}
	e.progress("apply", len(b.Entries), len(b.Entries))
	return b, e.settle(ctx, &b)
}

func skipRest(b *change.Bundle) {
	for i := range b.Entries {
		if n := &b.Entries[i]; n.Status == change.Pending {
			n.Status, n.Reason = change.Skip, "An earlier change failed, so this one was not made."
		}
	}
}

// settle stores the bundle with the state that follows from its entries.
func (e *Engine) settle(ctx context.Context, b *change.Bundle) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	b.State = b.Settle()
	return e.Keep(ctx, *b)
}

// one makes one change. A write that was held back is tried again with values that are read again.
func (e *Engine) one(ctx context.Context, r Request, b *change.Bundle, i int) error {
	entry := &b.Entries[i]
	was := *entry
	for try := 1; ; try++ {
		held, err := e.attempt(ctx, r, b, i)
		if held == nil || err != nil {
			return err
		}
		entry.Status, entry.At, entry.Captured = change.Pending, was.At, was.Captured
		if try == heldTries {
			entry.Status, entry.Reason = change.Failed, "Cloudflare did not take the change: "+sentence(held)
		}
		if err := e.Keep(ctx, *b); err != nil || try == heldTries {
			return err
		}
	}
}

// attempt proposes a change again, backs up, sends, reads back and verifies. A change that has begun
// is completed even when the job is cancelled. held says why the change was not carried out and is
// to be attempted again.
func (e *Engine) attempt(ctx context.Context, r Request, b *change.Bundle, i int) (held, err error) {
	entry := &b.Entries[i]
	now, err := e.again(ctx, r, *b, i)
	if err != nil {
		return nil, err
	}
	if now.status == change.Unchanged && entry.At != nil {
		return nil, e.arrived(ctx, b, i)
	}
	if now.status != change.Pending {
		entry.Status, entry.Reason = now.status, now.why
		return nil, e.Keep(ctx, *b)
	}
	live, err := e.locate(ctx, now.edit.Place)
	if unasked(err) {
		return nil, err
	}
	if err != nil {
		entry.Status, entry.Reason = change.Skip, "The live value could not be read: "+reason(err)+"."
		return nil, e.Keep(ctx, *b)
	}
	if !now.still(live) {
		entry.Status, entry.Reason = change.Skip, moved
		return nil, e.Keep(ctx, *b)
	}
	was, read := *entry, e.Now()
	at := read.UTC().Truncate(time.Microsecond)
	entry.Edit, entry.Captured, entry.Status, entry.At = now.edit, change.Encode(live), change.Writing, &at
	entry.Change.Before, entry.Change.After = now.edit.Before, now.edit.After
	grant, err := e.Admit(ctx)
	if err != nil {
		if *entry = was; !unasked(err) {
			entry.Reason = "The permission to change anything ended."
		}
		return nil, err
	}
	if err := e.Keep(ctx, *b); err != nil {
		return nil, err
	}
	if e.Now().Sub(read) > fresh {
		return errSlow, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	_, sent := e.Provider.Write(ctx, grant, now.edit.Do)
	if heldBack(sent) {
		return sent, nil
	}
	if err := e.verify(ctx, b, i, sent); err != nil {
		return nil, err
	}
	return nil, e.Keep(ctx, *b)
}

// arrived is about a change that a stopped run had sent, that Look did not see and that nothing is
// left to do for: it may have come into force since.
func (e *Engine) arrived(ctx context.Context, b *change.Bundle, i int) error {
	entry := &b.Entries[i]
	live, err := e.locate(ctx, entry.Edit.Place)
	if unasked(err) {
		return err
	}
	if err == nil && entry.Edit.Landed(live) {
		entry.Status, entry.Reason, entry.Verified, entry.Landed = change.Applied, "", true, change.Encode(live)
	} else {
		entry.Status, entry.Reason = change.Unknown, "A stopped run had sent this change, and it is not known what came of it."
	}
	return e.Keep(ctx, *b)
}

// moved is the reason why a change is not made whose object somebody else has changed.
const moved = "The live value changed while the plan was applied; make a new plan."

// proposal is a change that was proposed again, or else the status of its entry and why. still
// reports whether the object is as it was when the change was proposed.
type proposal struct {
	edit   change.Edit
	still  func(live any) bool
	status change.Status
	why    string
}

// again proposes the change of an entry again, from live values. An edit that differs from the plan
// is only accepted if an earlier change of this bundle caused the difference.
func (e *Engine) again(ctx context.Context, r Request, b change.Bundle, i int) (proposal, error) {
	entry := b.Entries[i]
	c, f, known := e.subject(r, entry.Change)
	if !known {
		return proposal{status: change.Skip, why: "The finding or its check is no longer known; make a new plan."}, nil
	}
	d := &draft{c: r.newCase(f, propose.NewFacts()), check: c}
	quiet := *e // what is read for one change is not how far the apply is
	quiet.Progress = nil
	if err := quiet.propose(ctx, []*draft{d}); err != nil {
		return proposal{}, err
	}
	if unasked(d.err) {
		return proposal{}, d.err
	}
	if d.err != nil {
		why := "The change cannot be made any more: " + sentence(d.err)
		return proposal{status: change.Skip, why: why}, nil //nolint:nilerr // the entry tells why; the run goes on to settle
	}
	for _, edit := range d.edits {
		if change.ID(r.Account.ID, f.ID, edit) != entry.Change.ID {
			continue
		}
		if change.Fingerprint(edit) == change.Fingerprint(entry.Edit) || touched(b.Entries[:i], entry.Edit, edit) {
			return proposal{edit: edit, still: d.still(edit), status: change.Pending}, nil
		}
		return proposal{status: change.Skip, why: moved}, nil
	}
	if len(d.edits) > 0 {
		return proposal{status: change.Skip, why: moved}, nil
	}
	return proposal{status: change.Unchanged, why: "The live value is already right."}, nil
}

// still returns a function that reports whether an object is as it was when the edit was proposed.
// An edit that sends a whole object rests on all of it, not only on the members that change.
func (d *draft) still(edit change.Edit) func(live any) bool {
	was, err := d.c.Locate(edit.Place)
	return func(live any) bool {
		return edit.Untouched(live) && (!edit.Whole || err != nil || change.Same(live, was))
	}
}

// touched reports whether an earlier entry explains why an edit is no longer as planned: it changed the same
// object, or made the collection in which both edits create an object. Other items of a list explain nothing.
func touched(before []change.BundleStep, planned, edit change.Edit) bool {
	creates := change.Same(planned.Before, nil) && change.Same(edit.Before, nil) && change.Same(planned.After, edit.After)
	return slices.ContainsFunc(before, func(e change.BundleStep) bool {
		return e.Status == change.Applied && e.Edit.Place.Path == edit.Place.Path && (creates || e.Edit.Overlaps(edit))
	})
}

func (e *Engine) subject(r Request, c change.Change) (check.Check, posture.Finding, bool) {
	for _, f := range r.Findings {
		if f.ID != c.FindingID {
			continue
		}
		for _, known := range e.Checks {
			if known.ID == c.CheckID && known.Remedy != nil && known.Remedy.Propose != nil {
				return known, f, true
			}
		}
	}
	return check.Check{}, posture.Finding{}, false
}

// verify reads back what was sent. A change that did not take effect as intended is taken back. The
// error means that the provider could not be asked; the entry then stays as it is, for Look.
func (e *Engine) verify(ctx context.Context, b *change.Bundle, i int, sent error) error {
	entry := &b.Entries[i]
	if unasked(sent) {
		return sent
	}
	live, err := e.settled(ctx, entry.Edit.Place, entry.Edit.Landed)
	switch {
	case unasked(err):
		return err
	case err == nil && entry.Edit.Landed(live):
		entry.Status, entry.Reason, entry.Verified, entry.Landed = change.Applied, "", true, change.Encode(live)
		return nil
	case refused(sent): // what is there now, or cannot be read, is not ours to take back
		entry.Status, entry.Reason = change.Failed, "Cloudflare did not take the change: "+sentence(sent)
		return nil
	case err == nil && entry.Edit.Untouched(live):
		entry.Status, entry.Reason = change.Unknown, "Cloudflare shows the old value, and the change may still come into force: "+sentence(sent)
		return nil
	}
	why := "The change could not be verified"
	if sent != nil {
		why += " (" + reason(sent) + ")"
	}
	back := e.restore(ctx, b, i, func(any) bool { return true })
	if unasked(back) {
		return back
	}
	if back == nil {
		entry.Status, entry.Reason = change.Restored, why+" and was taken back."
		return nil
	}
	entry.Status, entry.Reason = change.Unknown, why+", and taking it back failed: "+reason(back)+". Look at the live value."
	return nil
}

// restore sends the inverse of a change and reads it back. Nothing is sent while the object, read
// right before, is not one that may be overwritten. A write that was held back is tried again.
func (e *Engine) restore(ctx context.Context, b *change.Bundle, i int, may func(live any) bool) error {
	if b.Entries[i].Edit.Undo == nil {
		return errors.New("it cannot be taken back")
	}
	for try := 1; ; try++ {
		err := e.takeBack(ctx, b, i, may)
		if !heldBack(err) || try == heldTries {
			return err
		}
	}
}

func (e *Engine) takeBack(ctx context.Context, b *change.Bundle, i int, may func(live any) bool) error {
	entry, read := b.Entries[i], e.Now()
	result, err := e.Provider.Live(ctx, entry.Edit.Place.Path, entry.Edit.Place.Header)
	if err != nil {
		return err
	}
	place := entry.Seen(result)
	live := place.Find(result)
	if entry.Edit.Barred(live) {
		return posture.Problemf(posture.CodeConflict, "%s", entry.Edit.Bar.Why)
	}
	if !may(live) {
		return errForeign
	}
	grant, err := e.Admit(ctx)
	if err != nil {
		return err
	}
	// Whoever was frozen during the read may have lost the job to another worker, and somebody may have changed the object since.
	if err := e.Keep(ctx, *b); err != nil {
		return &UnsentError{err}
	}
	if e.Now().Sub(read) > fresh {
		return &cloudflare.HeldBackError{Cause: errSlow}
	}
	call, named := entry.Edit.Undo.Filled(live, result)
	if !named {
		return posture.Problemf(posture.CodeProvider, "Cloudflare does not tell the id of what was made")
	}
	_, sent := e.Provider.Write(ctx, grant, call)
	if heldBack(sent) {
		return sent
	}
	restored := entry.Edit.Restored(entry.Captured)
	if entry.Edit.Again != nil {
		place = *entry.Edit.Again
	}
	back, err := e.settled(ctx, place, restored)
	switch {
	case err == nil && restored(back):
		return nil
	case sent != nil:
		return sent
	case err != nil:
		return err
	default:
		return posture.Problemf(posture.CodeProvider, "Cloudflare shows another value than the one that was restored")
	}
}

// settled reads a place until it is as wanted, a few times, because the provider may show the old
// value for a moment.
func (e *Engine) settled(ctx context.Context, p change.Place, wanted func(any) bool) (live any, err error) {
	for try := range settleTries {
		if live, err = e.locate(ctx, p); err == nil && wanted(live) {
			return live, nil
		}
		if try < settleTries-1 {
			if err := e.Sleep(ctx, 300*time.Millisecond<<try); err != nil {
				return nil, err
			}
		}
	}
	return live, err
}

func (e *Engine) locate(ctx context.Context, p change.Place) (any, error) {
	result, err := e.Provider.Live(ctx, p.Path, p.Header)
	if err != nil {
		return nil, err
	}
	return p.Find(result), nil
}

// sentence describes a failure in our own words.
func sentence(err error) string {
	var refused *propose.RefusedError
	switch {
	case err == nil:
		return "it answered that all is well."
	case errors.As(err, &refused):
		return refused.Reason
	default:
		return reason(err) + "."
	}
}

// ends reports whether a read failed because of the service itself or because its job ends, so that
// it is tried again.
func ends(err error) bool {
	var api *cloudflare.APIError
	return unasked(err) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &api) && cloudflare.Unanswered(err) == nil
}
