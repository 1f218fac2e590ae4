package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func TestSweepExceptionsEmbedded(t *testing.T) {
	t.Parallel()
	embedded(t, fixable()).holdsExceptions()
}

func TestSweepExceptionsDistributed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	s, _ := distributed(t, fixable())
	s.holdsExceptions()
}

type findingList struct {
	Items  []store.LatestFinding
	Hidden int
}

func (s *system) listed(query string) (out findingList) {
	s.t.Helper()
	s.get("/api/findings?limit=1000&"+query, &out)
	return out
}

// holdsExceptions accepts risks over the API and looks everywhere they must and must
// not show.
func (s *system) holdsExceptions() {
	t := s.t
	before := s.assessed()
	whole := s.listed("")
	require.Zero(t, whole.Hidden)
	planned := s.planned(map[string]any{})
	old := s.call("GET", "/api/assessments/"+before.ID, nil)

	body := map[string]any{"match": map[string]any{"checkIds": []string{"CFL-SSL-001", "CFL-SSL-002"}},
		"expiresAt": time.Now().Add(24 * time.Hour), "reason": "moving in spring", "owner": "web team"}
	var preview struct {
		Findings, OnAttackPaths int
		BySeverity              map[posture.Severity]int
		AttackPaths             []struct{ ID string }
		Sample                  []posture.Finding
		Message                 string
	}
	got := s.call("POST", "/api/exceptions/preview", body)
	require.Equal(t, 200, got.status, string(got.body))
	got.into(t, &preview)
	require.GreaterOrEqual(t, preview.Findings, 4)
	require.Positive(t, preview.OnAttackPaths)
	require.Contains(t, preview.Message, "hides ")
	require.Contains(t, preview.Message, " on ")
	require.Zero(t, s.listed("").Hidden, "a preview keeps nothing")

	var made httpapi.ExceptionMade
	got = s.call("POST", "/api/exceptions", body, "Idempotency-Key", "once")
	require.Equal(t, 201, got.status, string(got.body))
	got.into(t, &made)
	require.Equal(t, preview.Findings, made.Hides)
	require.Equal(t, preview.Message, made.Preview.Message)
	require.Equal(t, posture.ExceptionActive, made.State)
	var again httpapi.ExceptionMade
	s.call("POST", "/api/exceptions", body, "Idempotency-Key", "once").into(t, &again)
	require.Equal(t, made.ID, again.ID)
	require.Equal(t, made.Hides, again.Hides)

	// At once, in every list.
	require.Equal(t, made.Hides, s.listed("").Hidden)
	require.Len(t, s.listed("").Items, len(whole.Items)-made.Hides)
	require.Len(t, s.listed("exception=shown").Items, len(whole.Items))
	for _, f := range s.listed("exception=only").Items {
		require.Equal(t, made.ID, *f.Exception)
		require.Equal(t, made.ID, *s.finding(f.ID).Exception)
	}
	require.Equal(t, old.body, s.call("GET", "/api/assessments/"+before.ID, nil).body, "a saved assessment never changes")
	require.Equal(t, old.header.Get("ETag"), s.call("GET", "/api/assessments/"+before.ID, nil).header.Get("ETag"))

	// A plan of everything leaves it alone and says so, and so does one of its check; one that names it does not.
	plan := s.planned(map[string]any{})
	require.Less(t, len(plan.Changes), len(planned.Changes))
	require.Contains(t, plan.Skipped[len(plan.Skipped)-1].Reason, "moving in spring (accepted by web team")
	require.Empty(t, s.planned(map[string]any{"checkIds": []string{"CFL-SSL-002"}}).Changes)
	hidden := s.listed("exception=only&check=CFL-SSL-002").Items
	require.NotEmpty(t, s.planned(map[string]any{"findingIds": []string{hidden[0].ID}}).Changes)

	// The next run carries it and judges as before.
	after := s.assessed()
	require.Equal(t, before.Score, after.Score)
	require.Equal(t, before.Coverage, after.Coverage)
	require.Equal(t, before.Summary, after.Summary)
	require.Equal(t, before.AttackPaths, after.AttackPaths)
	accepted := 0
	for _, f := range after.Findings {
		if f.Exception != nil {
			accepted++
			require.Equal(t, made.ID, *f.Exception)
			require.Contains(t, f.ExceptionNote, "moving in spring")
		}
	}
	require.Equal(t, made.Hides, accepted)
	var graph struct{ AttackPaths []posture.AttackPath }
	s.get("/api/posture/graph", &graph)
	marked := 0
	for _, p := range graph.AttackPaths {
		if len(p.AcceptedFindingIDs) > 0 {
			marked++
			require.Subset(t, p.FindingIDs, p.AcceptedFindingIDs)
		}
	}
	require.Equal(t, made.Preview.OnAttackPaths, marked)
	require.Len(t, graph.AttackPaths, after.AttackPaths, "a path stays")
	s.everywhere(made)

	// Gone at once, for good, and the row stays.
	for range 2 {
		require.Equal(t, http.StatusNoContent, s.call("DELETE", "/api/exceptions/"+made.ID, nil).status)
	}
	require.Len(t, s.listed("").Items, len(whole.Items))
	require.Zero(t, s.listed("").Hidden)
	var list struct{ Items []posture.Exception }
	s.get("/api/exceptions", &list)
	require.Len(t, list.Items, 1)
	require.Equal(t, posture.ExceptionRevoked, list.Items[0].State)
	require.Equal(t, 404, s.call("DELETE", "/api/exceptions/01890000-0000-7000-8000-000000000000", nil).status)
	s.refusesExceptions()
}

