package remedy_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

type names func(snapshot.Question) (snapshot.Lookup, error)

func (n names) Lookup(_ context.Context, q snapshot.Question) (snapshot.Lookup, error) { return n(q) }

// nameFirst looks a name up before it proposes.
func nameFirst() propose.Proposal {
	return func(c *propose.Case) ([]change.Edit, error) {
		if _, err := c.Ask(snapshot.Question{Type: "TXT", Name: "example.com"}); err != nil {
			return nil, err
		}
		return minTLS()(c)
	}
}

// TestWhatBecomesOfAFinding: a change, a reason why there is none, or work for people.
func TestWhatBecomesOfAFinding(t *testing.T) {
	t.Parallel()
	answers := names(func(snapshot.Question) (snapshot.Lookup, error) { return snapshot.Lookup{}, nil })
	silent := names(func(snapshot.Question) (snapshot.Lookup, error) { return snapshot.Lookup{}, errors.New("no answer") })
	elsewhere := func(edit func(*change.Edit)) *propose.Remedy {
		return &propose.Remedy{Propose: func(c *propose.Case) ([]change.Edit, error) {
			edits, err := minTLS()(c)
			for i := range edits {
				edit(&edits[i])
			}
			return edits, err
		}}
	}
	chosen := &propose.Remedy{Inputs: []change.Input{{Name: "team"}}, Propose: func(c *propose.Case) ([]change.Edit, error) {
		return nil, c.Input("team", new(string))
	}}
	for name, tc := range map[string]struct {
		remedy    *propose.Remedy
		resolver  remedy.Resolver
		changes   int
		skipped   string
		compliant bool
		manual    bool
	}{
		"a change":                     {remedy: &propose.Remedy{Propose: minTLS()}, changes: 1},
		"no remedy":                    {manual: true},
		"a remedy that is only words":  {remedy: &propose.Remedy{}, manual: true},
		"a value for people to choose": {remedy: chosen, manual: true},
		"refused": {remedy: &propose.Remedy{Propose: propose.Members("PATCH", botPath, object{})},
			skipped: "no longer there"},
		"right already": {remedy: &propose.Remedy{Propose: propose.Members("PATCH", tlsPath, object{"min": "1.0"})},
			skipped: "already right", compliant: true},
		"a panic": {remedy: &propose.Remedy{Propose: func(*propose.Case) ([]change.Edit, error) { panic("form") }},
			skipped: "has a form"},
		"an edit of another zone":       {remedy: elsewhere(func(e *change.Edit) { e.Do.Path = "/zones/z2/tls" }), skipped: "lead out"},
		"a name":                        {remedy: &propose.Remedy{Propose: nameFirst()}, resolver: answers, changes: 1},
		"a name without an answer":      {remedy: &propose.Remedy{Propose: nameFirst()}, resolver: silent, skipped: "could not be read"},
		"a name, and nobody looks up":   {remedy: &propose.Remedy{Propose: nameFirst()}, skipped: "not looked up here"},
		"two edits that are the same":   {remedy: &propose.Remedy{Propose: twice(minTLS())}, changes: 1},
		"waits with edits of its own":   {remedy: &propose.Remedy{Propose: eager()}, changes: 1},
		"a check nobody knows any more": {remedy: nil, manual: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.add("A", tc.remedy)
			if name == "a check nobody knows any more" {
				b.engine.Checks = nil
			}
			b.engine.Resolver = tc.resolver
			plan := b.plan().Plan
			require.Len(t, plan.Changes, tc.changes)
			require.Equal(t, tc.manual, len(plan.Manual) == 1)
			if tc.skipped == "" {
				require.Empty(t, plan.Skipped)
				return
			}
			require.Len(t, plan.Skipped, 1)
			require.Contains(t, plan.Skipped[0].Reason, tc.skipped)
			require.Equal(t, tc.compliant, plan.Skipped[0].Compliant)
		})
	}
}

func twice(p propose.Proposal) propose.Proposal {
	return func(c *propose.Case) ([]change.Edit, error) {
		edits, err := p(c)
		return append(edits, edits...), err
	}
}

// eager gives edits of nowhere with its wish to read: they do not count yet.
func eager() propose.Proposal {
	return func(c *propose.Case) ([]change.Edit, error) {
		edits, err := minTLS()(c)
		if propose.Waits(err) {
			edits = []change.Edit{{}}
		}
		return edits, err
	}
}

