package assess

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
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

func (s *nameStore) PutSections(_ context.Context, _ string, _ int, sections []snapshot.Section) error {
	s.kept = append(s.kept, sections...)
	return nil
}

// phoneBook answers from a table; names it does not have give no answer.
type phoneBook struct {
	mu    sync.Mutex
	names map[string]snapshot.Lookup
	asked []string
	under atomic.Int64
	most  int // look-ups at the same time
}

func (b *phoneBook) Lookup(_ context.Context, q snapshot.Question) (snapshot.Lookup, error) {
	b.under.Add(1)
	defer b.under.Add(-1)
	runtime.Gosched()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, q.Scope())
	b.most = max(b.most, int(b.under.Load()))
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
	snap, kept, _ := lookAndTell(t, resolver, c, before...)
	return snap, kept
}

func lookAndTell(t *testing.T, resolver Resolver, c check.Check, before ...snapshot.Section) (_ *snapshot.Snapshot, _ *nameStore,
	told []posture.Progress) {
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
		r.progress(Run{Progress: func(p posture.Progress) { told = append(told, p) }}))
	require.NoError(t, err)
	return snap, kept, told
}

// TestLookupsTellHowFarTheyAre: a report for each batch.
func TestLookupsTellHowFarTheyAre(t *testing.T) {
	var many []string
	for i := range lookupBatch + 2 {
		many = append(many, fmt.Sprintf("n%04d.test", i))
	}
	book := &phoneBook{}
	_, _, told := lookAndTell(t, book, chain(many...))
	var done []int
	for _, p := range told {
		require.Equal(t, []any{"resolve", "name", len(many)}, []any{p.Phase, p.Unit, p.Total})
		done = append(done, p.Done)
	}
	require.Equal(t, []int{0, lookupBatch, len(many)}, done)
	require.LessOrEqual(t, book.most, lookupsAtOnce)
	require.Greater(t, book.most, 1)
}

// TestLookupsOfAllRoundsCount: what answers lead to is under the same limit.
func TestLookupsOfAllRoundsCount(t *testing.T) {
	var many []string
	book := &phoneBook{names: map[string]snapshot.Lookup{}}
	for i := range lookupLimit - 10 {
		many = append(many, fmt.Sprintf("n%04d.test", i))
		book.names[many[i]] = snapshot.Lookup{Answers: []string{fmt.Sprintf("m%04d.test", i)}}
	}
	_, _ = look(t, book, chain(many...))
	require.Len(t, book.asked, lookupLimit)
}

// TestLookupsOfEarlierAttemptsCount: the limit is that of a run, whatever its attempts.
func TestLookupsOfEarlierAttemptsCount(t *testing.T) {
	var many []string
	var before []snapshot.Section
	for i := range lookupLimit + 5 {
		many = append(many, fmt.Sprintf("n%04d.test", i))
		if i < 1000 {
			before = append(before, snapshot.Section{Source: snapshot.DNSLookup.Source(), Scope: "CNAME " + many[i], Status: snapshot.OK,
				Value: []byte("{}")})
		}
	}
	book := &phoneBook{names: map[string]snapshot.Lookup{}}
	_, _ = look(t, book, chain(many...), before...)
	require.Len(t, book.asked, lookupLimit-len(before))
}

func TestAnswersRaiseQuestions(t *testing.T) {
	book := &phoneBook{names: map[string]snapshot.Lookup{"a.test": {Answers: []string{"b.test"}}, "b.test": {Answers: []string{"c.test"}},
		"c.test": {Rcode: "NXDOMAIN"}}}
	snap, kept := look(t, book, chain("a.test", "silent.test"))
	require.Equal(t, []string{"CNAME a.test", "CNAME b.test", "CNAME c.test", "CNAME silent.test"}, snap.Scopes(snapshot.DNSLookup.Source()))
	require.Equal(t, snapshot.Failed, snap.Section(snapshot.DNSLookup.Source(), "CNAME silent.test").Status)
	require.Contains(t, snap.Section(snapshot.DNSLookup.Source(), "CNAME silent.test").Reason, "timeout")
	require.Len(t, kept.kept, 4)
	require.Equal(t, snap.Section(snapshot.DNSLookup.Source(), "CNAME silent.test"), kept.kept[3], "once nothing more is asked")
	require.Len(t, book.asked, 4, "nothing is asked twice")

	again := &phoneBook{}
	same, _ := look(t, again, chain("a.test", "silent.test"), kept.kept...)
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
	require.Len(t, kept.kept, 1)
	off := snap.Section(snapshot.DNSLookup.Source(), "CNAME a.test")
	require.Equal(t, snapshot.Failed, off.Status)
	require.Contains(t, off.Reason, "SERVICE_DNS_RESOLVER")
}
