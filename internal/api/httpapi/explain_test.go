package httpapi

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

func TestServedFor(t *testing.T) {
	b := goodtest.Snapshot()
	snapshot.Put(b, snapshot.ZoneCustomHostnames, goodtest.Zone, []snapshot.CustomHostname{
		{ID: "1", Hostname: "shop.customer.test", Status: "active"},
		{ID: "2", Hostname: "all.customer.test", Wildcard: true}, {ID: "3", Hostname: "old.customer.test", Status: "deleted"}})
	snap, err := b.Build()
	require.NoError(t, err)
	for host, want := range map[string]string{"shop.customer.test": goodtest.Zone, "SHOP.customer.test": goodtest.Zone,
		"x.shop.customer.test": "", "a.all.customer.test": goodtest.Zone, "old.customer.test": "", "customer.test": ""} {
		require.Equal(t, want, servedFor(snap, host), host)
	}
}

// busy is a store in which the newest runs are all of one account, and the quiet one's newest is a narrowed run.
type busy struct{ store.Store }

func ran(id, account string, hour int, scope *posture.Scope) posture.AssessmentSummary {
	return posture.AssessmentSummary{ID: id, Account: posture.AccountRef{ID: account}, Scope: scope,
		CompletedAt: time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)}
}

func (busy) Accounts(context.Context) ([]posture.Account, error) {
	return []posture.Account{{ID: "one", ProviderID: "busy"}, {ID: "two", ProviderID: "quiet"}, {ID: "three", ProviderID: "never"}}, nil
}

func (busy) LatestSummaries(context.Context, []string) (map[string]posture.AssessmentSummary, error) {
	return map[string]posture.AssessmentSummary{"one": ran("new", "busy", 9, nil), "two": ran("some zones", "quiet", 2, &posture.Scope{})}, nil
}

func (busy) NewestWhole(context.Context, string) (string, error) { return "whole", nil }

func (busy) Assessment(context.Context, string) (posture.Assessment, error) {
	return posture.Assessment{AssessmentSummary: ran("whole", "quiet", 1, nil)}, nil
}

func (busy) Assessments(_ context.Context, _ store.AssessmentFilter, p store.Page) (out []posture.AssessmentSummary, _ string, _ error) {
	for range p.Limit - 1 {
		out = append(out, ran("another", "busy", 8, nil))
	}
	return append(out, ran("once", "one-off", 7, &posture.Scope{})), "more", nil
}

// TestQuietAccountsAreFound: however many runs others had since, and without reading them.
func TestQuietAccountsAreFound(t *testing.T) {
	runs, err := (&Server{o: Options{Store: busy{}}}).newestOfEach(t.Context())
	require.NoError(t, err)
	ids := []string{}
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	require.Equal(t, []string{"new", "once", "whole"}, ids)
}
