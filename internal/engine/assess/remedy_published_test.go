package assess

import (
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/provider/apitest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepRemediesArePublished holds every call of every remedy against what Cloudflare publishes: method, path, parameters
// and each member of the body. A line of testdata/unpublished.tsv is a difference with its reason.
func TestSweepRemediesArePublished(t *testing.T) { //nolint:tparallel // the group ends before the sum is judged
	t.Parallel()
	raw, err := os.ReadFile("testdata/unpublished.tsv")
	require.NoError(t, err)
	known := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		difference, reason, found := strings.Cut(strings.TrimSpace(line), "\t")
		require.True(t, found && reason != "", "a difference without a reason: %s", line)
		known[difference] = true
	}
	var mu sync.Mutex
	var wrong []string
	right, reasoned := map[string]bool{}, map[string]bool{}
	all := apitest.Operations()
	t.Run("plants", func(t *testing.T) {
		seen := map[string]bool{}
		for i, p := range simcloud.Plants() {
			c, _ := byID(p.CheckID)
			if c.Remedy == nil || c.Remedy.Propose == nil || testing.Short() && (seen[c.ID] || i%8 > 0) {
				continue
			}
			seen[c.ID] = true
			t.Run(p.CheckID+"/"+p.Variant, func(t *testing.T) {
				t.Parallel()
				w := newWorkshop(t, planting(p))
				snap, findings := w.assess(c.ID)
				kept, err := w.engine.Plan(t.Context(), w.request(snap, findings, inputsOf(w), c.ID))
				require.NoError(t, err)
				mu.Lock()
				defer mu.Unlock()
				for _, s := range kept.Steps {
					right[c.ID] = true
					for _, d := range unpublishedIn(t, all, s.Edit) {
						if d = c.ID + " " + d; known[d] {
							reasoned[d] = true
						} else {
							wrong = append(wrong, d)
						}
					}
				}
			})
		}
	})
	slices.Sort(wrong)
	t.Logf("%d remedies, %d differences with a reason", len(right), len(reasoned))
	require.Empty(t, strings.Join(slices.Compact(wrong), "\n"))
}

var identifiers = regexp.MustCompile(`[0-9a-f-]{32,}`)

func unpublishedIn(t *testing.T, all map[string]apitest.Operation, e change.Edit) []string {
	t.Helper()
	out := unpublished(t, all, e.Do)
	if e.Undo != nil && e.Undo.Method != "" {
		out = append(out, unpublished(t, all, *e.Undo)...)
	}
	return out
}

// unpublished lists what a call has that is not published.
func unpublished(t *testing.T, all map[string]apitest.Operation, call change.Call) []string {
	t.Helper()
	path, query, _ := strings.Cut(call.Path, "?")
	o, ok := apitest.Find(all, call.Method, path)
	if !ok {
		return []string{call.Method + " " + identifiers.ReplaceAllString(path, "{}")}
	}
	var out []string
	values, err := url.ParseQuery(query)
	require.NoError(t, err)
	for name := range values {
		if _, ok := o.Parameter(name); !ok {
			out = append(out, o.Key+" ?"+name)
		}
	}
	if len(call.Body) == 0 {
		return out
	}
	var body any
	require.NoError(t, json.Unmarshal(call.Body, &body))
	for _, d := range o.BodyDifferences(body) {
		out = append(out, o.Key+" "+d)
	}
	return out
}
