package assess

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// answering gives every request the same kind of answer; page counts the requests.
type answering struct {
	page int
	body func(page int) string
}

func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	a.page++
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(a.body(a.page))), Request: r}, nil
}

// hostility is one way a provider can go wrong.
type hostility struct {
	name string
	body func(page int) string
	// lists only: plain objects have no pages and no items
	lists, cursors bool
}

func result(text string) func(int) string {
	return func(int) string { return `{"success":true,"errors":[],"messages":[],"result":` + text + `}` }
}

func hostilities() []hostility {
	paged := func(result, info string) string {
		return `{"success":true,"errors":[],"result":` + result + `,"result_info":` + info + `}`
	}
	huge := strings.Repeat("A", 10<<20)
	return []hostility{
		{name: "HTML", body: func(int) string { return "<html><body>502 Bad Gateway</body></html>" }},
		{name: "nothing", body: func(int) string { return "" }},
		{name: "half an answer", body: func(int) string { return `{"success":true,"result":[{"id":"x"` }},
		{name: "a text", body: result(`"surprise"`)},
		{name: "a number", body: result(`42`)},
		{name: "a truth", body: result(`true`)},
		{name: "null", body: result(`null`)},
		{name: "no result", body: func(int) string { return `{"success":true,"errors":[]}` }},
		{name: "an object without members", body: result(`{}`)},
		{name: "a list of numbers", body: result(`[1,2,3]`)},
		{name: "a list of lists", body: result(`[[[[]]]]`)},
		{name: "an object of nulls", body: result(`[null,null]`), lists: true},
		{name: "items without members", body: result(`[{},{}]`), lists: true},
		{name: "10 MB of text", body: result(`[{"id":"x","name":"` + huge + `"}]`)},
		{name: "10 MB of text in an object", body: result(`{"id":"x","value":"` + huge + `"}`)},
		{name: "the same page for ever", lists: true, body: func(int) string {
			return paged(`[{"id":"x","name":"x"}]`, `{"count":1,"per_page":1,"page":1,"total_pages":99999999}`)
		}},
		{name: "the same cursor for ever", cursors: true,
			body: func(int) string { return paged(`[]`, `{"count":0,"cursor":"again","cursors":{"after":"again"}}`) }},
	}
}

// TestSweepHostileAnswersAreFailedSections gives every read every kind of nonsense: the
// section is failed with a reason, and whatever the checks then say of what they
// can still see, they said before.
func TestSweepHostileAnswersAreFailedSections(t *testing.T) {
	cloud := simcloud.New(simcloud.Options{Seed: 9, Now: simNow, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 2, RecordsPerZone: 8, Plans: []string{"enterprise"}, Plant: 0.2}}})
	quiet := resolved(t, cloud, read(t, cloud, posture.AssessRequest{}))
	before := map[string]posture.Result{}
	for _, f := range check.Run(quiet, checks.All(), policy.Default()).Findings {
		before[f.ID] = f.Result
	}
	known := snapshot.NewKnown(quiet.Whole)
	tried := 0
	for i, s := range snapshot.Sources() {
		scopes := quiet.Scopes(s.Name)
		if len(scopes) == 0 || left(i) {
			continue
		}
		target := targetOf(quiet, s, scopes[0])
		for _, h := range hostilities() {
			// The code of a snippet is any text, a word may be any, some objects may have no members, and one page says nothing of the
			// next, or is enough.
			word := s.Wire().Kind() == reflect.String && slices.Contains([]string{"a text", "a number", "a truth"}, h.name)
			anything := word || s.MayBeEmpty && h.name == "an object without members" || s.Name == snapshot.SnippetContent.Source() &&
				!strings.HasPrefix(h.name, "10 MB") || (s.MaxPages == 1 || s.Enough != nil) && strings.HasPrefix(h.name, "the same ")
			if anything || quiet.Section(s.Name, scopes[0]).Status == snapshot.Skipped || h.lists && !s.Listed() || h.cursors &&
				s.Paging.Kind != snapshot.ByCursor {
				continue
			}
			t.Run(s.Name+"/"+h.name, func(t *testing.T) {
				client, err := cloudflare.New(cloudflare.Options{BaseURL: "http://sim.test", Token: secret.New("token"), Gate: openGate{},
					Transport: &answering{body: h.body}, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }, Now: simNow})
				require.NoError(t, err)
				s.Skip = nil
				sec, err := client.Read(t.Context(), s, target, known, nil)
				require.NoError(t, err)
				require.Equal(t, snapshot.Failed, sec.Status, "kept: %.200s", sec.Value)
				require.NotEmpty(t, sec.Reason)
				require.Less(t, len(sec.Reason), 1000)
				holds(t, quiet, []snapshot.Section{sec}, before)
			})
			tried++
		}
	}
	require.True(t, testing.Short() || tried > 1000)
	t.Logf("%d hostile answers to %d reads", tried, len(snapshot.Sources()))
}

