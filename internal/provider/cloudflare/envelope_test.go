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
