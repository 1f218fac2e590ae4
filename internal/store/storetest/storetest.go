// Package storetest holds the test suites every engine of the store must pass. An engine's test calls
// each of them; the name of a failing case says which promise of package store is broken.
package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

// Opener opens databases of one engine. Crash and Migration need it because they reopen a database that
// was closed or whose process was killed.
type Opener interface {
	// Place returns the path or URL of a new, empty database, which is removed when the test ends.
	Place(t testing.TB) string
	// Open opens the database at a place.
	Open(ctx context.Context, place string) (store.Store, error)
	// Check fails the test when the database at a place is corrupt.
	Check(t testing.TB, place string)
}

// Migrator is an Opener that can migrate to an older schema.
type Migrator interface {
	Opener
	// MigrateTo migrates the empty database at a place to an older schema.
	MigrateTo(ctx context.Context, place string, version int64) error
	// Version returns the schema version of the database at a place.
	Version(ctx context.Context, place string) (int64, error)
}

// Fresh returns a function that opens a new database of o and closes it when the test ends, for the
// suites and benchmarks that take such a function.
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

// testCase is one promise and the function that tests it on an empty store.
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

// Basic tests each method on its own.
func Basic(t *testing.T, open func(t testing.TB) store.Store) {
	run(t, open, accountCases(), enqueueCases(), objectCases(), claimCases(), finishCases(), reconcileCases(), listCases(),
		sectionCases(), assessmentCases(), findingCases(), facetCases(), latestCases(), exceptionCases(), deliveryCases(), remediationCases(),
		scheduleCases(), auditCases(), evidenceCases(), retentionCases(), trendCases(), sessionCases(), identityCases(), passkeyCases(),
		viewCases(), issueWorkCases(), ticketCases(), alertCases(), serviceCases(), packCases())
}

// Transaction tests that a call takes effect completely or not at all, and that an attempt that lost
// its job changes nothing.
func Transaction(t *testing.T, open func(t testing.TB) store.Store) {
	run(t, open, fenceCases(), rollbackCases())
}

// Concurrency tests concurrent calls of many callers.
func Concurrency(t *testing.T, open func(t testing.TB) store.Store) {
	run(t, open, raceCases(), raceJobCases())
}
