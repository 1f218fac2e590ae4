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

// TestEveryListIsReadToItsEndOrFails serves 37 items in pages of 10, with every selection of the members that may announce
// them, as numbers and as texts. What was announced is read, or the section fails; it is never a part.
func TestEveryListIsReadToItsEndOrFails(t *testing.T) {
	const total, size = 37, 10
	members := []string{"page", "per_page", "count", "total_count", "total_pages"}
	styles := map[string]struct {
		key    snapshot.Named
		cursor string
	}{
		"one page": {snapshot.ZonePageShieldPolicies, ""}, "by page": {snapshot.CASBIntegrations, ""},
		"cursors": {snapshot.AccountListItems, `"cursors":{"after":%s}`}, "cursor": {snapshot.AccountRulesets, `"cursor":%s`},
	}
	for name, style := range styles {
		for chosen := range 1 << len(members) {
			for _, form := range []string{"%d", `"%d"`} {
				s := snapshot.SourceOf(style.key)
				s.Skip, s.Plans, s.MaxPages, s.Enough, s.More = nil, nil, 0, nil, nil
				if name == "one page" {
					s.Paging = snapshot.Paging{}
				} else {
					s.Paging.Size = size
				}
				var example []json.RawMessage
				require.NoError(t, json.Unmarshal([]byte(s.Example), &example))
				answer := func(q url.Values) string {
					page, _ := strconv.Atoi(q.Get("page"))
					if c := q.Get("cursor"); c != "" {
						page, _ = strconv.Atoi(c)
					}
					page = max(page, 1)
					var items []string
					for i := (page - 1) * size; i < min(page*size, total); i++ {
						items = append(items, strings.Replace(string(example[0]), `"id":"`, fmt.Sprintf(`"id":"n%03d`, i), 1))
					}
					values := map[string]int{"page": page, "per_page": size, "count": len(items), "total_count": total, "total_pages": 4}
					var info []string
					for i, m := range members {
						if chosen>>i&1 == 1 {
							info = append(info, fmt.Sprintf(`%q:`+form, m, values[m]))
						}
					}
					if style.cursor != "" && page < 4 {
						info = append(info, fmt.Sprintf(style.cursor, fmt.Sprintf(form, page+1)))
					}
					return `{"success":true,"result":[` + strings.Join(items, ",") + `],"result_info":{` + strings.Join(info, ",") + `}}`
				}
				client, err := New(Options{BaseURL: "https://provider.example", Token: secret.New("token"), Gate: open{}, Transport: answering(answer)})
				require.NoError(t, err)
				sec, err := client.Read(t.Context(), s, snapshot.SourceScope{AccountID: "a", Zone: snapshot.Zone{ID: "z"}, Item: "i"}, knows(), nil)
				require.NoError(t, err)
				announced := chosen>>3 != 0
				if name == "one page" && !announced {
					continue // nobody can tell that there is more
				}
				require.Equal(t, snapshot.OK, sec.Status, "%s %05b %s: %s", name, chosen, form, sec.Reason)
				var got []json.RawMessage
				require.NoError(t, json.Unmarshal(sec.Value, &got))
				require.Len(t, got, total, "%s %05b %s", name, chosen, form)
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
	for _, raw := range []string{`{"total_count":"many"}`, `{"total_pages":1.5}`, `{"total_count":[]}`, `{"cursor":{}}`, `{"total_pages":1e300}`} {
		var got PageInfo
		require.Error(t, json.Unmarshal([]byte(raw), &got), raw)
	}
}