// everywhere looks for an exception in what leaves the service.
func (s *system) everywhere(e httpapi.ExceptionMade) {
	t := s.t
	for format, want := range map[string][]string{"json": {e.ID, "moving in spring"}, "csv": {e.ID, "moving in spring"},
		"markdown": {"moving in spring"}, "html": {e.ID, "moving in spring"},
		"sarif": {`"suppressions"`, `"status":"accepted"`, `"kind":"external"`, "moving in spring"}, "asff": {`"SUPPRESSED"`},
		"ocsf": {`"Suppressed"`, e.ID}} {
		got := s.call("GET", "/api/download/"+format, nil)
		require.Equal(t, 200, got.status)
		text := strings.ReplaceAll(string(got.body), `": `, `":`)
		for _, w := range want {
			require.Contains(t, text, w, format)
		}
	}
	s.call("PUT", "/api/settings", map[string]any{"webhookUrl": "https://hook.example/x", "chatAWebhook": "https://chat.example/x"})
	dry := s.call("POST", "/api/notify", map[string]any{"dryRun": true})
	require.Equal(t, 200, dry.status, string(dry.body))
	require.Contains(t, string(dry.body), "accepted risks are not counted as open")
}

func (s *system) refusesExceptions() {
	t := s.t
	match := map[string]any{"checkIds": []string{"CFL-SSL-001"}}
	for name, body := range map[string]map[string]any{
		"nothing named":   {"match": map[string]any{}, "reason": "r", "owner": "o"},
		"no match":        {"reason": "r", "owner": "o"},
		"no reason":       {"match": match, "owner": "o"},
		"blank owner":     {"match": match, "reason": "r", "owner": " "},
		"unknown check":   {"match": map[string]any{"checkIds": []string{"CFL-NO-1"}}, "reason": "r", "owner": "o"},
		"in the past":     {"match": match, "reason": "r", "owner": "o", "expiresAt": "2020-01-01T00:00:00Z"},
		"too far ahead":   {"match": match, "reason": "r", "owner": "o", "expiresAt": time.Now().AddDate(2, 0, 0)},
		"no instant":      {"match": match, "reason": "r", "owner": "o", "expiresAt": "tomorrow"},
		"unknown account": {"match": match, "reason": "r", "owner": "o", "account": "nobody"},
		"unknown field":   {"match": map[string]any{"check": "x"}, "reason": "r", "owner": "o"},
	} {
		got := s.call("POST", "/api/exceptions", body)
		require.Equal(t, 422, got.status, "%s: %s", name, got.body)
		require.Contains(t, string(got.body), `"location":"body`, name)
	}
	require.Equal(t, 422, s.call("GET", "/api/findings?exception=no", nil).status)
	var list struct{ Items []posture.Exception }
	s.get("/api/exceptions", &list)
	require.Len(t, list.Items, 1, "nothing of it was kept")
	require.Equal(t, 409, s.call("POST", "/api/exceptions", map[string]any{"match": match, "reason": "r", "owner": "o"}, "Idempotency-Key",
		"once").status)
	require.Equal(t, 201, s.call("POST", "/api/exceptions", map[string]any{"match": match, "reason": "r", "owner": "o",
		"account": "default"}).status)
}
