package assess

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// nameStore keeps what the look-ups store.
type nameStore struct {
	Store
	kept []snapshot.Section
}

func (s *nameStore) PutSections(_ context.Context, _ string, sections []snapshot.Section) error {
	s.kept = append(s.kept, sections...)
	return nil
}

// phoneBook answers from a table; names it does not have give no answer.
type phoneBook struct {
	mu    sync.Mutex
	names map[string]snapshot.Lookup
	asked []string
}

func (b *phoneBook) Lookup(_ context.Context, q snapshot.Question) (snapshot.Lookup, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, q.Scope())
	if l, ok := b.names[q.Name]; ok {
		return l, nil
	}
	return snapshot.Lookup{}, errors.New("timeout")
}

// chain is a check that follows aliases one question at a time.
func chain(first ...string) check.Check {
	return check.Check{ID: "CFL-TEST-001", Scope: check.PerAccount, Needs: []snapshot.Named{snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.DNSLookup}, Asks: func(v *check.View) []snapshot.Question {
			var out []snapshot.Question
			for _, name := range first {
				for name != "" {
					q := snapshot.Question{Type: "CNAME", Name: name}
					out = append(out, q)
					name = ""
					if l, ok := check.ReadOptionalAt(v, snapshot.DNSLookup, q.Scope()); ok && len(l.Answers) > 0 {
						name = l.Answers[0]
					}
				}
			}
			return out
		}}
}

func look(t *testing.T, resolver Resolver, c check.Check, before ...snapshot.Section) (*snapshot.Snapshot, *nameStore) {
	t.Helper()
	kept := &nameStore{}
	r := New(Options{Store: kept, Requests: Requests{Resolver: func(bool) Resolver { return resolver }}, Process: Process{Now: simNow}})
	b := snapshot.NewBuilder(snapshot.AccountRef{ID: goodtest.Account}, simNow())
	snapshot.Put(b, snapshot.ZoneList, goodtest.Account, []snapshot.Zone{})
	for _, s := range before {
		b.Set(s)
	}
	snap, err := b.Build()
	require.NoError(t, err)
	snap, err = r.lookups(t.Context(), Run{Job: store.JobRow{Job: posture.Job{ID: "j"}}}, []check.Check{c}, policy.Default(), snap,
		r.progress(Run{}))
	require.NoError(t, err)
	return snap, kept
}

func TestAnswersRaiseQuestions(t *testing.T) {
	book := &phoneBook{names: map[string]snapshot.Lookup{"a.test": {Answers: []string{"b.test"}}, "b.test": {Answers: []string{"c.test"}},
		"c.test": {Rcode: "NXDOMAIN"}}}
	snap, kept := look(t, book, chain("a.test", "silent.test"))
	require.Equal(t, []string{"CNAME a.test", "CNAME b.test", "CNAME c.test", "CNAME silent.test"}, snap.Scopes(snapshot.DNSLookup.Source()))
	require.Equal(t, snapshot.Failed, snap.Section(snapshot.DNSLookup.Source(), "CNAME silent.test").Status)
	require.Contains(t, snap.Section(snapshot.DNSLookup.Source(), "CNAME silent.test").Reason, "timeout")
	require.Len(t, kept.kept, 3, "only answers are kept")
	require.Len(t, book.asked, 4, "nothing is asked twice")

	again := &phoneBook{}
	same, _ := look(t, again, chain("a.test"), kept.kept...)
	require.Empty(t, again.asked, "a resumed run asks only what is missing")
	require.Equal(t, snapshot.OK, same.Section(snapshot.DNSLookup.Source(), "CNAME c.test").Status)
}

func TestLookupsAreBoundedAndCanBeOff(t *testing.T) {
	var many []string
	book := &phoneBook{names: map[string]snapshot.Lookup{}}
	for i := range lookupLimit + 5 {
		many = append(many, fmt.Sprintf("n%04d.test", i))
		book.names[many[i]] = snapshot.Lookup{Rcode: "NOERROR"}
	}
	snap, _ := look(t, book, chain(many...))
	require.Len(t, book.asked, lookupLimit)
	last := snap.Section(snapshot.DNSLookup.Source(), "CNAME "+many[len(many)-1])
	require.Equal(t, snapshot.Failed, last.Status)
	require.Contains(t, last.Reason, "limit of 2000")

	snap, kept := look(t, nil, chain("a.test"))
	require.Empty(t, kept.kept)
	off := snap.Section(snapshot.DNSLookup.Source(), "CNAME a.test")
	require.Equal(t, snapshot.Failed, off.Status)
	require.Contains(t, off.Reason, "SERVICE_DNS_RESOLVER")
}