// TestRemedyWithoutEnd: one that always wants more, or wants nothing and still waits, ends the plan.
func TestRemedyWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"always more": "/zones/z1/%d", "nothing": ""} {
		asked := 0
		b := newBench(t, func(c *propose.Case) ([]change.Edit, error) {
			if asked++; path != "" {
				_, _ = c.Read(fmt.Sprintf(path, asked))
			}
			return nil, propose.UnreadError{}
		})
		_, err := b.engine.Plan(t.Context(), b.req)
		require.ErrorContains(t, err, "never has all it wants", name)
		require.Equal(t, map[string]int{"always more": 13, "nothing": 1}[name], asked)
	}
}

// TestReadsAtOnce: eight, however many objects a plan needs.
func TestReadsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &waiting{waiting: make(chan struct{}, 100), on: make(chan struct{})}
		b := newBench(t, func(c *propose.Case) ([]change.Edit, error) {
			var last error
			for i := range 20 {
				if _, err := c.Read(fmt.Sprint("/zones/z1/", i)); err != nil {
					last = err
				}
			}
			return nil, last
		})
		b.engine.Provider, slow.Provider = slow, b.memory
		ended := make(chan error)
		go func() {
			_, err := b.engine.Plan(t.Context(), b.req)
			ended <- err
		}()
		synctest.Wait()
		require.Len(t, slow.waiting, 8)
		close(slow.on)
		require.NoError(t, <-ended)
		require.Len(t, slow.waiting, 20)
	})
}

type waiting struct {
	remedy.Provider
	waiting, on chan struct{}
}

func (w *waiting) Live(ctx context.Context, path string, header map[string]string) (any, error) {
	w.waiting <- struct{}{}
	<-w.on
	return w.Provider.Live(ctx, path, header)
}

// TestFullPlan: a plan ends at its limit and says so once for each finding.
func TestFullPlan(t *testing.T) {
	t.Parallel()
	many := func(c *propose.Case) ([]change.Edit, error) {
		var out []change.Edit
		for i := range remedy.MaxChanges {
			edit := tlsEdit()
			edit.Label = fmt.Sprint(i)
			out = append(out, edit)
		}
		return out, nil
	}
	b := newBench(t, many, many)
	plan := b.plan().Plan
	require.Len(t, plan.Changes, remedy.MaxChanges)
	require.Len(t, plan.Skipped, 1)
	require.Contains(t, plan.Skipped[0].Reason, "full with 500 changes")
	require.False(t, plan.Skipped[0].Compliant)
}

// TestOrderOfAPlan: what removes most attack paths alone comes first, then severity over risk, then the check.
func TestOrderOfAPlan(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i, tc := range []struct {
		severity posture.Severity
		risk     string
	}{{posture.High, change.High}, {posture.Medium, change.Low}, {posture.Low, change.High}, {posture.Medium, change.Low}} {
		path, id := fmt.Sprint("/zones/z1/", i), string(rune('A'+i))
		b.set(path, object{"on": false})
		b.add(id, &propose.Remedy{Risk: tc.risk, Propose: propose.Members("PATCH", path, object{"on": true})})
		b.req.Findings[i].Severity = tc.severity
	}
	b.req.Owner = map[string]string{"fA": "A", "fB": "B", "fC": "C", "fD": "D"}
	path := func(id string, findings []string, breaks ...[]string) posture.AttackPath {
		p := posture.AttackPath{ID: id, FindingIDs: findings}
		for _, checks := range breaks {
			p.Breaks = append(p.Breaks, posture.Break{CheckIDs: checks, Remediable: true})
		}
		return p
	}
	b.req.Paths = []posture.AttackPath{
		path("z", []string{"fC"}, []string{"C"}, []string{"C"}), // two ways that are the same change
		path("y", []string{"fC"}, []string{"C"}),
		path("x", []string{"fA", "fB"}, []string{"A", "B"}), // only both
	}
	plan := b.plan().Plan
	var order []string
	removes := map[string][]string{}
	for _, c := range plan.Changes {
		order = append(order, c.CheckID)
		removes[c.CheckID] = c.RemovesPathIDs
	}
	require.Equal(t, []string{"C", "B", "D", "A"}, order)
	require.Equal(t, map[string][]string{"A": {}, "B": {}, "C": {"y", "z"}, "D": {}}, removes)
	require.Equal(t, []string{"x", "y", "z"}, plan.PathsRemoved)
}
