package remedy_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// TestNoPermission: an entry says that the permission ended only when it did.
func TestNoPermission(t *testing.T) {
	t.Parallel()
	for reason, err := range map[string]error{"The permission to change anything ended.": posture.Problemf(posture.CodeEditScopeDenied, "no"),
		"": &remedy.UnsentError{Err: errors.New("no room")}} {
		b := newBench(t, minTLS())
		steps := b.plan().Steps
		b.engine.Admit = func(context.Context) (gate.Grant, error) { return gate.Grant{}, err }
		got, ended := b.apply(steps)
		require.ErrorIs(t, ended, err)
		require.Equal(t, change.Pending, got.Entries[0].Status)
		require.Equal(t, reason, got.Entries[0].Reason)
	}
}

// TestWhatComesOfAWrite disturbs the write of one change, its read-back and the write that takes it back. In an
// Apply the reads are: two proposals of the object before the write, then what reads it back.
func TestWhatComesOfAWrite(t *testing.T) {
	t.Parallel()
	unsent := &remedy.UnsentError{Err: errors.New("no room")}
	closed, refused := gateError(t), &cloudflare.APIError{Status: 500, Path: tlsPath}
	no := &cloudflare.APIError{Status: 400, Code: 1004, Path: tlsPath}
	denied := &cloudflare.APIError{Status: 403, Code: 10000, Path: tlsPath}
	held := &cloudflare.HeldBackError{Cause: &cloudflare.APIError{Status: 429, Path: tlsPath}}
	third := func(m *memory) func(change.Call) error { // the first write leaves neither value, the second is taken
		return func(call change.Call) error {
			if len(m.writes) == 1 {
				m.values[tlsPath] = object{"min": "1.1", "by": "them"}
				return nil
			}
			return m.take(call)
		}
	}
	from := func(n int, err error) func(int, string) error {
		return func(at int, _ string) error {
			if at >= n {
				return err
			}
			return nil
		}
	}
	for _, tc := range []struct {
		name    string
		disturb func(*memory)
		want    change.Status
		reason  string
		err     error
		writes  int
		tls     string
		waits   int
	}{
		{"nothing", func(*memory) {}, change.Applied, "", nil, 1, "1.2", 0},
		{"the read before it fails", func(m *memory) { m.read = from(2, refused) }, change.Skip, "could not be read", nil, 0, "1.0", 0},
		{"the read before it does not leave", func(m *memory) { m.read = from(2, closed) }, change.Pending, "", closed, 0, "1.0", 0},
		{"it does not leave", func(m *memory) { m.write = func(change.Call) error { return closed } },
			change.Writing, "", closed, 1, "1.0", 0},
		{"it cannot be recorded first", func(m *memory) { m.write = func(change.Call) error { return unsent } },
			change.Writing, "", unsent, 1, "1.0", 0},
		{"it is held back", func(m *memory) {
			m.write = func(call change.Call) error {
				if len(m.writes) == 1 {
					return held
				}
				return m.take(call)
			}
		}, change.Applied, "", nil, 2, "1.2", 0},
		{"it is held back, and somebody changes the value meanwhile", func(m *memory) {
			m.write = func(change.Call) error { m.values[tlsPath] = object{"min": "1.1"}; return held }
		}, change.Skip, "changed while the plan was applied", nil, 1, "1.1", 0},
		{"it is held back, and somebody makes the change meanwhile", func(m *memory) {
			m.write = func(change.Call) error { m.values[tlsPath] = object{"min": "1.2"}; return held }
		}, change.Unchanged, "already right", nil, 1, "1.2", 0},
		{"it is held back each time", func(m *memory) { m.write = func(change.Call) error { return held } },
			change.Failed, "did not take the change: Cloudflare answered 429", nil, 5, "1.0", 0},
		{"its answer is lost", func(m *memory) {
			m.write = func(call change.Call) error { return errors.Join(m.take(call), refused) }
		}, change.Applied, "", nil, 1, "1.2", 0},
		{"the read-back does not leave", func(m *memory) { m.read = from(3, closed) }, change.Writing, "", closed, 1, "1.2", 2},
		{"the new value shows late", func(m *memory) {
			m.write = func(change.Call) error { return nil }
			m.read = func(n int, _ string) error {
				if n == 5 {
					m.values[tlsPath] = object{"min": "1.2"}
				}
				return nil
			}
		}, change.Applied, "", nil, 1, "1.2", 2},
		{"it is accepted without effect", func(m *memory) { m.write = func(change.Call) error { return nil } },
			change.Unknown, "shows the old value, and the change may still come into force: it answered that all is well", nil, 1, "1.0", 2},
		{"it is refused", func(m *memory) { m.write = func(change.Call) error { return no } },
			change.Failed, "did not take the change: Cloudflare answered 400", nil, 1, "1.0", 2},
		{"it is refused, and somebody changes the value meanwhile", func(m *memory) {
			m.write = func(change.Call) error { m.values[tlsPath] = object{"min": "1.1"}; return no }
		}, change.Failed, "did not take the change: Cloudflare answered 400", nil, 1, "1.1", 2},
		{"the token loses its rights: it is refused, and nothing can be read any more", func(m *memory) {
			m.write = func(change.Call) error { return denied }
			m.read = from(3, denied)
		}, change.Failed, "did not take the change: Cloudflare answered 403", nil, 1, "1.0", 2},
		{"something in between refuses it", func(m *memory) { m.write = func(change.Call) error { return &cloudflare.APIError{Status: 408} } },
			change.Unknown, "may still come into force: Cloudflare answered 408", nil, 1, "1.0", 2},
		{"a third value comes of it", func(m *memory) { m.write = third(m) },
			change.Restored, "The change could not be verified and was taken back.", nil, 2, "1.0", 2},
		{"an error and a third value", func(m *memory) {
			m.write = func(call change.Call) error { return errors.Join(third(m)(call), refused) }
		}, change.Restored, "The change could not be verified (Cloudflare answered 500 to " + tlsPath + ") and was taken back.", nil, 2,
			"1.0", 2},
		{"a third value that stays", func(m *memory) {
			m.write = func(change.Call) error { m.values[tlsPath] = object{"min": "1.1"}; return nil }
		}, change.Unknown, "failed: Cloudflare shows another value than the one that was restored. Look at", nil, 2, "1.1", 4},
		{"a third value, and taking it back is refused", func(m *memory) {
			m.write = func(change.Call) error { m.values[tlsPath] = object{"min": "1.1"}; return refused }
		}, change.Unknown, "failed: Cloudflare answered 500", nil, 2, "1.1", 4},
		{"a third value, and nothing can be read any more", func(m *memory) {
			m.write = third(m)
			m.read = from(6, refused)
		}, change.Unknown, "failed: Cloudflare answered 500", nil, 1, "1.1", 2},
		{"a third value, and taking it back cannot be read back", func(m *memory) {
			m.write = third(m)
			m.read = from(7, refused)
		}, change.Unknown, "failed: Cloudflare answered 500", nil, 2, "1.0", 4},
		{"a third value, and taking it back does not leave", func(m *memory) {
			m.write = third(m)
			m.read = from(6, closed)
		}, change.Writing, "", closed, 1, "1.1", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, minTLS())
			kept := b.plan()
			tc.disturb(b.memory)
			got, err := b.apply(kept.Steps)
			require.ErrorIs(t, err, tc.err)
			require.Equal(t, tc.want, got.Entries[0].Status, got.Entries[0].Reason)
			if tc.reason == "" {
				require.Empty(t, got.Entries[0].Reason)
			}
			require.Contains(t, got.Entries[0].Reason, tc.reason)
			require.Equal(t, tc.want == change.Applied, got.Entries[0].Verified)
			require.Len(t, b.writes, tc.writes)
			require.Equal(t, tc.tls, b.values[tlsPath].(object)["min"])
			require.Len(t, b.waited, tc.waits)
			if tc.waits > 1 {
				require.Equal(t, []time.Duration{300 * time.Millisecond, 600 * time.Millisecond}, b.waited[:2])
			}
			require.Equal(t, got, b.kept[len(b.kept)-1], "what is kept is what came back")
		})
	}
}

