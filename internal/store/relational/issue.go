package relational

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/store"
)

// issueSum is a cached list of issues, summed up from findings.
type issueSum struct {
	changes     issueChanges
	from, until int64 // between these instants no exception it depends on expires, and no day ends
	all         []issue.Issue
}

// issueChanges are counters of what changes the issues of the newest findings. They only grow.
type issueChanges struct{ runs, exceptions, decisions int64 }

// ofFindings clears the counter of people's decisions.
func (c issueChanges) ofFindings() issueChanges { c.decisions = 0; return c }

// hold returns a function that reports whether a cached sum is valid at an instant and these counters.
func (c issueChanges) hold(at int64) func(*issueSum) bool {
	return func(kept *issueSum) bool { return kept.changes == c && kept.from <= at && at < kept.until }
}

// size leaves out the texts, which are shared with the accounts' sums.
func (s *issueSum) size() int { return len(s.all) * int(unsafe.Sizeof(issue.Issue{})) }

// accountSum is a cached list of issues from the open findings of one account; lists over several
// accounts are merged from these.
type accountSum struct {
	changes     int64       // the account's change counter
	accepted    acceptances // the exceptions it depends on
	from, until int64       // between these instants no exception in it expires
	all         []issue.Issue
}

// holds reports whether the sum is valid at an instant, for a change counter and the accepted states.
func (s *accountSum) holds(changes int64, accepted acceptances, at int64) bool {
	return s.changes == changes && s.from <= at && at < s.until && maps.Equal(s.accepted, accepted)
}

func (s *accountSum) size() int {
	n := 16 * len(s.accepted)
	for i := range s.all {
		n += s.all[i].Size()
	}
	return n
}

// issueFacts are the facts that issues are made from, for an account or a run; they are cached because
// they take long to read.
type issueFacts struct {
	changes int64 // the account's change counter when they were read
	all     []issue.Fact
	states  []int64 // the number of each finding's state; nil for a run
}

// factsOf is the cache key of issueFacts.
type factsOf struct {
	account string
	run     int64
}

func (f *issueFacts) size() (n int) {
	for i := range f.all {
		n += int(unsafe.Sizeof(f.all[i])) + 8 + len(f.all[i].ID) + len(f.all[i].Title) + 16*len(f.all[i].Paths)
	}
	return n
}

// Cache sizes in bytes: facts of some 200,000 findings, some 120,000 issues of accounts before
// decisions, and lists of some 200,000 issues in all.
const (
	issueFactsKept  = 64 << 20
	accountSumsKept = 96 << 20
	issueSumsKept   = 96 << 20
)

// RunIssues implements store.Issues.
func (s *Store) RunIssues(ctx context.Context, assessmentID string, of store.IssueScope, now time.Time) ([]issue.Issue, error) {
	a, err := s.open(ctx, assessmentID)
	if err != nil {
		return nil, err
	}
	decisions, err := selected[int64](ctx, s, "look for decisions about issues", decisionChanges)
	if err != nil {
		return nil, err
	}
	all, err := s.decided(ctx, fmt.Sprintf("run %d", a.no), []string{a.account}, of.Zones, issueChanges{decisions: decisions}, now,
		func(zones []string) (*issueSum, error) {
			facts, err := s.runFacts(ctx, a)
			if err != nil {
				return nil, err
			}
			var ids []string
			if len(zones) > 0 {
				ids = []string{}
			}
			for _, no := range a.catalogue.inZones(zones) {
				ids = append(ids, a.catalogue.Zones[no].ID)
			}
			return &issueSum{until: math.MaxInt64, all: facts.sum(a.account, ids, nil, 0).all}, nil
		})
	if err != nil {
		return nil, s.orGone(ctx, a.no, err)
	}
	return all, s.stillThere(ctx, a.no)
}

// LatestIssues implements store.Issues.
func (s *Store) LatestIssues(ctx context.Context, of store.IssueScope, now time.Time) ([]issue.Issue, error) {
	accounts, changes, err := s.issueChanges(ctx)
	if err != nil {
		return nil, err
	}
	asked := cleanAll(of.Accounts)
	if in := setOf(asked); len(asked) > 0 {
		maps.DeleteFunc(accounts, func(account string, _ int64) bool { return !in[account] })
	}
	return s.decided(ctx, "now", asked, of.Zones, changes, now, func(zones []string) (*issueSum, error) {
		return s.latestSum(ctx, accounts, zones, changes.ofFindings(), micros(now))
	})
}

// latestSum sums up the open findings of accounts at an instant; accounts maps each to its change
// counter. Cached sums are reused for accounts in which nothing changed.
func (s *Store) latestSum(ctx context.Context, accounts map[string]int64, words []string, changes issueChanges,
	at int64) (*issueSum, error) {
	var zones, with []string
	err := s.read(ctx, "look for zones", func(db bun.IDB) (err error) {
		if zones, err = zoneIDs(ctx, db, words); err != nil || zones == nil {
			return err
		}
		return db.NewRaw("SELECT DISTINCT provider_account_id FROM finding_state WHERE class = ? AND zone_id IN (?)", classOpen,
			bun.List(zones)).Scan(ctx, &with)
	})
	if err != nil {
		return nil, err
	}
	accepted, err := s.acceptedStates(ctx, changes)
	if err != nil {
		return nil, err
	}
	out := &issueSum{until: math.MaxInt64}
	var lists [][]issue.Issue
	add := func(sum *accountSum) {
		lists, out.until = append(lists, sum.all), min(out.until, sum.until)
	}
	missing := map[string]int64{}
	for account, n := range accounts {
		switch kept, ok := s.accountSums.get(account); {
		case zones != nil && !slices.Contains(with, account):
		case zones == nil && ok && kept.holds(n, accepted[account], at):
			add(kept)
		default:
			missing[account] = n
		}
	}
	err = s.eachFacts(ctx, missing, func(account string, facts *issueFacts) {
		sum := facts.sum(account, zones, accepted[account], at)
		if add(sum); zones == nil {
			s.accountSums.put(account, sum)
		}
	})
	out.all = issue.Ranked(lists...)
	return out, err
}

