package cloudflare

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// answering answers by the query, without a network.
type answering func(url.Values) string

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, ContentLength: -1, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(a(r.URL.Query())))}, nil
}

// pagedList is a list of 37 items in pages of 10 that says some of what could announce them.
type pagedList struct {
	item   string // an example
	told   []string
	form   string // of numbers
	cursor string // of the next page, as a format
}

const pagedItems, pagedSize = 37, 10

func (l pagedList) answer(q url.Values) string {
	page, _ := strconv.Atoi(q.Get("page"))
	if c := q.Get("cursor"); c != "" {
		page, _ = strconv.Atoi(c)
	}
	page = max(page, 1)
	var items, info []string
	for i := (page - 1) * pagedSize; i < min(page*pagedSize, pagedItems); i++ {
		items = append(items, strings.Replace(l.item, `"id":"`, fmt.Sprintf(`"id":"n%03d`, i), 1))
	}
	values := map[string]int{"page": page, "per_page": pagedSize, "count": len(items), "total_count": pagedItems, "total_pages": 4}
	for _, m := range l.told {
		info = append(info, fmt.Sprintf(`%q:`+l.form, m, values[m]))
	}
	if l.cursor != "" && page < 4 {
		info = append(info, fmt.Sprintf(l.cursor, fmt.Sprintf(l.form, page+1)))
	}
	return `{"success":true,"result":[` + strings.Join(items, ",") + `],"result_info":{` + strings.Join(info, ",") + `}}`
}

// TestEveryListIsReadToItsEnd serves that list in every style, with every selection of the members that may announce its
// items, as numbers and as texts. What was announced is read; it is never a part.
func TestEveryListIsReadToItsEnd(t *testing.T) {
	members := []string{"page", "per_page", "count", "total_count", "total_pages"}
	styles := map[snapshot.Named]string{snapshot.ZonePageShieldPolicies: "", snapshot.CASBIntegrations: "",
		snapshot.AccountListItems: `"cursors":{"after":%s}`, snapshot.AccountRulesets: `"cursor":%s`}
	for key, cursor := range styles {
		s := snapshot.SourceOf(key)
		s.Skip, s.Plans, s.More = nil, nil, nil
		single := s.Paging.Kind == snapshot.Single
		if !single {
			s.Paging.Size = pagedSize
		}
		var example []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(s.Example), &example))
		for chosen := range 1 << len(members) {
			var told []string
			for i, m := range members {
				if chosen>>i&1 == 1 {
					told = append(told, m)
				}
			}
			if single && chosen>>3 == 0 {
				continue // nobody can tell that there is more
			}
			for _, form := range []string{"%d", `"%d"`} {
				list := pagedList{string(example[0]), told, form, cursor}
				client, err := New(Options{BaseURL: "https://provider.example", Token: secret.New("token"), Gate: open{},
					Transport: answering(list.answer)})
				require.NoError(t, err)
				of := snapshot.SourceScope{AccountID: "a", Zone: snapshot.Zone{ID: "z"}, Item: "i"}
				sec, err := client.Read(t.Context(), s, of, knows(), nil)
				require.NoError(t, err)
				require.Equal(t, snapshot.OK, sec.Status, "%s %v %s: %s", s.Name, told, form, sec.Reason)
				var got []json.RawMessage
				require.NoError(t, json.Unmarshal(sec.Value, &got))
				require.Len(t, got, pagedItems, "%s %v %s", s.Name, told, form)
			}
		}
	}
}

func TestPageInfo(t *testing.T) {
	for raw, want := range map[string]PageInfo{
		`{}`: {}, `{"count":"1"}`: {Count: 1}, `{"count":"many"}`: {}, `{"count":{}}`: {}, `{"total_count":" 12 "}`: {Total: 12},
		`{"total_count":-1,"total_pages":null}`: {}, `{"total_pages":1e1}`: {TotalPages: 10}, `{"page_size":5}`: {PerPage: 5},
		`{"cursor":"a","cursors":{"after":"b"}}`: {Cursor: "b"}, `{"cursor":"a","cursors":{"after":""}}`: {Cursor: "a"},
		`{"cursor":7}`: {Cursor: "7"}, `{"cursor":null,"cursors":{}}`: {}, `{"cursor":false}`: {},
	} {
		var got PageInfo
		require.NoError(t, json.Unmarshal([]byte(raw), &got), raw)
		require.Equal(t, want, got, raw)
	}
	for _, raw := range []string{`{"total_count":"many"}`, `{"total_pages":1.5}`, `{"total_count":[]}`, `{"cursor":{}}`,
		`{"total_pages":1e300}`} {
		var got PageInfo
		require.Error(t, json.Unmarshal([]byte(raw), &got), raw)
	}
}

// TestAnswersThatContradictThemselves: nobody can tell what is true of them, so they are no answer.
func TestAnswersThatContradictThemselves(t *testing.T) {
	const record = `{"id":"r%d","name":"a.example","type":"A","content":"192.0.2.1","proxied":true}`
	full := func(from int) string {
		var all []string
		for i := range 5000 {
			all = append(all, fmt.Sprintf(record, from+i))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	one := "[" + fmt.Sprintf(record, 1) + "]"
	for name, tc := range map[string]struct {
		body  func(page string) string
		reads int // items of a whole list; 0 for a failed one
	}{
		"success with an error": {func(string) string {
			return `{"success":true,"errors":[{"code":1,"message":"half"}],"result":` + one + `,"result_info":{}}`
		}, 0},
		"success twice": {func(string) string {
			return `{"success":false,"result":` + one + `,"result_info":{},"success":true}`
		}, 0},
		"a member twice": {func(string) string {
			return `{"success":true,"result":[{"id":"r","name":"a.example","type":"A","proxied":false,"proxied":true}],"result_info":{}}`
		}, 0},
		"a count of more": {func(string) string {
			return `{"success":true,"result":` + one + `,"result_info":{"page":1,"per_page":5000,"count":5000}}`
		}, 0},
		"a total of less than a full page": {func(page string) string {
			if page == "2" {
				return `{"success":true,"result":` + one + `,"result_info":{"page":2,"per_page":5000,"total_count":1,"total_pages":1}}`
			}
			return `{"success":true,"result":` + full(2) + `,"result_info":{"page":1,"per_page":5000,"total_count":1,"total_pages":1}}`
		}, 5001},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := scripted(t, func(q url.Values) string { return tc.body(q.Get("page")) })
			sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.ZoneDNSRecords),
				snapshot.SourceScope{AccountID: "a", Zone: snapshot.Zone{ID: "z"}}, knows(), nil)
			require.NoError(t, err)
			if tc.reads == 0 {
				require.Equal(t, snapshot.Failed, sec.Status, "%s", sec.Value)
				return
			}
			require.Equal(t, snapshot.OK, sec.Status, sec.Reason)
			var got []json.RawMessage
			require.NoError(t, json.Unmarshal(sec.Value, &got))
			require.Len(t, got, tc.reads)
		})
	}
}

// TestLiveStopsAtARepeatedCursor: pages that follow each other in a circle are no whole list.
func TestLiveStopsAtARepeatedCursor(t *testing.T) {
	client, _ := scripted(t, func(q url.Values) string {
		if q.Get("cursor") == "a" {
			return `{"success":true,"result":[{"id":"1"}],"result_info":{"cursor":"b"}}`
		}
		return `{"success":true,"result":[{"id":"2"}],"result_info":{"cursor":"a"}}`
	})
	_, err := client.Live(t.Context(), "/list", nil)
	require.ErrorAs(t, err, new(*incompleteError))
}
