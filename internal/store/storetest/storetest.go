// Package storetest holds the suites every engine of the store must pass. An
// engine's test calls each of them; a case that fails names the promise of
// package store that is broken.
package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

// Opener opens databases of one engine. Crash and Migration need it, because
// they come back to a database that was closed or whose process was killed.
type Opener interface {
	// Place names a new, empty database: a path or a URL. It is removed when
	// the test ends.
	Place(t testing.TB) string
	// Open opens the database at a place.
	Open(ctx context.Context, place string) (store.Store, error)
	// Check fails the test when the database at a place is damaged.
	Check(t testing.TB, place string)
}

// Migrator is an Opener that can stop half-way.
type Migrator interface {
	Opener
	// MigrateTo brings the empty database at a place to an older schema.
	MigrateTo(ctx context.Context, place string, version int64) error
	// Version gives the version of the schema at a place.
	Version(ctx context.Context, place string) (int64, error)
}

// Fresh opens a new database of o and closes it when the test ends. It fits the
// suites and benchmarks that take a function.
func Fresh(o Opener) func(t testing.TB) store.Store {
	return func(t testing.TB) store.Store {
		t.Helper()
		place := o.Place
		if m, is := o.(interface{ Migrated(t testing.TB) string }); is {
			place = m.Migrated
		}
		s, err := o.Open(t.Context(), place(t))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
}

// testCase is one promise and the function that shows it on an empty store.
type testCase struct {
	name string
	run  func(t *testing.T, s store.Store)
}

func run(t *testing.T, open func(t testing.TB) store.Store, groups ...[]testCase) {
	t.Helper()
	for _, group := range groups {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
		}
	}
}

// Basic shows what each method does on its own.
func Basic(t *testing.T, open func(t testing.TB) store.Store) {
	run(t, open, accountCases(), enqueueCases(), objectCases(), claimCases(), finishCases(), reconcileCases(), listCases(),
		sectionCases(), assessmentCases(), findingCases(), facetCases(), latestCases(), exceptionCases(), deliveryCases(), remediationCases(),
		scheduleCases(), auditCases(), evidenceCases(), retentionCases(), trendCases(), sessionCases(), identityCases(), passkeyCases(),
		viewCases(), issueWorkCases(), ticketCases(), alertCases(), serviceCases(), packCases())
}

// Transaction shows that a call happened completely or not at all, and that an
// attempt which lost its job changes nothing.
func Transaction(t *testing.T, open func(t testing.TB) store.Store) {
	run(t, open, fenceCases(), rollbackCases())
}

// Concurrency shows what holds when many callers do the same at once.
func Concurrency(t *testing.T, open func(t testing.TB) store.Store) {
	run(t, open, raceCases(), raceJobCases())
}