// sum sums up the facts of an account, or of some of its zones. For a run, acceptance is fixed in the
// facts; for states it follows from accepted and at.
func (f *issueFacts) sum(account string, zones []string, accepted acceptances, at int64) *accountSum {
	out := &accountSum{changes: f.changes, accepted: accepted, from: at, until: math.MaxInt64}
	var sum issue.Sum
	for i, fact := range f.all {
		if zones != nil && !slices.Contains(zones, fact.ZoneID) {
			continue
		}
		if f.states != nil {
			end := accepted[f.states[i]]
			if fact.Accepted = end > at; fact.Accepted {
				out.until = min(out.until, end)
			}
		}
		sum.AddFact(account, fact)
	}
	out.all = sum.Issues()
	return out
}

// summed returns a cached sum while it is valid, or makes it. Only one is made at a time: that takes
// memory, and a caller that waited for the same sum finds it in the cache.
func (s *Store) summed(ctx context.Context, of string, isTrue func(*issueSum) bool, sum func() (*issueSum, error)) (*issueSum, error) {
	if kept, ok := s.issueSums.get(of); ok && isTrue(kept) {
		return kept, nil
	}
	select {
	case s.summing <- struct{}{}:
		defer func() { <-s.summing }()
	case <-ctx.Done():
		return nil, fmt.Errorf("sum findings up: %w", context.Cause(ctx))
	}
	if kept, ok := s.issueSums.get(of); ok && isTrue(kept) {
		return kept, nil
	}
	made, err := sum()
	if err == nil {
		s.issueSums.put(of, made)
	}
	return made, err
}

// issueChanges gives the change counter of each account and the counters over all. What is read
// afterwards is at least as new.
func (s *Store) issueChanges(ctx context.Context) (of map[string]int64, all issueChanges, err error) {
	err = s.read(ctx, "look for changes of findings", func(db bun.IDB) error {
		of, all = map[string]int64{}, issueChanges{}
		if err := db.NewRaw("SELECT e.changes, ("+decisionChanges+") FROM exception_guard AS e").Scan(ctx, &all.exceptions,
			&all.decisions); err != nil {
			return err
		}
		rows, err := db.NewSelect().Table("finding_change").Column("provider_account_id", "changes").Rows(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // read only
		for rows.Next() {
			var account string
			var n int64
			if err := rows.Scan(&account, &n); err != nil {
				return err
			}
			of[account] = n
			all.runs += n
		}
		return rows.Err()
	})
	return of, all, err
}

// acceptances maps the number of an open state to the time at which the exception that applies to it
// expires.
type acceptances map[int64]int64

// acceptance caches the acceptances of all accounts for one value of the counters.
type acceptance struct {
	changes issueChanges
	of      map[string]acceptances
}

// acceptedStates gives the acceptances of each account; changes is the cache key.
func (s *Store) acceptedStates(ctx context.Context, changes issueChanges) (map[string]acceptances, error) {
	if kept := s.acceptance.Load(); kept != nil && kept.changes == changes {
		return kept.of, nil
	}
	of := map[string]acceptances{}
	err := s.read(ctx, "look for accepted findings", func(db bun.IDB) error {
		rows, err := db.NewSelect().Model((*stateRow)(nil)).Column("provider_account_id", "no", "excepted_until").
			Where("class = ? AND exception_id <> ''", classOpen).Rows(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // read only
		for clear(of); rows.Next(); {
			var account string
			var no, end int64
			if err := rows.Scan(&account, &no, &end); err != nil {
				return err
			}
			if of[account] == nil {
				of[account] = acceptances{}
			}
			of[account][no] = end
		}
		return rows.Err()
	})
	if err == nil {
		s.acceptance.Store(&acceptance{changes, of})
	}
	return of, err
}

// accountsAtOnce bounds the accounts whose findings are read together.
const accountsAtOnce = 16

// eachFacts calls do with the facts of each account, in any order; changes maps the accounts to their
// change counters.
func (s *Store) eachFacts(ctx context.Context, changes map[string]int64, do func(account string, facts *issueFacts)) error {
	var missing []string
	for _, account := range slices.Sorted(maps.Keys(changes)) {
		if facts, ok := s.issueFacts.get(factsOf{account: account}); ok && facts.changes == changes[account] {
			do(account, facts)
		} else {
			missing = append(missing, account)
		}
	}
	for accounts := range slices.Chunk(missing, accountsAtOnce) {
		states, err := s.issueStates(ctx, accounts)
		if err != nil {
			return err
		}
		of := make(map[string]*issueFacts, len(accounts))
		for _, account := range accounts {
			of[account] = &issueFacts{changes: changes[account]}
		}
		if err := s.readFacts(ctx, states, func(st *issueState, f issue.Fact) {
			into := of[st.account]
			into.all, into.states = append(into.all, f), append(into.states, st.no)
		}); err != nil {
			return err
		}
		for account, facts := range of {
			s.issueFacts.put(factsOf{account: account}, facts)
			do(account, facts)
		}
	}
	return nil
}
