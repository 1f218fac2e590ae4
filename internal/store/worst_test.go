package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// one is a store of the finding "far", which fails to read any other.
type one struct{}

func (one) LatestFinding(_ context.Context, id string, _ time.Time) (LatestFinding, error) {
	switch id {
	case "far":
		return listed("far")[0], nil
	case "gone":
		return LatestFinding{}, ErrNotFound
	default:
		return LatestFinding{}, errors.New("the disk is full")
	}
}

func listed(ids ...string) (out []LatestFinding) {
	for _, id := range ids {
		out = append(out, LatestFinding{Finding: posture.Finding{ID: id}})
	}
	return out
}

func TestWorstFirst(t *testing.T) {
	for worst, want := range map[string][]LatestFinding{"": listed("a", "b", "c"), "a": listed("a", "b", "c"),
		"c": listed("c", "a", "b"), "far": listed("far", "a", "b"), "gone": listed("a", "b", "c")} {
		got, err := worstFirst(t.Context(), one{}, issue.Issue{WorstID: worst}, listed("a", "b", "c"), time.Now())
		require.NoError(t, err)
		require.Equal(t, want, got, worst)
	}
	got, err := worstFirst(t.Context(), one{}, issue.Issue{WorstID: "far"}, nil, time.Now())
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = worstFirst(t.Context(), one{}, issue.Issue{WorstID: "odd"}, listed("a"), time.Now())
	require.ErrorContains(t, err, "worst finding")
}
