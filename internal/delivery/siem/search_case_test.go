package siem_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/delivery/siem"
	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
)

// batch is how many documents each case sends.
const batch = 1000

// want is what becomes of them; requests is 0 where only a limit is held.
type want struct{ sent, retry, failed, requests int }

type searchCase struct {
	name   string
	reply  func(siemtest.Call) siemtest.Reply
	want   want
	reason string
}

// first gives the reply to the first request and takes everything afterwards.
func first(c siemtest.Call, r siemtest.Reply) siemtest.Reply {
	if c.Number == 1 {
		return r
	}
	return siemtest.Reply{}
}

func rejected(status int) *siemtest.Fault {
	return &siemtest.Fault{Status: status, Type: "es_rejected_execution_exception", Reason: "queue is full"}
}

// itemCases are answers to single documents.
func itemCases() []searchCase {
	return []searchCase{
		{"everything is taken", nil, want{batch, 0, 0, 1}, ""},
		{"half of the items must come again", func(c siemtest.Call) siemtest.Reply {
			return first(c, siemtest.Reply{Item: func(i int, _ siemtest.Item) *siemtest.Fault {
				if i%2 == 1 {
					return rejected(429)
				}
				return nil
			}})
		}, want{batch, 0, 0, 2}, ""},
		{"half of the items fail for good", func(siemtest.Call) siemtest.Reply {
			return siemtest.Reply{Item: func(i int, _ siemtest.Item) *siemtest.Fault {
				if i%2 == 1 {
					return &siemtest.Fault{Status: 400, Type: "document_parsing_exception", Reason: "first line " + key + "\nsecond line"}
				}
				return nil
			}}
		}, want{batch / 2, 0, batch / 2, 1}, "(400): document_parsing_exception."},
		{"items busy to the end", func(siemtest.Call) siemtest.Reply {
			return siemtest.Reply{Item: func(i int, _ siemtest.Item) *siemtest.Fault { return rejected(503) }}
		}, want{0, batch, 0, 4}, "es_rejected_execution_exception"},
		{"one item dropped without a word, no ids", func(siemtest.Call) siemtest.Reply {
			return siemtest.Reply{Silent: true, Drop: func(_ int, item siemtest.Item) bool { return item.ID == docID(700) }}
		}, want{batch - 1, 1, 0, 0}, "without saying"},
		{"every tenth dropped once, no ids", func(c siemtest.Call) siemtest.Reply {
			return first(c, siemtest.Reply{Silent: true, Drop: func(i int, _ siemtest.Item) bool { return i%10 == 0 }})
		}, want{batch, 0, 0, 3}, ""},
		{"all items dropped", func(siemtest.Call) siemtest.Reply {
			return siemtest.Reply{Drop: func(int, siemtest.Item) bool { return true }}
		}, want{0, batch, 0, 4}, "without saying"},
	}
}

// requestCases are answers to whole requests.
func requestCases() []searchCase {
	return []searchCase{
		{"429 and then fine", func(c siemtest.Call) siemtest.Reply {
			return first(c, siemtest.Reply{Status: 429, Header: map[string]string{"Retry-After": "7"}})
		}, want{batch, 0, 0, 2}, ""},
		{"500 and then fine", func(c siemtest.Call) siemtest.Reply { return first(c, siemtest.Reply{Status: 500}) }, want{batch, 0, 0, 2}, ""},
		{"gateway for ever", func(siemtest.Call) siemtest.Reply { return siemtest.Reply{Status: 502, Body: "<html>"} }, want{0, batch, 0, 4},
			"answered 502"},
		{"no good key", func(siemtest.Call) siemtest.Reply { return siemtest.Reply{Status: 401, Body: key} }, want{0, 0, batch, 1},
			"refused the credential"},
		{"no privilege", func(siemtest.Call) siemtest.Reply { return siemtest.Reply{Status: 403} }, want{0, 0, batch, 1},
			"refused the credential"},
		{"no such place", func(siemtest.Call) siemtest.Reply { return siemtest.Reply{Status: 404} }, want{0, 0, batch, 1}, "check the address."},
		{"a redirect", func(siemtest.Call) siemtest.Reply {
			return siemtest.Reply{Status: 307, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}
		}, want{0, 0, batch, 1}, "answered 307"},
		{"too large above 100 documents", func(c siemtest.Call) siemtest.Reply {
			if len(c.Items) > 100 {
				return siemtest.Reply{Status: 413}
			}
			return siemtest.Reply{}
		}, want{batch, 0, 0, 31}, ""},
		{"too large whatever it is", func(siemtest.Call) siemtest.Reply { return siemtest.Reply{Status: 413} }, want{0, 0, batch, 0},
			"no request as large"},
		{"one document spoils the request", func(c siemtest.Call) siemtest.Reply {
			for _, item := range c.Items {
				if item.ID == docID(321) {
					return siemtest.Reply{Status: 400, Body: `{"error":{"type":"illegal_argument_exception","reason":"what"}}`}
				}
			}
			return siemtest.Reply{}
		}, want{batch - 1, 0, 1, 0}, "illegal_argument_exception"},
		{"every request is bad", func(siemtest.Call) siemtest.Reply { return siemtest.Reply{Status: 400} }, want{0, 0, batch, 0},
			"could not read"},
	}
}

