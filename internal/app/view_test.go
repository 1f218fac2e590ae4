package app_test

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func TestSweepViewsEmbedded(t *testing.T) { embedded(t, fixable()).keepsViews() }

func TestSweepViewsDistributed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	s, _ := distributed(t, fixable())
	s.keepsViews()
}

// keepsViews saves views as the dashboard does, and as nobody may.
func (s *system) keepsViews() {
	t := s.t
	post := func(name, page, query string) answer {
		return s.call("POST", "/api/views", map[string]any{"name": name, "page": page, "query": query})
	}
	var made, again store.View
	got := post(" Öffentlich ", "findings", "severity=critical&sort=oldest")
	require.Equal(t, 201, got.status, string(got.body))
	got.into(t, &made)
	require.Equal(t, "/api/views/"+made.ID, got.header.Get("Location"))
	require.Equal(t, "Öffentlich", made.Name)
	post("Öffentlich", "findings", "severity=critical&sort=oldest").into(t, &again)
	require.Equal(t, made, again)
	require.Equal(t, 409, post("Öffentlich", "findings", "").status)
	require.Equal(t, 201, post(strings.Repeat("ß", 60), "issues", "").status)
	key := "AKIA" + "ABCDEFGHIJKLMNOP"
	for _, bad := range [][3]string{{"", "findings", ""}, {"  ", "findings", ""}, {strings.Repeat("ß", 61), "findings", ""},
		{"a\x01", "findings", ""},
		{"a", "fleet", ""}, {"a", "findings", strings.Repeat("x", 2001)}, {"a", "findings", "q=%zz"}, {key, "issues", ""},
		{"a", "issues", "q=" + strings.ReplaceAll(key, "A", "%41")}} {
		got := post(bad[0], bad[1], bad[2])
		require.Equal(t, 422, got.status, "%q", bad)
		require.NotContains(t, string(got.body), key)
	}
	var list struct{ Items []store.View }
	s.get("/api/views", &list)
	require.Len(t, list.Items, 2)
	require.Equal(t, made, list.Items[0])
	require.Equal(t, 204, s.call("DELETE", "/api/views/"+made.ID, nil).status)
	require.Equal(t, 404, s.call("DELETE", "/api/views/"+made.ID, nil).status)
	require.Equal(t, 422, s.call("DELETE", "/api/views/1", nil).status)
	var said []string
	for _, e := range s.audit("action=views.create,views.delete").Items {
		if e.Outcome == audit.Succeeded && e.Target.ID == made.ID {
			said = append(said, string(e.Action))
		}
	}
	require.ElementsMatch(t, []string{"views.create", "views.create", "views.delete"}, said)
	for n := 1; n < 200; n++ {
		require.Equal(t, 201, post(fmt.Sprint(n), "findings", url.Values{"q": {fmt.Sprint(n)}}.Encode()).status)
	}
	require.Equal(t, 409, post("one more", "findings", "").status)
	s.sorts()
}

// sorts lists the findings of a run, and of all, in an order.
func (s *system) sorts() {
	t, run := s.t, s.assessed()
	for _, path := range []string{"/api/assessments/" + run.ID + "/findings?", "/api/findings?"} {
		var whole, part struct {
			Items      []posture.Finding
			NextCursor string
		}
		s.get(path+"limit=1000&sort=resource", &whole)
		require.Greater(t, len(whole.Items), 6)
		require.True(t, slices.IsSortedFunc(whole.Items, func(a, b posture.Finding) int { return cmp.Compare(a.Resource.Name, b.Resource.Name) }))
		s.get(path+"limit=3&sort=resource", &part)
		cursor := part.NextCursor
		part.NextCursor = ""
		s.get(path+"limit=3&sort=resource&cursor="+cursor, &part)
		require.Equal(t, whole.Items[3:6], part.Items)
		require.Equal(t, 422, s.call("GET", path+"limit=3&sort=check&cursor="+cursor, nil).status)
		bad := s.call("GET", path+"sort=colour", nil)
		require.Equal(t, 422, bad.status)
		require.Contains(t, string(bad.body), "query.sort")
	}
}
