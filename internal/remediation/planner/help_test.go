package planner

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canaryKey = "sk-canary-4f1d7e0b9a"

func providers() []string { return []string{hostedA, hostedB, local} }

// loopback is what an operator lists who means this machine.
func loopback() outbound.Options {
	return outbound.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
}

// asked is a request a server got.
type asked struct {
	Method, Path string
	Header       http.Header
	Body         []byte
}

// provider serves a handler on loopback and gives a planner that asks it through
// the real outbound client, and what it was asked.
func provider(t testing.TB, name string, h http.HandlerFunc, change ...func(*Options)) (*Planner, func() []asked) {
	t.Helper()
	var mu sync.Mutex
	var all []asked
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		all = append(all, asked{r.Method, r.URL.Path, r.Header, body})
		mu.Unlock()
		h(w, r)
	}))
	client, err := NewClient(loopback(), s.URL, false)
	require.NoError(t, err)
	t.Cleanup(func() {
		client.Close()
		s.CloseClientConnections()
		s.Close()
	})
	o := Options{Provider: name, Key: secret.New(canaryKey), Host: s.URL, Doer: client}
	for _, c := range change {
		c(&o)
	}
	return New(o), func() []asked {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// envelope puts what a model wrote into the shape of its provider.
func envelope(name, content string) string {
	switch name {
	case hostedA:
		return `{"id":"msg_01","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[{"type":"tool_use","id":"toolu_01",` +
			`"name":"order_plan","input":` + content + `}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":9,` +
			`"output_tokens":9}}`
	case hostedB:
		return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion","created":1764000000,"model":"gpt-4.1-mini","choices":[{"index":0,`+
			`"message":{"role":"assistant","content":%s,"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],`+
			`"usage":{"total_tokens":9}}`, encode(content))
	}
	return fmt.Sprintf(`{"model":"llama3.2","created_at":"2026-11-21T12:00:00Z","message":{"role":"assistant","content":%s},`+
		`"done_reason":"stop","done":true,"total_duration":1}`, encode(content))
}

// sample is a plan of four changes, the last of which needs the second.
func sample() []Item {
	refs := Redact([]posture.Resource{
		{Type: posture.ResourceZone, ID: "z1", Name: "one.example"},
		{Type: posture.ResourceZone, ID: "z2", Name: "two.example"},
		{Type: posture.ResourceDNSRecord, ID: "r1", Name: "www.one.example", ZoneID: "z1", Zone: "one.example"},
		{Type: posture.ResourceZone, ID: "z2", Name: "two.example"},
	})
	return []Item{
		{ID: "0198-a", CheckID: "CFL-SSL-001", Severity: posture.High, Risk: "high", Reversible: true, RemovesPaths: 1, Ref: refs[0]},
		{ID: "0198-b", CheckID: "CFL-SSL-002", Severity: posture.Medium, Risk: "low", Reversible: true, Ref: refs[1]},
		{ID: "0198-c", CheckID: "CFL-DNS-001", Severity: posture.Critical, Risk: "medium", Reversible: true, RemovesPaths: 2, Ref: refs[2]},
		{ID: "0198-d", CheckID: "CFL-SSL-003", Severity: posture.Low, Risk: "low", Ref: refs[3], After: []string{"0198-b"}},
	}
}

func idsOf(items []Item) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = it.ID
	}
	return out
}

// holds asserts what is true of every advice: the same items, in legal order,
// with notes on items only, and no secret.
func holds(t testing.TB, items []Item, a Advice) {
	t.Helper()
	require.Equal(t, slices.Sorted(slices.Values(idsOf(items))), slices.Sorted(slices.Values(a.Order)))
	place := map[string]int{}
	for i, id := range a.Order {
		place[id] = i
	}
	for _, it := range items {
		for _, before := range it.After {
			if at, ok := place[before]; ok {
				require.Less(t, at, place[it.ID], "%s before %s", before, it.ID)
			}
		}
	}
	for id, note := range a.Notes {
		require.Contains(t, place, id)
		require.NotEmpty(t, note)
		require.LessOrEqual(t, len([]rune(note)), MaxNote)
	}
	require.NotContains(t, fmt.Sprintf("%+v", a), canaryKey)
	if !a.Used {
		require.Equal(t, idsOf(items), a.Order, "without advice the order stays")
		require.Empty(t, a.Notes)
		require.Regexp(t, `^[A-Z][^\n]{20,400}\.$`, a.Note, "one sentence")
	}
}

// many makes items of real checks, every seventh after the one before it.
func many(n int) []Item {
	all := checks.All()
	resources := make([]posture.Resource, n)
	for i := range resources {
		resources[i] = posture.Resource{Type: posture.ResourceDNSRecord, ID: fmt.Sprint("r", i), ZoneID: fmt.Sprint("z", i%5)}
	}
	refs := Redact(resources)
	items := make([]Item, n)
	for i := range items {
		items[i] = Item{ID: fmt.Sprintf("change-%d", i), CheckID: all[i%len(all)].ID, Severity: posture.High, Risk: "low", Reversible: true,
			Ref: refs[i]}
		if i%7 == 6 {
			items[i].After = []string{items[i-1].ID}
		}
	}
	return items
}

const short = 200 * time.Millisecond
