package remedy_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/store"
)

// edits of each kind: of one member, of a whole object, and one that makes an object.
func wholeEdit() change.Edit {
	before, after := object{"min": "1.0", "by": "them"}, object{"min": "1.2", "by": "them"}
	return change.Edit{Place: change.Place{Path: tlsPath}, Whole: true, Before: change.Encode(object{"min": "1.0"}),
		After: change.Encode(object{"min": "1.2"}), Do: change.Call{Method: "PUT", Path: tlsPath, Body: change.Encode(after)},
		Undo: &change.Call{Method: "PUT", Path: tlsPath, Body: change.Encode(before)}}
}

func createEdit() change.Edit {
	return change.Edit{Place: change.Place{Path: botPath}, Whole: true, Before: change.Encode(nil),
		After: change.Encode(object{"fight": "on"}),
		Do:    change.Call{Method: "PUT", Path: botPath, Body: change.Encode(object{"fight": "on"})},
		Undo:  &change.Call{Method: "DELETE", Path: botPath}}
}

func final(edit change.Edit) change.Edit {
	edit.Undo = nil
	return edit
}

// sent is an entry whose change was on its way and was not seen in force.
func sent(status change.Status, edit change.Edit, captured any) change.BundleStep {
	entry, at := left(status, edit, captured, nil), noon()
	entry.At = &at
	return entry
}

// TestLook: what a killed run left is read and named, and nothing is sent.
func TestLook(t *testing.T) {
	t.Parallel()
	old, new, other := object{"min": "1.0"}, object{"min": "1.2"}, object{"min": "1.1"}
	for name, tc := range map[string]struct {
		status change.Status
		live   object
		want   change.Status
	}{
		"being written, not there":      {change.Writing, old, change.Pending},
		"being written, there":          {change.Writing, new, change.Applied},
		"being written, something else": {change.Writing, other, change.Unknown},
		"being restored, back":          {change.Restoring, old, change.RolledBack},
		"being restored, still there":   {change.Restoring, new, change.Applied},
		"being restored, another":       {change.Restoring, other, change.Unknown},
		"applied, changed since":        {change.Applied, other, change.Applied},
		"pending":                       {change.Pending, new, change.Pending},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.set(tlsPath, tc.live)
			at := noon()
			entry := left(tc.status, tlsEdit(), old, nil)
			entry.At = &at
			got, err := b.engine.Look(t.Context(), change.Bundle{ID: "b", Entries: []change.BundleStep{entry}})
			require.NoError(t, err)
			require.Equal(t, tc.want, got.Entries[0].Status)
			require.Empty(t, b.writes)
			looked := tc.status == change.Writing || tc.status == change.Restoring
			require.Equal(t, looked, b.reads == 1 || b.reads == 2, "only what a run was at is read")
			require.Equal(t, looked && tc.want != change.Unknown && tc.want != change.Pending, got.Entries[0].Verified)
			require.Equal(t, looked && tc.want == change.Applied, len(got.Entries[0].Landed) > 0)
			require.Equal(t, &at, got.Entries[0].At, "it was sent")
			require.Equal(t, got, b.kept[len(b.kept)-1])
		})
	}
}

// TestWhatCannotBeRead: a Look and a Rollback end with the error of the service itself or of their context, so that
// they are tried again, and with a problem for people otherwise. Nothing is sent and no entry changes.
func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	closed, api := gateError(t), &cloudflare.APIError{Status: 503, Path: tlsPath}
	for name, tc := range map[string]struct {
		err     error
		problem bool
	}{
		"it does not leave":           {closed, false},
		"cancelled":                   {context.Canceled, false},
		"no time left":                {context.DeadlineExceeded, false},
		"Cloudflare fails":            {api, true},
		"Cloudflare fails slowly":     {errors.Join(api, context.DeadlineExceeded), true},
		"something nobody thought of": {errors.New("broken"), true},
	} {
		for _, status := range []change.Status{change.Writing, change.Restoring} {
			b := newBench(t)
			b.read = func(int, string) error { return tc.err }
			bundle := change.Bundle{ID: "b", Entries: []change.BundleStep{left(status, tlsEdit(), object{"min": "1.0"}, nil)}}
			looked, err := b.engine.Look(t.Context(), bundle)
			back, backErr := b.engine.Rollback(t.Context(), bundle, true)
			_, unforced := b.engine.Rollback(t.Context(), bundle, false)
			for _, err := range []error{err, backErr, unforced} {
				if tc.problem {
					require.Equal(t, posture.CodeProvider, posture.AsProblem(err).Code, name)
					require.Contains(t, posture.AsProblem(err).Detail, "bundle b")
				} else {
					require.ErrorIs(t, err, tc.err, name)
				}
			}
			require.Equal(t, []change.Status{status, status}, []change.Status{looked.Entries[0].Status, back.Entries[0].Status})
			require.Empty(t, b.writes)
		}
	}
}

