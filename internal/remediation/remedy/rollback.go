package remedy

import (
	"context"
	"errors"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Rollback takes the changes of a bundle back, last one first. It reads every value before it sends
// anything: a value that somebody has changed since is the problem live_value_changed, unless
// forced. A bundle that a killed process left behind is resumed. The error is a problem, or that of
// ctx or of Keep.
func (e *Engine) Rollback(ctx context.Context, b change.Bundle, force bool) (change.Bundle, error) {
	if b.State.Undone() {
		return b, posture.Problemf(posture.CodeAlreadyRolledBack, "Bundle %s is rolled back already; nothing of it is in force.", b.ID)
	}
	if err := e.ours(ctx, b, force); err != nil {
		return b, err
	}
	b.State = change.StateOpen
	total := len(b.Entries)
	for i := total - 1; i >= 0; i-- {
		e.progress("roll back", total-1-i, total)
		if !inForce(b.Entries[i].Status) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return b, errors.Join(err, e.settle(ctx, &b))
		}
		if err := e.back(ctx, &b, i, force); err != nil {
			return b, errors.Join(err, e.settle(ctx, &b))
		}
		if s := b.Entries[i].Status; s != change.RolledBack && b.Entries[i].Edit.Undo != nil {
			break
		}
	}
	e.progress("roll back", total, total)
	return b, e.settle(ctx, &b)
}

// inForce reports whether an entry may have left something at the provider.
func inForce(s change.Status) bool {
	return s == change.Applied || s == change.Writing || s == change.Restoring || s == change.Unknown
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
			return b, provider(err, "read what bundle "+b.ID+" changed")
		case entry.Edit.Landed(live):
			entry.Status, entry.Verified, entry.Reason, entry.Landed = change.Applied, true, "", change.Encode(live)
		case entry.Status == change.Restoring && e.isBack(ctx, *entry):
			entry.Status, entry.Verified, entry.Reason = change.RolledBack, true, ""
		case entry.Status == change.Writing && entry.Edit.Untouched(live):
			entry.Status, entry.At, entry.Captured = change.Pending, nil, nil
		default:
			entry.Status, entry.Verified, entry.Reason = change.Unknown, false,
				"A stopped run was at this change, and the live value is neither the one before nor the one after it."
		}
	}
	return b, e.settle(ctx, &b)
}

// ours returns live_value_changed when a value is no longer the one that we wrote. Of several
// changes at one place, only the last can be seen.
func (e *Engine) ours(ctx context.Context, b change.Bundle, force bool) error {
	if force {
		return nil
	}
	seen := map[string]bool{}
	var foreign []posture.FieldError
	for _, entry := range slices.Backward(b.Entries) {
		place := string(change.Encode(entry.Edit.Place))
		if !inForce(entry.Status) || entry.Edit.Undo == nil || seen[place] {
			continue
		}
		seen[place] = true
		live, err := e.locate(ctx, entry.Edit.Place)
		if err != nil {
			return provider(err, "read what bundle "+b.ID+" changed")
		}
		if !e.untampered(ctx, entry, live) {
			foreign = append(foreign, posture.FieldError{Location: "changes." + entry.Change.ID,
				Message: entry.Change.CheckID + " on " + entry.Change.Resource.Name + ": somebody changed the value since"})
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	p := posture.Problemf(posture.CodeLiveValueChanged,
		"Nothing was rolled back, because somebody changed %d of the values since; look at them, and send force to restore the old ones anyway.",
		len(foreign))
	p.Errors = foreign
	return p
}

// untampered reports whether the live object is what we left there, or what was there before.
func (e *Engine) untampered(ctx context.Context, entry change.BundleStep, live any) bool {
	if entry.Edit.Whole && len(entry.Landed) > 0 {
		if change.Same(live, entry.Landed) {
			return true
		}
	} else if entry.Edit.Landed(live) {
		return true
	}
	return e.isBack(ctx, entry)
}

// isBack reports whether the object is as it was captured.
func (e *Engine) isBack(ctx context.Context, entry change.BundleStep) bool {
	live, err := e.locate(ctx, entry.Edit.Returns())
	return err == nil && entry.Edit.Restored(entry.Captured)(live)
}

// back takes one change back: it records the attempt, sends the inverse, and reads back.
func (e *Engine) back(ctx context.Context, b *change.Bundle, i int, force bool) error {
	entry := &b.Entries[i]
	if entry.Edit.Undo == nil {
		entry.Reason = "This change cannot be taken back."
		return e.Keep(ctx, *b)
	}
	if e.isBack(ctx, *entry) {
		entry.Status, entry.Verified, entry.Reason = change.RolledBack, true, ""
		return e.Keep(ctx, *b)
	}
	live, err := e.locate(ctx, entry.Edit.Place)
	if err != nil {
		return provider(err, "read what bundle "+b.ID+" changed")
	}
	may := func(live any) bool { return force || e.untampered(ctx, *entry, live) }
	if !may(live) {
		return foreign(*entry)
	}
	if _, err := e.Admit(ctx); err != nil {
		return err
	}
	was := entry.Status
	entry.Status, entry.Verified = change.Restoring, false
	if err := e.Keep(ctx, *b); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if err := e.restore(ctx, *entry, may); unasked(err) {
		return err
	} else if errors.Is(err, errForeign) {
		entry.Status = was
		return foreign(*entry)
	} else if err != nil {
		live, readErr := e.locate(ctx, entry.Edit.Place)
		if unasked(readErr) {
			return readErr
		}
		entry.Status, entry.Reason = change.Applied, "It could not be taken back: "+reason(err)
		if readErr != nil || !entry.Edit.Landed(live) {
			entry.Status = change.Unknown
		}
		return e.Keep(ctx, *b)
	}
	entry.Status, entry.Verified, entry.Reason = change.RolledBack, true, ""
	return e.Keep(ctx, *b)
}

// errForeign means that an object is not one that may be overwritten.
var errForeign = errors.New("somebody else changed it")

func foreign(entry change.BundleStep) error {
	return posture.Problemf(posture.CodeLiveValueChanged,
		"The rollback stopped at %s on %s, because somebody changed the value meanwhile; look at it, and send force to restore the old one "+
			"anyway.", entry.Change.CheckID, entry.Change.Resource.Name)
}
