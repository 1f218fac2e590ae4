package app_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/explain"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestExplain follows requests to hosts of the newest runs of two accounts, and says of others which zones there are.
func TestExplain(t *testing.T) {
	t.Parallel()
	s := embedded(t, simcloud.Options{Seed: 3, Limit: simcloud.Limit{Disabled: true}, Accounts: []simcloud.AccountSpec{
		{Zones: 3, RecordsPerZone: 10, Plant: 0.5, Plans: []string{"enterprise"}}, {Zones: 2, RecordsPerZone: 5}}})
	ask := func(q url.Values) answer { return s.call(http.MethodGet, "/api/explain?"+q.Encode(), nil) }
	got := ask(url.Values{"url": {"www.example.com"}})
	require.Equal(t, 404, got.status, string(got.body))
	require.Contains(t, string(got.body), "No zone has been assessed yet")

	of := func(account int) posture.Assessment {
		return s.assessAll(map[string]any{"token": s.cloud.Tokens()[0].Secret, "accountId": s.cloud.Accounts()[account]})
	}
	first, other := of(0), of(1)
	for _, a := range []posture.Assessment{first, other} {
		for _, z := range a.Zones {
			got := ask(url.Values{"url": {"http://www." + z.Name + "/login?a=b"}, "source": {"203.0.113.0/24"}, "country": {"de"},
				"header": {"X-Key: k1", "X-Key: k2"}})
			require.Equal(t, 200, got.status, string(got.body))
			var e explain.Explanation
			got.into(t, &e)
			require.Equal(t, z.ID, e.Zone.ID)
			require.Equal(t, a.ID, e.AssessmentID)
			require.NotEmpty(t, e.Steps)
			require.NotEmpty(t, e.Outcome)
		}
	}
	zone := first.Zones[0].Name
	named := 0
	var e explain.Explanation
	got = ask(url.Values{"url": {zone}, "assessmentId": {first.ID}})
	got.into(t, &e)
	require.Equal(t, explain.Yes, e.Served)
	for _, step := range e.Steps {
		named += len(step.FindingIDs)
	}
	require.Positive(t, named)

	got = ask(url.Values{"url": {"shop.nobody.test"}})
	require.Equal(t, 404, got.status)
	require.Contains(t, string(got.body), "not_assessed")
	require.Contains(t, string(got.body), zone)
	require.Equal(t, 404, ask(url.Values{"url": {other.Zones[0].Name}, "assessmentId": {first.ID}}).status)

	for name, q := range map[string]url.Values{
		"no address":    {"url": {"ftp://" + zone}},
		"no host":       {"url": {"https:///x"}},
		"no port":       {"url": {zone + ":99999"}},
		"bad method":    {"url": {zone}, "method": {"G E T"}},
		"bad source":    {"url": {zone}, "source": {"300.1.1.1"}},
		"bad country":   {"url": {zone}, "country": {"1"}},
		"bad header":    {"url": {zone}, "header": {"no colon"}},
		"no assessment": {"url": {zone}, "assessmentId": {"x"}},
	} {
		require.Equal(t, 422, ask(q).status, name)
	}
}