// TestRollbackOfEachKind: what may be in force is taken back, whatever a run left it at; what somebody changed since is
// left alone unless forced, and then nothing at all is sent.
func TestRollbackOfEachKind(t *testing.T) {
	t.Parallel()
	old, new := object{"min": "1.0", "by": "them"}, object{"min": "1.2", "by": "them"}
	theirs := object{"min": "1.2", "by": "somebody else"}
	for _, tc := range []struct {
		name   string
		entry  change.BundleStep
		live   any
		want   change.Status // "" when it is somebody else's
		writes int
	}{
		{"applied", left(change.Applied, tlsEdit(), old, new), new, change.RolledBack, 1},
		{"applied, another member is changed since", left(change.Applied, tlsEdit(), old, new), theirs, change.RolledBack, 1},
		{"applied, the member is changed since", left(change.Applied, tlsEdit(), old, new), object{"min": "1.3"}, "", 1},
		{"applied, somebody took it back", left(change.Applied, tlsEdit(), old, new), old, change.RolledBack, 0},
		{"being written", left(change.Writing, tlsEdit(), old, nil), new, change.RolledBack, 1},
		{"being restored", left(change.Restoring, tlsEdit(), old, new), new, change.RolledBack, 1},
		{"unknown", left(change.Unknown, tlsEdit(), old, nil), new, change.RolledBack, 1},
		{"never made", left(change.Pending, tlsEdit(), nil, nil), new, change.Pending, 0},
		{"failed", left(change.Failed, tlsEdit(), old, nil), object{"min": "1.3"}, change.Failed, 0},
		{"a whole object", left(change.Applied, wholeEdit(), old, new), new, change.RolledBack, 1},
		{"a whole object, another member is changed since", left(change.Applied, wholeEdit(), old, new), theirs, "", 1},
		{"a whole object whose write was not read back", left(change.Writing, wholeEdit(), old, nil), new, change.RolledBack, 1},
		{"an object that was made", left(change.Applied, createEdit(), nil, object{"fight": "on"}), object{"fight": "on"}, change.RolledBack, 1},
		{"sent by a stopped run and not seen, there now", sent(change.Pending, tlsEdit(), old), new, change.RolledBack, 1},
		{"back before it was seen, there now", sent(change.RolledBack, tlsEdit(), old), new, change.RolledBack, 1},
		{"refused, and there by somebody else", sent(change.Failed, tlsEdit(), old), new, change.Failed, 0},
		{"what cannot be taken back", left(change.Applied, final(tlsEdit()), old, new), object{"min": "1.3"}, change.Applied, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.set(tc.entry.Edit.Place.Path, tc.live)
			bundle := change.Bundle{ID: "b", Entries: []change.BundleStep{tc.entry}}
			force := tc.want == ""
			if force {
				got, err := b.engine.Rollback(t.Context(), bundle, false)
				require.Equal(t, posture.CodeLiveValueChanged, posture.AsProblem(err).Code)
				require.Equal(t, bundle, got)
				require.Empty(t, b.writes)
				require.Empty(t, b.kept)
				tc.want = change.RolledBack
			}
			got, err := b.engine.Rollback(t.Context(), bundle, force)
			require.NoError(t, err)
			require.Equal(t, tc.want, got.Entries[0].Status, got.Entries[0].Reason)
			require.Len(t, b.writes, tc.writes)
			require.Equal(t, tc.want == change.RolledBack, got.Entries[0].Verified)
		})
	}
}

