package simcloud

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/provider/apitest"
)

// TestAnswersArePublished holds every member of every answer against what Cloudflare publishes. A line of
// testdata/unpublished.tsv is a difference with its reason.
func TestAnswersArePublished(t *testing.T) {
	raw, err := os.ReadFile("testdata/unpublished.tsv")
	require.NoError(t, err)
	reasons := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		difference, reason, found := strings.Cut(strings.TrimSpace(line), "\t")
		require.True(t, found && reason != "", "a difference without a reason: %s", line)
		reasons[difference] = false
	}
	all := apitest.Operations()
	variable := regexp.MustCompile(`\{[^}]*\}`)
	ids := regexp.MustCompile(`/\d+:`)
	var wrong []string
	cl := New(Demo())
	a := cl.accounts[0]
	s := stateView{cloud: cl, acct: a, routes: Routes(), ids: regexp.MustCompile(idPattern), names: map[string]string{}}
	answers := 0
	hold := func(r *Route, z *zone) {
		o, ok := apitest.Find(all, r.Method, variable.ReplaceAllString(r.Pattern, "{}"))
		if !ok {
			wrong = append(wrong, r.Pattern+" is not published")
			return
		}
		readings := []reading{{}}
		if strings.Contains(r.Pattern, "{") {
			readings = s.readings(r, z)
		}
		for _, one := range readings {
			request := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: BasePath + r.Pattern}, Header: http.Header{}}
			if one.place != "" {
				request.Header.Set("Cf-R2-Jurisdiction", one.place)
			}
			for name, value := range one.values {
				request.SetPathValue(name, value)
			}
			given := r.handle(&call{cloud: cl, r: request, route: r, query: one.query, token: cl.tokens[0], acct: a, zone: z, now: cl.now()})
			if given.err != nil || given.file != nil {
				continue
			}
			var result any
			require.NoError(t, json.Unmarshal(mustJSON(given.result), &result))
			answers++
			for _, d := range o.Result.Differences(result) {
				wrong = append(wrong, ids.ReplaceAllString(o.Key+" "+d, "/*:"))
			}
		}
	}
	for i := range s.routes {
		r := &s.routes[i]
		if r.Method != http.MethodGet {
			continue
		}
		if stated(r, false) || !strings.Contains(r.Pattern, "{") && !r.repeat && r.Pattern != "/certificates" {
			hold(r, nil)
		}
		for i := range a.zoneCount {
			if stated(r, true) {
				hold(r, a.zone(i))
			}
		}
	}
	require.Greater(t, answers, 1000)
	slices.Sort(wrong)
	wrong = slices.DeleteFunc(slices.Compact(wrong), func(d string) bool {
		_, known := reasons[d]
		reasons[d] = true
		return known
	})
	require.Empty(t, strings.Join(wrong, "\n"))
}