// answerCases are answers that are not what they should be.
func answerCases() []searchCase {
	return []searchCase{
		{"no JSON and then fine", func(c siemtest.Call) siemtest.Reply {
			return first(c, siemtest.Reply{Body: "<html>sign in</html>"})
		}, want{batch, 0, 0, 2}, ""},
		{"another JSON for ever", func(siemtest.Call) siemtest.Reply { return siemtest.Reply{Body: `{"items":7}`} }, want{0, batch, 0, 4},
			"without saying"},
		{"more items than were sent", func(siemtest.Call) siemtest.Reply {
			return siemtest.Reply{Body: `{"items":[` + strings.Repeat(`{"index":{"status":201}},`, batch) + `{"index":{"status":201}}]}`}
		}, want{0, batch, 0, 4}, "without saying"},
		{"the first document's id for every item", func(siemtest.Call) siemtest.Reply {
			return siemtest.Reply{Body: named(batch, func(int) string { return docID(0) })}
		}, want{0, batch, 0, 4}, "without saying"},
		{"the last document's id once more, the rest without", func(siemtest.Call) siemtest.Reply {
			return siemtest.Reply{Body: named(batch, func(i int) string {
				if i == 0 {
					return docID(batch - 1)
				}
				return ""
			})}
		}, want{0, batch, 0, 4}, "without saying"},
		{"ids of its own", func(siemtest.Call) siemtest.Reply {
			return siemtest.Reply{Body: named(batch, func(i int) string { return fmt.Sprint("own-", i) })}
		}, want{batch, 0, 0, 1}, ""},
		{"answer cut in the middle, once", func(c siemtest.Call) siemtest.Reply { return first(c, siemtest.Reply{Truncate: 5000}) },
			want{batch, 0, 0, 2}, ""},
		{"answer cut in the middle, always", func(siemtest.Call) siemtest.Reply { return siemtest.Reply{Truncate: 9000} }, want{batch, 0, 0, 0},
			""},
		{"connection cut, once", func(c siemtest.Call) siemtest.Reply { return first(c, siemtest.Reply{Bare: true}) }, want{batch, 0, 0, 2}, ""},
		{"a success that says there was an error", func(siemtest.Call) siemtest.Reply {
			return siemtest.Reply{Item: func(_ int, item siemtest.Item) *siemtest.Fault {
				if item.ID == docID(batch-1) {
					return nil
				}
				return &siemtest.Fault{Status: 200, Type: "odd"}
			}}
		}, want{1, batch - 1, 0, 4}, "it gave no reason we know"},
	}
}

// named is an answer that took n documents, with the id that each item names.
func named(n int, id func(int) string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"index":{"_id":%q,"status":201}}`, id(i))
	}
	return `{"items":[` + strings.Join(list, ",") + `]}`
}

func TestSearchCases(t *testing.T) {
	t.Parallel()
	for _, c := range append(append(itemCases(), requestCases()...), answerCases()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := &siemtest.Bulk{Reply: c.reply}
			s, _ := index(t, b)
			r, err := s.Send(t.Context(), numbered(batch))
			require.NoError(t, err)
			holds(t, r, batch, b.Stored())
			c.want.holds(t, r)
			for _, o := range r.Outcomes {
				if o.State != siem.Sent {
					require.Contains(t, o.Reason, c.reason)
				}
			}
		})
	}
}

func (w want) holds(t *testing.T, r siem.Report) {
	t.Helper()
	require.Equal(t, []int{w.sent, w.retry, w.failed}, []int{r.Sent, r.Retry, r.Failed})
	require.LessOrEqual(t, r.Requests, 250)
	if w.requests > 0 {
		require.Equal(t, w.requests, r.Requests)
	}
}
