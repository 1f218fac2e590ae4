package cloudflare

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestAListThatNeverEnds costs a run a few requests, and its section says why it is unknown.
func TestAListThatNeverEnds(t *testing.T) {
	asked := 0
	page := func(start, size int) string {
		var items []string
		for i := range size {
			items = append(items, fmt.Sprintf(`{"id":"r%d","name":"a.example","type":"A","content":"192.0.2.1","proxied":true,"modified_on":"%d"}`,
				start+i, asked))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	records, items := snapshot.SourceOf(snapshot.ZoneDNSRecords), snapshot.SourceOf(snapshot.AccountListItems)
	for name, tc := range map[string]struct {
		of     snapshot.Source
		answer func(url.Values) string
		most   int
		reason string
	}{
		"the same page, whose items have new dates": {records, func(url.Values) string {
			return `{"success":true,"result":` + page(0, 5) + `,"result_info":{"per_page":5,"total_pages":900}}`
		}, 2, "the same page twice"},
		"two pages in turn": {records, func(q url.Values) string {
			n, _ := strconv.Atoi(q.Get("page"))
			return `{"success":true,"result":` + page(n%2*10, 5) + `,"result_info":{"per_page":5,"total_pages":900}}`
		}, 3, "the same page twice"},
		"the same page behind ever new cursors": {items, func(url.Values) string {
			return fmt.Sprintf(`{"success":true,"result":%s,"result_info":{"cursors":{"after":"c%d"}}}`, page(0, 5), asked)
		}, 2, "the same page twice"},
		"the same cursor behind new pages": {items, func(url.Values) string {
			return fmt.Sprintf(`{"success":true,"result":%s,"result_info":{"cursors":{"after":"same"}}}`, page(asked*5, 5))
		}, 2, "repeated a page cursor"},
		"one more page with each page": {records, func(q url.Values) string {
			n, _ := strconv.Atoi(q.Get("page"))
			return fmt.Sprintf(`{"success":true,"result":%s,"result_info":{"per_page":5,"total_pages":%d}}`, page(n*5, 5), n+1)
		}, 14, "on 2 pages, and then"},
		"more items with each page": {records, func(q url.Values) string {
			n, _ := strconv.Atoi(q.Get("page"))
			return fmt.Sprintf(`{"success":true,"result":%s,"result_info":{"per_page":5,"total_count":%d}}`, page(n*5, 5), n*50_000)
		}, 4, "announced 50000 items"},
		"more pages than are read": {snapshot.SourceOf(snapshot.ZoneCustomHostnames), func(q url.Values) string {
			n, _ := strconv.Atoi(q.Get("page"))
			return `{"success":true,"result":` + page(n*50, 50) + `,"result_info":{"per_page":50,"total_count":100000,"total_pages":2000}}`
		}, 1, "more than 1000 pages"},
		"more items than are read": {snapshot.SourceOf(snapshot.ZoneCustomHostnames), func(q url.Values) string {
			n, _ := strconv.Atoi(q.Get("page"))
			return `{"success":true,"result":` + page(n*50, 50) + `,"result_info":{"per_page":50,"total_count":100000}}`
		}, 1, "more than 1000 pages"},
	} {
		t.Run(name, func(t *testing.T) {
			asked = 0
			client, err := New(Options{BaseURL: "https://provider.example", Token: secret.New("token"), Gate: open{},
				Transport: answering(func(q url.Values) string { asked++; return tc.answer(q) })})
			require.NoError(t, err)
			sec, err := client.Read(t.Context(), tc.of, snapshot.SourceScope{AccountID: "a", Zone: snapshot.Zone{ID: "z"}, Item: "i"}, knows(), nil)
			require.NoError(t, err)
			require.Equal(t, snapshot.Failed, sec.Status)
			require.Contains(t, sec.Reason, tc.reason)
			require.LessOrEqual(t, asked, tc.most)
			if tc.of.Paging.Kind == snapshot.ByPage && (tc.reason == "the same page twice" || strings.HasPrefix(name, "more pages")) {
				asked = 0
				_, err = client.Live(t.Context(), "/list", nil)
				require.ErrorContains(t, err, tc.reason)
				require.LessOrEqual(t, asked, tc.most)
			}
		})
	}
}

// TestARepeatedPageIsKnownAfterARestart: what the pages of an earlier attempt began with is kept with them.
func TestARepeatedPageIsKnownAfterARestart(t *testing.T) {
	const first = `{"success":true,"result":[{"id":"r1","name":"a.example","type":"A","content":"192.0.2.1"}],"result_info":{"total_pages":9}}`
	client, err := New(Options{BaseURL: "https://provider.example", Token: secret.New("token"), Gate: open{},
		Transport: answering(func(url.Values) string { return first })})
	require.NoError(t, err)
	source, kept := snapshot.SourceOf(snapshot.ZoneDNSRecords), &keptPages{}
	of := snapshot.SourceScope{AccountID: "a", Zone: snapshot.Zone{ID: "z"}}
	for range 2 {
		sec, err := client.Read(t.Context(), source, of, knows(), kept)
		require.NoError(t, err)
		require.Contains(t, sec.Reason, "the same page twice")
		require.Len(t, kept.parts, 1)
	}
}

// keptPages keeps the pages of a read in memory.
type keptPages struct{ parts []Part }

func (k *keptPages) Load(n int) (Part, bool) {
	if n >= len(k.parts) {
		return Part{}, false
	}
	return k.parts[n], true
}

func (k *keptPages) Save(_ context.Context, _ int, p Part) error {
	k.parts = append(k.parts, p)
	return nil
}