// TestWholeObjectIsTheOneThatIsThere: a change that sends a whole object is not sent when somebody changed another member
// of it after it was proposed, which would be lost.
func TestWholeObjectIsTheOneThatIsThere(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *propose.Case) ([]change.Edit, error) {
		live, err := c.Locate(change.Place{Path: tlsPath})
		if err != nil {
			return nil, err
		}
		written := maps.Clone(live)
		written["min"] = "1.2"
		return []change.Edit{propose.Replace("PUT", change.Place{Path: tlsPath}, tlsPath, live, written, live, "min")}, nil
	})
	kept := b.plan()
	b.read = func(n int, _ string) error {
		if n == 2 {
			b.values[tlsPath] = object{"min": "1.0", "by": "somebody else"}
		}
		return nil
	}
	got, err := b.apply(kept.Steps)
	require.NoError(t, err)
	require.Equal(t, change.Skip, got.Entries[0].Status)
	require.Empty(t, b.writes)
}

// TestLateArrival: a change that a stopped run had sent, and that shows only after the next has begun, is in force by this
// bundle, with its backup.
func TestLateArrival(t *testing.T) {
	t.Parallel()
	b := newBench(t, minTLS())
	kept := b.plan()
	at := noon()
	entry := left(change.Writing, kept.Steps[0].Edit, b.values[tlsPath], nil)
	entry.Change, entry.At = kept.Steps[0].Change, &at
	got, err := b.engine.Look(t.Context(), change.Bundle{ID: "b", Account: b.req.Account, Entries: []change.BundleStep{entry}})
	require.NoError(t, err)
	b.set(tlsPath, object{"min": "1.2", "by": "them"})
	got, err = b.engine.Apply(t.Context(), b.req, got)
	require.NoError(t, err)
	require.Equal(t, []change.Status{change.Applied}, statuses(got))
	require.Empty(t, b.writes)
	got, err = b.engine.Rollback(t.Context(), got, false)
	require.NoError(t, err)
	require.Equal(t, change.StateRolledBack, got.State)
	require.Equal(t, "1.0", b.values[tlsPath].(object)["min"])
}

