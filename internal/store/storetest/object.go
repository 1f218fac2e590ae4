package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

func objectCases() []testCase {
	return []testCase{
		{"an idempotency key names one object", objectOfKey},
		{"an idempotency key names its object for 24 hours", objectForgotten},
		{"twins get one object", objectOfTwins},
	}
}

func objectOfKey(t *testing.T, s store.Store) {
	key := store.Idempotency{Key: "key", Route: "POST /a", BodyHash: "hash"}
	of := func(i store.Idempotency, id string) string {
		t.Helper()
		got, err := s.ObjectOf(t.Context(), i, id, noon())
		require.NoError(t, err)
		return got
	}
	require.Empty(t, of(key, ""))
	require.Equal(t, "one", of(key, "one"), "looking bound nothing")
	require.Equal(t, "one", of(key, "two"))
	require.Equal(t, "one", of(key, ""))
	require.Equal(t, "three", of(store.Idempotency{Key: "key", Route: "POST /b", BodyHash: "hash"}, "three"))
	require.Equal(t, "four", of(store.Idempotency{Key: "key\x00", Route: "POST /a", BodyHash: "hash"}, "four"))
	for _, id := range []string{"", "five"} {
		_, err := s.ObjectOf(t.Context(), store.Idempotency{Key: "key", Route: "POST /a", BodyHash: "other"}, id, noon())
		require.ErrorIs(t, err, store.ErrIdempotencyConflict)
	}
}

func objectForgotten(t *testing.T, s store.Store) {
	key := store.Idempotency{Key: "key", Route: "POST /a", BodyHash: "hash"}
	for i, want := range []string{"one", "one", "three"} {
		got, err := s.ObjectOf(t.Context(), key, []string{"one", "two", "three"}[i],
			noon().Add([]time.Duration{0, 24 * time.Hour, 24*time.Hour + time.Second}[i]))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	key.BodyHash = "other"
	got, err := s.ObjectOf(t.Context(), key, "four", noon().Add(49*time.Hour))
	require.NoError(t, err)
	require.Equal(t, "four", got)
}

func objectOfTwins(t *testing.T, s store.Store) {
	key := store.Idempotency{Key: "key", Route: "POST /a", BodyHash: "hash"}
	got := make(chan string, 8)
	for i := range cap(got) {
		go func() {
			id, err := s.ObjectOf(t.Context(), key, string(rune('a'+i)), noon())
			if err != nil {
				id = err.Error()
			}
			got <- id
		}()
	}
	first := <-got
	require.Len(t, first, 1)
	for range cap(got) - 1 {
		require.Equal(t, first, <-got)
	}
}