// TestRollbackInOrder: the last change goes first; one that stays keeps the earlier ones of its object as they are and no
// others, and of two changes at one place only the later one has to show. Changes that are not named stay.
func TestRollbackInOrder(t *testing.T) {
	t.Parallel()
	refused := &cloudflare.APIError{Status: 400, Path: botPath}
	refuse := func(path string) func(m *memory) {
		return func(m *memory) {
			m.write = func(c change.Call) error {
				if c.Path == path {
					return refused
				}
				return m.take(c)
			}
		}
	}
	unread := func(m *memory) {
		m.read = func(_ int, path string) error {
			if path == botPath {
				return refused
			}
			return nil
		}
	}
	meanwhile := func(m *memory) { // after everything was looked at
		m.read = func(n int, _ string) error {
			if n == 3 {
				m.values[botPath] = object{"fight": "theirs"}
			}
			return nil
		}
	}
	second := tlsEdit()
	second.Before, second.After = change.Encode(object{"min": "1.2"}), change.Encode(object{"min": "1.3"})
	second.Undo = &change.Call{Method: "PATCH", Path: tlsPath, Body: second.Before}
	first := left(change.Applied, tlsEdit(), object{"min": "1.0"}, nil)
	bots := left(change.Applied, createEdit(), nil, object{"fight": "on"})
	later := left(change.Applied, second, object{"min": "1.2"}, nil)
	later.Change.ID = "later"
	both, none := []change.Status{change.RolledBack, change.RolledBack}, []change.Status{change.Applied, change.Applied}
	for name, tc := range map[string]struct {
		entries []change.BundleStep
		min     string
		disturb func(*memory)
		only    []string
		want    []change.Status
		paths   []string
		says    string // of the last one
	}{
		"both": {[]change.BundleStep{first, bots}, "1.2", nil, nil, both, []string{botPath, tlsPath}, ""},
		"the last one is refused": {[]change.BundleStep{first, bots}, "1.2", refuse(botPath), nil,
			[]change.Status{change.RolledBack, change.Applied}, []string{botPath, tlsPath}, "could not be taken back"},
		"the last one cannot be read": {[]change.BundleStep{first, bots}, "1.2", unread, nil,
			[]change.Status{change.RolledBack, change.Applied}, []string{tlsPath}, "could not read"},
		"the last one is changed meanwhile": {[]change.BundleStep{first, bots}, "1.2", meanwhile, nil,
			[]change.Status{change.RolledBack, change.Applied}, []string{tlsPath}, "somebody changed the value"},
		"the last one is for good": {[]change.BundleStep{first, left(change.Applied, final(createEdit()), nil, nil)}, "1.2", nil, nil,
			[]change.Status{change.RolledBack, change.Applied}, []string{tlsPath}, "cannot be taken back"},
		"one place twice": {[]change.BundleStep{first, later}, "1.3", nil, nil, both, []string{tlsPath, tlsPath}, ""},
		"one place twice, the last one stays": {[]change.BundleStep{first, later}, "1.3", refuse(tlsPath), nil, none, []string{tlsPath},
			"could not be taken back"},
		"only the first": {[]change.BundleStep{first, bots}, "1.2", nil, []string{tlsPath},
			[]change.Status{change.RolledBack, change.Applied}, []string{tlsPath}, ""},
		"only the last": {[]change.BundleStep{first, later}, "1.3", nil, []string{"later"},
			[]change.Status{change.Applied, change.RolledBack}, []string{tlsPath}, ""},
		"only the first of one place": {[]change.BundleStep{first, later}, "1.3", nil, []string{tlsPath}, none, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.set(tlsPath, object{"min": tc.min})
			b.set(botPath, object{"fight": "on"})
			if tc.disturb != nil {
				tc.disturb(b.memory)
			}
			got, err := b.engine.Rollback(t.Context(), change.Bundle{ID: "b", Entries: tc.entries}, false, tc.only...)
			require.NoError(t, err)
			require.Equal(t, tc.want, statuses(got))
			require.Contains(t, got.Entries[1].Reason, tc.says)
			require.Equal(t, tc.want[0] == change.Applied && len(tc.only) == 0 || name == "only the first of one place",
				strings.Contains(got.Entries[0].Reason, "a later change of the same object"))
			var paths []string
			for _, w := range b.writes {
				paths = append(paths, w.Path)
			}
			require.Equal(t, tc.paths, paths)
		})
	}
}

