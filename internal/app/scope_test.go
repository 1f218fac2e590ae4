package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestNarrowedRunsCloseNothing: a file without an id is of the newest run that looked at everything; a narrowed one has a
// category of its own and says that it is narrowed. Elsewhere latest is the newest run.
func TestNarrowedRunsCloseNothing(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	run := func(body map[string]any) (a posture.Assessment) {
		s.call("POST", "/api/assess", body, "Prefer", "wait=300").into(t, &a)
		return a
	}
	type sarif struct {
		Runs []struct {
			AutomationDetails struct{ ID string }
			Properties        struct{ AssessmentID string }
		}
	}
	file := func(query string) (category, id string) {
		var f sarif
		s.get("/api/download/sarif"+query, &f)
		return f.Runs[0].AutomationDetails.ID[:strings.LastIndexByte(f.Runs[0].AutomationDetails.ID, '/')], f.Runs[0].Properties.AssessmentID
	}
	narrow := run(map[string]any{"categories": []string{"dns"}})
	_, id := file("")
	require.Equal(t, narrow.ID, id, "there is no other")
	whole := run(map[string]any{})
	require.Nil(t, whole.Scope)
	categories := map[string]bool{}
	for _, body := range []map[string]any{{"categories": []string{"dns"}}, {"checks": []string{"CFL-SSL-002"}}, {"profile": "core"}} {
		narrow = run(body)
		require.NotNil(t, narrow.Scope)
		category, id := file("")
		require.Equal(t, whole.ID, id)
		categories[category] = true
		category, id = file("?assessmentId=latest")
		require.Equal(t, narrow.ID, id)
		categories[category] = true
		for _, format := range []string{"sarif", "markdown", "html", "json", "ocsf", "asff", "junit", "gitlab"} {
			text := string(s.call("GET", "/api/download/"+format+"?assessmentId="+narrow.ID, nil).body)
			require.Contains(t, text, map[bool]string{true: `"scope":{`, false: "Narrowed run"}[format == "json"], format)
		}
	}
	require.Len(t, categories, 4)
	require.Contains(t, string(s.call("GET", "/report", nil).body), whole.ID)
	var latest posture.Assessment
	s.get("/api/assessment", &latest)
	require.Equal(t, narrow.ID, latest.ID)

	// All there is of an account that is registered with some of its zones is not all there is.
	require.Equal(t, 200, s.call("PATCH", "/api/accounts/default", map[string]any{"zones": []string{whole.Zones[0].Name}}).status)
	registered := run(map[string]any{})
	require.True(t, registered.Scope.Registered && registered.Scope.Whole())
	category, id := file("")
	require.Equal(t, registered.ID, id)
	require.False(t, categories[category])
	require.Contains(t, string(s.call("GET", "/report", nil).body), "This account is registered with zones "+whole.Zones[0].Name+" only.")
}