// TestWithoutUndo: what came of a change that cannot be taken back is for people to look at.
func TestWithoutUndo(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *propose.Case) ([]change.Edit, error) {
		edits, err := minTLS()(c)
		for i := range edits {
			edits[i].Undo = nil
		}
		return edits, err
	})
	kept := b.plan()
	b.write = func(change.Call) error { b.values[tlsPath] = object{"min": "1.1"}; return nil }
	got, err := b.apply(kept.Steps)
	require.NoError(t, err)
	require.Equal(t, change.Unknown, got.Entries[0].Status)
	require.Len(t, b.writes, 1)
}

// TestEarlierChangesOfTheBundle: what an entry finds there may differ from the plan only because an earlier entry of
// the same bundle wrote to the same place.
func TestEarlierChangesOfTheBundle(t *testing.T) {
	t.Parallel()
	// whole sends the complete object, so that its edit differs when any member does.
	whole := func(path, member string) propose.Proposal {
		return func(c *propose.Case) ([]change.Edit, error) {
			live, err := c.Locate(change.Place{Path: path})
			if err != nil || live[member] == "on" {
				return nil, err
			}
			written := maps.Clone(live)
			written[member] = "on"
			return []change.Edit{propose.Replace("PUT", change.Place{Path: path}, path, live, written, live, member)}, nil
		}
	}
	for name, tc := range map[string]struct {
		first  propose.Proposal
		theirs bool // somebody else changes the second object after the plan
		want   change.Status
	}{
		"the same object":                        {whole(botPath, "a"), false, change.Applied},
		"another object":                         {whole(tlsPath, "a"), false, change.Applied},
		"another object, and somebody else here": {whole(tlsPath, "a"), true, change.Skip},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tc.first, whole(botPath, "b"))
			b.set(botPath, object{"a": "off", "b": "off"})
			kept := b.plan()
			if tc.theirs {
				b.set(botPath, object{"a": "theirs", "b": "off"})
			}
			got, err := b.apply(kept.Steps)
			require.NoError(t, err)
			require.Equal(t, []change.Status{change.Applied, tc.want}, statuses(got), got.Entries[1].Reason)
			if tc.want == change.Applied {
				require.Equal(t, "on", b.values[botPath].(object)["b"])
			}
		})
	}
	for name, tc := range map[string]struct {
		theirs any
		want   change.Status
	}{
		"another item of the list": {"1", change.Applied}, "another item of the list, and somebody else this one": {"theirs", change.Skip},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := item("a"), item("b")
			b := newBench(t, first, second)
			b.set(listPath, []any{object{"id": "a", "on": false}, object{"id": "b", "on": false, "if": "1"}})
			kept := b.plan()
			b.write = func(call change.Call) error {
				b.values[listPath] = []any{object{"id": "a", "on": true}, object{"id": "b", "on": call.Path == listPath+"/b", "if": tc.theirs}}
				return nil
			}
			got, err := b.apply(kept.Steps)
			require.NoError(t, err)
			require.Equal(t, []change.Status{change.Applied, tc.want}, statuses(got), got.Entries[1].Reason)
		})
	}
	t.Run("an object that the first one makes", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, member("a"), member("b"))
		b.set(botPath, nil)
		kept := b.plan()
		require.Equal(t, []string{"PUT " + botPath, "PUT " + botPath}, []string{kept.Steps[0].Change.Operation, kept.Steps[1].Change.Operation})
		got, err := b.apply(kept.Steps)
		require.NoError(t, err)
		require.Equal(t, []change.Status{change.Applied, change.Applied}, statuses(got), got.Entries[1].Reason)
		require.Equal(t, object{"a": "on", "b": "on"}, b.values[botPath])
		require.Equal(t, []string{"PUT", "PATCH"}, []string{b.writes[0].Method, b.writes[1].Method})
	})
	t.Run("another object to change", func(t *testing.T) {
		t.Parallel()
		path := botPath
		b := newBench(t, func(c *propose.Case) ([]change.Edit, error) { return whole(path, "a")(c) })
		b.set(botPath, object{"a": "off"})
		kept := b.plan()
		path = tlsPath
		got, err := b.apply(kept.Steps)
		require.NoError(t, err)
		require.Equal(t, []change.Status{change.Skip}, statuses(got), "it is not right as long as the remedy wants to change something")
		require.Contains(t, got.Entries[0].Reason, "make a new plan")
	})
	t.Run("one that was right already", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, whole(botPath, "a"), whole(botPath, "b"))
		b.set(botPath, object{"a": "off", "b": "off"})
		kept := b.plan()
		b.set(botPath, object{"a": "on", "b": "off"}) // by somebody else
		got, err := b.apply(kept.Steps)
		require.NoError(t, err)
		require.Equal(t, []change.Status{change.Unchanged, change.Skip}, statuses(got))
		require.Empty(t, b.writes)
	})
}

