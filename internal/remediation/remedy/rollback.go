package remedy

import (
	"context"
	"errors"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Rollback takes changes of a bundle back, last one first: those in only, all when that is empty. It
// reads every value before it sends anything: a value that somebody has changed since is the problem
// live_value_changed, unless forced. A change that cannot be taken back keeps the earlier ones of
// the same object as they are, and no others. A bundle that a killed process left behind is resumed.
// The error is a problem, or that of ctx or of Keep.
func (e *Engine) Rollback(ctx context.Context, b change.Bundle, force bool, only ...string) (change.Bundle, error) {
	if err := b.Spent(); err != nil {
		return b, err
	}
	chosen := func(s change.BundleStep) bool { return len(only) == 0 || slices.Contains(only, s.Change.ID) }
	b.Entries = slices.Clone(b.Entries)
	if err := e.surface(ctx, b, chosen); err != nil {
		return b, err
	}
	if err := e.ours(ctx, b, chosen, force); err != nil {
		return b, err
	}
	b.State = change.StateOpen
	total, back := len(b.Entries), 0
	var stays []change.Edit // what is left in force
	var first *posture.Problem
	for i := total - 1; i >= 0; i-- {
		e.progress("roll back", total-1-i, total)
		entry := &b.Entries[i]
		if !entry.InForce() {
			continue
		}
		switch covered := slices.ContainsFunc(stays, entry.Edit.Overlaps); {
		case chosen(*entry) && covered:
			entry.Reason = "It was left as it is, because a later change of the same object was not taken back."
		case chosen(*entry):
			if err := ctx.Err(); err != nil {
				return b, errors.Join(err, e.settle(ctx, &b))
			}
			why, err := e.back(ctx, &b, i, force)
			if err != nil {
				return b, errors.Join(err, e.settle(ctx, &b))
			}
			if first == nil {
				first = why
			}
		}
		if entry.Status == change.RolledBack {
			back++
		} else {
			stays = append(stays, entry.Edit)
		}
	}
	e.progress("roll back", total, total)
	err := e.settle(ctx, &b)
	if err == nil && back == 0 && first != nil {
		return b, first
	}
	return b, err
}

// surface looks for changes that were sent and not seen, and have come into force since.
func (e *Engine) surface(ctx context.Context, b change.Bundle, chosen func(change.BundleStep) bool) error {
	for i := range b.Entries {
		entry := &b.Entries[i]
		if !entry.Unseen() || !chosen(*entry) {
			continue
		}
		live, err := e.locate(ctx, entry.Edit.Place)
		if ends(err) {
			return err
		}
		if err == nil && entry.Edit.Landed(live) && !entry.Edit.Untouched(live) {
			entry.Status, entry.Reason, entry.Verified, entry.Landed = change.Applied, "", true, change.Encode(live)
		}
	}
	return nil
}

// Look determines what a stopped process left behind: it reads the values of the entries that were
// in progress, and sends nothing.
func (e *Engine) Look(ctx context.Context, b change.Bundle) (change.Bundle, error) {
	for i := range b.Entries {
		entry := &b.Entries[i]
		if entry.Status != change.Writing && entry.Status != change.Restoring {
			continue
		}
		live, err := e.locate(ctx, entry.Edit.Place)
		switch {
		case err != nil:
			return b, unreadable(b.ID, err)
		case entry.Status == change.Restoring && e.isBack(ctx, *entry): // first: what was deleted stays absent under its old id
			entry.Status, entry.Verified, entry.Reason = change.RolledBack, true, ""
		case entry.Edit.Landed(live):
			entry.Status, entry.Verified, entry.Reason, entry.Landed = change.Applied, true, "", change.Encode(live)
		case entry.Status == change.Writing && entry.Edit.Untouched(live):
			entry.Status = change.Pending // it may still come into force, so At and Captured stay
		default:
			entry.Status, entry.Verified, entry.Reason = change.Unknown, false,
				"A stopped run was at this change, and the live value is neither the one before nor the one after it."
		}
	}
	return b, e.settle(ctx, &b)
}

// ours returns live_value_changed when a value is no longer the one that we wrote. Of several
// changes at one place, only the last can be seen. A value that cannot be read is left to back.
func (e *Engine) ours(ctx context.Context, b change.Bundle, chosen func(change.BundleStep) bool, force bool) error {
	if force {
		return nil
	}
	seen := map[string]bool{}
	var foreign []posture.FieldError
	for _, entry := range slices.Backward(b.Entries) {
		place := string(change.Encode(entry.Edit.Place))
		if !entry.InForce() || entry.Edit.Undo == nil || seen[place] {
			continue
		}
		seen[place] = true
		if !chosen(entry) {
			continue
		}
		live, err := e.find(ctx, entry)
		if ends(err) {
			return err
		}
		if err == nil && !e.untampered(ctx, entry, live) {
			foreign = append(foreign, posture.FieldError{Location: "changes." + entry.Change.ID,
				Message: entry.Change.CheckID + " on " + entry.Change.Resource.Name + ": somebody changed the value since"})
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	p := posture.Problemf(posture.CodeLiveValueChanged,
		"Nothing was rolled back, because somebody changed %d of the values since; look at them, then name the changes to take back "+
			"(changeIds, or --change), or force it to restore the old values anyway (force, or --force).",
		len(foreign))
	p.Errors = foreign
	return p
}

// untampered reports whether the live object is what we left there, or what was there before.
func (e *Engine) untampered(ctx context.Context, entry change.BundleStep, live any) bool {
	if entry.Edit.Whole && len(entry.Landed) > 0 {
		if entry.Edit.Alike(live, entry.Landed) {
			return true
		}
	} else if entry.Edit.Landed(live) {
		return true
	}
	return e.isBack(ctx, entry)
}

// find reads the object of an entry, under whatever name.
func (e *Engine) find(ctx context.Context, entry change.BundleStep) (any, error) {
	result, err := e.Provider.Live(ctx, entry.Edit.Place.Path, entry.Edit.Place.Header)
	if err != nil {
		return nil, err
	}
	return entry.Seen(result).Find(result), nil
}

// isBack reports whether the object is as it was captured.
func (e *Engine) isBack(ctx context.Context, entry change.BundleStep) bool {
	if entry.Edit.Again == nil {
		live, err := e.find(ctx, entry)
		return err == nil && entry.Edit.Restored(entry.Captured)(live)
	}
	live, err := e.locate(ctx, *entry.Edit.Again)
	return err == nil && entry.Edit.Restored(entry.Captured)(live)
}

// back takes one change back: it records the attempt, sends the inverse, and reads back. The problem
// says why the change stays as it is; an error ends the rollback.
func (e *Engine) back(ctx context.Context, b *change.Bundle, i int, force bool) (*posture.Problem, error) {
	entry := &b.Entries[i]
	if entry.Edit.Undo == nil {
		entry.Reason = "This change cannot be taken back."
		return nil, e.Keep(ctx, *b)
	}
	if e.isBack(ctx, *entry) {
		entry.Status, entry.Verified, entry.Reason = change.RolledBack, true, ""
		return nil, e.Keep(ctx, *b)
	}
	stays := func(p *posture.Problem) (*posture.Problem, error) {
		entry.Reason = p.Detail
		return p, e.Keep(ctx, *b)
	}
	live, err := e.find(ctx, *entry)
	if ends(err) {
		return nil, err
	}
	if err != nil {
		return stays(unread(b.ID, err))
	}
	may := func(live any) bool { return force || e.untampered(ctx, *entry, live) }
	if !may(live) {
		return stays(foreign(*entry))
	}
	if _, err := e.Admit(ctx); err != nil {
		return nil, err
	}
	was := *entry
	entry.Status, entry.Verified = change.Restoring, false
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	switch err := e.restore(ctx, b, i, may); {
	case unasked(err):
		return nil, err
	case errors.Is(err, errForeign):
		entry.Status, entry.Verified = was.Status, was.Verified
		return stays(foreign(*entry))
	case err != nil:
		live, readErr := e.locate(ctx, entry.Edit.Place)
		if unasked(readErr) {
			return nil, readErr
		}
		entry.Status, entry.Reason = change.Applied, "It could not be taken back: "+reason(err)
		if readErr != nil || !entry.Edit.Landed(live) {
			entry.Status = change.Unknown
		}
		return nil, e.Keep(ctx, *b)
	}
	entry.Status, entry.Verified, entry.Reason = change.RolledBack, true, ""
	return nil, e.Keep(ctx, *b)
}

// errForeign means that an object is not one that may be overwritten.
var errForeign = errors.New("somebody else changed it")

func foreign(entry change.BundleStep) *posture.Problem {
	return posture.Problemf(posture.CodeLiveValueChanged,
		"%s on %s was not taken back, because somebody changed the value meanwhile; look at it, and force it to restore the old one anyway.",
		entry.Change.CheckID, entry.Change.Resource.Name)
}

// unreadable is the error of a job that cannot go on without a value.
func unreadable(bundleID string, err error) error {
	if ends(err) {
		return err
	}
	return unread(bundleID, err)
}

// unread is the problem that a value cannot be read which a job needs.
func unread(bundleID string, err error) *posture.Problem {
	return posture.Problemf(posture.CodeProvider,
		"The service could not read what bundle %s changed (%s); check the token and the network, then try again.", bundleID, reason(err))
}