// targetOf tells what a section of the quiet run was read for.
func targetOf(quiet *snapshot.Snapshot, s snapshot.Source, scope string) snapshot.SourceScope {
	target := snapshot.SourceScope{AccountID: quiet.Account.ID}
	switch s.Level() {
	case snapshot.LevelZone:
		for _, z := range quiet.Zones {
			if z.ID == scope {
				target.Zone = z
			}
		}
	case snapshot.LevelItem:
		target.Item = scope
		if snapshot.InZone(s.Name) {
			zone, item, _ := strings.Cut(scope, "/")
			target.Zone, target.Item = snapshot.Zone{ID: zone}, item
		}
	}
	return target
}

// holds puts sections in place of those of a quiet run and judges: no PASS and no
// FAIL that was not there before, no panic, and a score of what was judged.
func holds(t testing.TB, quiet *snapshot.Snapshot, replaced []snapshot.Section, before map[string]posture.Result) {
	t.Helper()
	sections := quiet.Sections()
	for i := range sections {
		for _, r := range replaced {
			if sections[i].Source == r.Source && sections[i].Scope == r.Scope {
				sections[i] = r
			}
		}
	}
	zones := quiet.Zones
	for _, r := range replaced {
		if r.Source == snapshot.ZoneList.Source() {
			zones = nil // nobody knows which there are
		}
	}
	snap, err := snapshot.New(quiet.Account, quiet.TakenAt, zones, sections)
	require.NoError(t, err)
	for _, f := range check.Run(snap, checks.All(), policy.Default()).Findings {
		require.NotContains(t, f.Reason, "the check failed on this input", f.CheckID)
		if f.Result != posture.Pass && f.Result != posture.Fail {
			continue
		}
		was, known := before[f.ID]
		require.True(t, known, "a new %s of %s on %s %s", f.Result, f.CheckID, f.Resource.Type, f.Resource.ID)
		require.Equal(t, was, f.Result, "%s on %s %s: %s", f.CheckID, f.Resource.Type, f.Resource.ID, f.Message)
	}
}

// TestEndlessListsEnd lets lists go on for ever with items that are new each time.
func TestEndlessListsEnd(t *testing.T) {
	for _, tc := range []struct{ name, info string }{
		{"zone/list", `{"count":1,"per_page":1,"page":%d,"total_pages":99999999}`},
		{"account/r2_buckets", `{"count":1,"cursor":"c%d"}`},
		{"zone/rulesets", `{"count":1,"cursors":{"after":"c%d"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			endless := &answering{body: func(page int) string {
				item := fmt.Sprintf(`[{"id":"i%d","name":"n%d"}]`, page, page)
				if tc.name == "account/r2_buckets" {
					item = `{"buckets":` + item + `}`
				}
				return `{"success":true,"result":` + item + `,"result_info":` + fmt.Sprintf(tc.info, page) + `}`
			}}
			client, err := cloudflare.New(cloudflare.Options{BaseURL: "http://sim.test", Token: secret.New("token"), Gate: openGate{},
				Transport: endless})
			require.NoError(t, err)
			for _, s := range snapshot.Sources() {
				if s.Name != tc.name {
					continue
				}
				sec, err := client.Read(t.Context(), s, snapshot.SourceScope{AccountID: "a", Zone: snapshot.Zone{ID: "z"}},
					snapshot.NewKnown(func(string, string) (snapshot.Section, bool) { return snapshot.Section{}, false }), nil)
				require.NoError(t, err)
				require.Equal(t, snapshot.Failed, sec.Status)
				require.Contains(t, sec.Reason, "more than")
				require.LessOrEqual(t, endless.page, 1000)
			}
		})
	}
}