// TestWhatComesOfARollback disturbs the write that takes a change back. The reads of a rollback of one change are: one
// before anything is sent, two before the write, one for the ids in its path, then what reads it back.
func TestWhatComesOfARollback(t *testing.T) {
	t.Parallel()
	closed, refused := gateError(t), &cloudflare.APIError{Status: 400, Path: botPath}
	held := &cloudflare.HeldBackError{Cause: &cloudflare.APIError{Status: 429, Path: botPath}}
	at := func(n int, do func() error) func(int, string) error {
		return func(k int, _ string) error {
			if k == n {
				return do()
			}
			return nil
		}
	}
	for _, tc := range []struct {
		name    string
		force   bool
		disturb func(*memory)
		want    change.Status
		err     error
		code    posture.Code
		writes  int
	}{
		{"its answer is lost", false, func(m *memory) {
			m.write = func(c change.Call) error { return errors.Join(m.take(c), refused) }
		}, change.RolledBack, nil, "", 1},
		{"it is held back", false, func(m *memory) {
			m.write = func(c change.Call) error {
				if len(m.writes) == 1 {
					return held
				}
				return m.take(c)
			}
		}, change.RolledBack, nil, "", 2},
		{"it is held back, and somebody changes it meanwhile", false, func(m *memory) {
			m.write = func(change.Call) error { m.values[botPath] = object{"fight": "theirs"}; return held }
		}, change.Applied, nil, posture.CodeLiveValueChanged, 1},
		{"it is refused", false, func(m *memory) { m.write = func(change.Call) error { return refused } }, change.Applied, nil, "", 1},
		{"it is refused and the value is another", false, func(m *memory) {
			m.write = func(change.Call) error { m.values[botPath] = object{"fight": "who knows"}; return refused }
		}, change.Unknown, nil, "", 1},
		{"it is refused and nothing can be read any more", false, func(m *memory) {
			m.write = func(change.Call) error { m.read = func(int, string) error { return refused }; return refused }
		}, change.Unknown, nil, "", 1},
		{"it is refused and nothing leaves any more", false, func(m *memory) {
			m.write = func(change.Call) error {
				m.read = at(m.reads+4, func() error { return closed })
				return refused
			}
		}, change.Restoring, closed, "", 1},
		{"it does not leave", false, func(m *memory) { m.read = at(4, func() error { return closed }) }, change.Restoring, closed, "", 0},
		{"the look whether it is back already fails", false, func(m *memory) { m.read = at(2, func() error { return refused }) },
			change.RolledBack, nil, "", 1},
		{"somebody changes it meanwhile", false, func(m *memory) {
			m.read = at(3, func() error { m.values[botPath] = object{"fight": "theirs"}; return nil })
		}, change.Applied, nil, posture.CodeLiveValueChanged, 0},
		{"somebody changes it meanwhile, forced", true, func(m *memory) {
			m.read = at(2, func() error { m.values[botPath] = object{"fight": "theirs"}; return nil })
		}, change.RolledBack, nil, "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.set(botPath, object{"fight": "on"})
			tc.disturb(b.memory)
			bundle := change.Bundle{ID: "b", Entries: []change.BundleStep{left(change.Applied, createEdit(), nil, object{"fight": "on"})}}
			got, err := b.engine.Rollback(t.Context(), bundle, tc.force)
			switch {
			case tc.code != "":
				require.Equal(t, tc.code, posture.AsProblem(err).Code)
			default:
				require.ErrorIs(t, err, tc.err)
			}
			require.Equal(t, tc.want, got.Entries[0].Status, got.Entries[0].Reason)
			require.Len(t, b.writes, tc.writes)
			require.Equal(t, got, b.kept[len(b.kept)-1])
		})
	}
}

// TestAFrozenProcessTakesNothingBack freezes the process at each read of a rollback, and of an apply that would take its
// change back, until another has the job and somebody may have changed the object: whatever it has read, it sends nothing.
func TestAFrozenProcessTakesNothingBack(t *testing.T) {
	t.Parallel()
	old, new := object{"min": "1.0", "by": "them"}, object{"min": "1.2", "by": "them"}
	fenced := func(b *bench) (lose func()) {
		lost, keep := false, b.engine.Keep
		b.engine.Keep = func(ctx context.Context, kept change.Bundle) error {
			if lost {
				return store.ErrFenced
			}
			return keep(ctx, kept)
		}
		return func() { lost = true }
	}
	for frozenAt := 1; frozenAt <= 4; frozenAt++ {
		b := newBench(t)
		b.set(tlsPath, new)
		lose := fenced(b)
		b.read = func(n int, _ string) error {
			if n == frozenAt {
				lose()
			}
			return nil
		}
		bundle := change.Bundle{ID: "b", Entries: []change.BundleStep{left(change.Applied, tlsEdit(), old, new)}}
		_, err := b.engine.Rollback(t.Context(), bundle, false)
		require.ErrorIs(t, err, store.ErrFenced)
		require.Empty(t, b.writes, "frozen at read %d", frozenAt)
	}
	b := newBench(t, minTLS())
	steps, lose := b.plan().Steps, fenced(b)
	b.write = func(change.Call) error {
		b.values[tlsPath] = object{"min": "1.1", "by": "somebody"}
		lose()
		return nil
	}
	_, err := b.apply(steps)
	require.ErrorIs(t, err, store.ErrFenced)
	require.Len(t, b.writes, 1, "what somebody set since stays")
}

// TestAReadThatTookLongIsMadeAgain: nothing is taken back on the word of a read that is old by then.
func TestAReadThatTookLongIsMadeAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set(tlsPath, object{"min": "1.2", "by": "them"})
	now := noon()
	b.engine.Now = func() time.Time { return now }
	b.read = func(n int, _ string) error {
		switch n {
		case 4: // the one before the write
			now = now.Add(20 * time.Second)
		case 5:
			b.values[tlsPath] = object{"min": "1.3", "by": "somebody"}
		}
		return nil
	}
	entry := left(change.Applied, tlsEdit(), object{"min": "1.0", "by": "them"}, nil)
	_, err := b.engine.Rollback(t.Context(), change.Bundle{ID: "b", Entries: []change.BundleStep{entry}}, false)
	require.Equal(t, posture.CodeLiveValueChanged, posture.AsProblem(err).Code)
	require.Empty(t, b.writes)
}