const listPath = "/zones/z1/list"

// item switches one item of a list on, and sends all of it, as a rule of a ruleset is.
func item(id string) propose.Proposal {
	return func(c *propose.Case) ([]change.Edit, error) {
		place := change.Place{Path: listPath, Match: object{"id": id}}
		live, err := c.Locate(place)
		if err != nil || live["on"] == true {
			return nil, err
		}
		written := maps.Clone(live)
		written["on"] = true
		return []change.Edit{propose.Replace("PUT", place, listPath+"/"+id, live, written, live, "on")}, nil
	}
}

// member switches one member of an object on, and makes the object with it where there is none: then with another method.
func member(name string) propose.Proposal {
	return func(c *propose.Case) ([]change.Edit, error) {
		place, want := change.Place{Path: botPath}, object{name: "on"}
		live, err := c.Locate(place)
		if err != nil {
			return nil, err
		}
		edit := change.Edit{Place: place, Before: change.Encode(nil), After: change.Encode(want), Label: name,
			Do: change.Call{Method: "PUT", Path: botPath, Body: change.Encode(want)}, Undo: &change.Call{Method: "DELETE", Path: botPath}}
		if live != nil {
			edit = propose.Patch("PATCH", place, botPath, live, want)
			edit.Label = name
		}
		return []change.Edit{edit}, nil
	}
}

// TestKeptBeforeTheNextBegins: when the provider is asked for the second change, the first is kept as made.
func TestKeptBeforeTheNextBegins(t *testing.T) {
	t.Parallel()
	b := newBench(t, minTLS(), propose.Members("PATCH", botPath, object{"fight": "on"}))
	b.set(botPath, object{"fight": "off"})
	kept := b.plan()
	var seen []change.Status
	b.read = func(_ int, path string) error {
		if path == botPath && len(seen) == 0 {
			seen = statuses(b.kept[len(b.kept)-1])
		}
		return nil
	}
	_, err := b.apply(kept.Steps)
	require.NoError(t, err)
	require.Equal(t, []change.Status{change.Applied, change.Pending}, seen)
}

// TestProgress: people see how many of the changes were read, made and taken back.
func TestProgress(t *testing.T) {
	t.Parallel()
	b := newBench(t, minTLS(), propose.Members("PATCH", botPath, object{"fight": "on"}), func(*propose.Case) ([]change.Edit, error) {
		return nil, propose.Refuse("No.")
	})
	b.set(botPath, object{"fight": "off"})
	kept, err := b.engine.Plan(t.Context(), b.req)
	require.NoError(t, err)
	told := func(phase string, total int, done ...int) (out []posture.Progress) {
		for _, n := range done {
			out = append(out, posture.Progress{Phase: phase, Done: n, Total: total, Unit: "change"})
		}
		return out
	}
	of := func(phase string) (out []posture.Progress) {
		for _, p := range b.told {
			if p.Phase == phase {
				out = append(out, p)
			}
		}
		return out
	}
	require.Equal(t, told("read", 3, 1, 3), of("read"))
	got, err := b.apply(kept.Steps)
	require.NoError(t, err)
	require.Equal(t, told("apply", 2, 0, 1, 2), of("apply"))
	require.Len(t, of("read"), 2, "reading again for one change is no progress of the whole")
	_, err = b.engine.Rollback(t.Context(), got, false)
	require.NoError(t, err)
	require.Equal(t, told("roll back", 2, 0, 1, 2), of("roll back"))
}
