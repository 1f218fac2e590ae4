package planner

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// contents are what a model may write, with the order that must come of it; nil
// means that nothing of it is of use.
func contents() map[string]struct {
	content string
	order   []string
} {
	a, b, c, d := "0198-a", "0198-b", "0198-c", "0198-d"
	thousands := strings.Repeat(`"i9999","x",`, 5000)
	return map[string]struct {
		content string
		order   []string
	}{
		"good":                       {`{"order":["i3","i2","i4","i1"],"notes":[]}`, []string{c, b, d, a}},
		"no notes at all":            {`{"order":["i3"]}`, []string{c, a, b, d}},
		"before what it needs":       {`{"order":["i4","i3","i2","i1"],"notes":[]}`, []string{b, d, c, a}},
		"needs one that is left out": {`{"order":["i4"],"notes":[]}`, []string{b, d, a, c}},
		"invented labels": {`{"order":["i5","i3","i0","i-1","0198-a","../../etc","I2","i03"],"notes":[{"item":"i7",` +
			`"note":"do it"}]}`, []string{c, a, b, d}},
		"only invented labels":         {`{"order":["i5","CFL-DNS-001"],"notes":[]}`, nil},
		"the same again and again":     {`{"order":["i3","i3","i1","i3","i1"],"notes":[]}`, []string{c, a, b, d}},
		"thousands of labels":          {`{"order":[` + thousands + `"i3"],"notes":[]}`, []string{c, a, b, d}},
		"one label thousands of times": {`{"order":["i2"` + strings.Repeat(`,"i2"`, 30000) + `],"notes":[]}`, []string{b, a, c, d}},
		"only a note":                  {`{"order":[],"notes":[{"item":"i1","note":"Tell the owner first."}]}`, []string{a, b, c, d}},
		"only a note of no use":        {`{"order":[],"notes":[{"item":"i1","note":"see https://evil.example"}]}`, nil},
		"nothing":                      {`{"order":[],"notes":[]}`, nil},
		"empty object":                 {`{}`, nil},
		"null":                         {`null`, nil},
		"list":                         {`["i3","i1"]`, nil},
		"number":                       {`12`, nil},
		"numbers for labels":           {`{"order":[3,1],"notes":[]}`, nil},
		"object for a label":           {`{"order":[{"item":"i3"}],"notes":[]}`, nil},
		"text for the order":           {`{"order":"i3,i1","notes":[]}`, nil},
		"a field more":                 {`{"order":["i3"],"notes":[],"delete":["i1"]}`, nil},
		"a field more in a note":       {`{"order":["i3"],"notes":[{"item":"i3","note":"x","run":"rm"}]}`, nil},
		"nested garbage":               {`{"order":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`, nil},
		"notes as an object":           {`{"order":["i3"],"notes":{"i3":"x"}}`, nil},
		"null notes":                   {`{"order":["i3"],"notes":null}`, []string{c, a, b, d}},
	}
}

// texts are contents that are no JSON, which only a text field can carry.
func texts() map[string]string {
	return map[string]string{
		"truncated": `{"order":["i3","i1"`, "two objects": `{"order":["i3"]}{"order":["i1"]}`, "more behind": `{"order":["i3"]} and that is why`,
		"fenced": "```json\n{\"order\":[\"i3\"]}\n```", "prose": "I would start with i3.", "empty": "", "spaces": "  \n",
		"mark of order": "\ufeff{\"order\":[\"i3\"]}",
		"too deep":      `{"order":` + strings.Repeat("[", 11000), "HTML": "<html><body>i3</body></html>",
	}
}

// TestHostileContents: whatever a model writes, the plan keeps its items in legal
// order, and of an answer only what is about the plan is used.
func TestHostileContents(t *testing.T) {
	for _, name := range providers() {
		for what, tc := range contents() {
			t.Run(name+"/"+what, func(t *testing.T) {
				p, requests := provider(t, name, says(http.StatusOK, envelope(name, tc.content)))
				a := p.Advise(t.Context(), sample())
				holds(t, sample(), a)
				require.Len(t, requests(), 1)
				require.Equal(t, tc.order != nil, a.Used, a.Note)
				if tc.order != nil {
					require.Equal(t, tc.order, a.Order)
				}
			})
		}
		if name == hostedA {
			continue
		}
		for what, content := range texts() {
			t.Run(name+"/"+what, func(t *testing.T) {
				p, _ := provider(t, name, says(http.StatusOK, envelope(name, content)))
				a := p.Advise(t.Context(), sample())
				holds(t, sample(), a)
				require.False(t, a.Used)
				require.Contains(t, a.Note, "another form")
			})
		}
	}
}

// TestEnvelopes are answers whose envelope is not what was asked for.
func TestEnvelopes(t *testing.T) {
	const good = `{"order":["i3"],"notes":[]}`
	change := func(name, old, replacement string) string {
		e := envelope(name, good)
		require.Contains(t, e, old)
		return strings.Replace(e, old, replacement, 1)
	}
	for _, tc := range []struct{ provider, what, body, says string }{
		{hostedA, "another tool", change(hostedA, "order_plan", "delete_zone"), "another form"},
		{hostedA, "two calls", change(hostedA, `[{"type":"tool_use"`,
			`[{"type":"tool_use","name":"order_plan","input":{"order":["i1"]}},{"type":"tool_use"`), "another form"},
		{hostedA, "no call", change(hostedA, `"tool_use","id"`, `"text","id"`), "another form"},
		{hostedA, "no content", `{"type":"message","role":"assistant","content":[],"stop_reason":"end_turn"}`, "another form"},
		{hostedA, "an error with 200", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "another form"},
		{hostedA, "cut", change(hostedA, `"stop_reason":"tool_use"`, `"stop_reason":"max_tokens"`), "before its answer was whole"},
		{hostedA, "no room", change(hostedA, `"stop_reason":"tool_use"`, `"stop_reason":"model_context_window_exceeded"`),
			"before its answer was whole"},
		{hostedA, "refusal", change(hostedA, `"stop_reason":"tool_use"`, `"stop_reason":"refusal"`), "declined"},
		{hostedB, "cut", change(hostedB, `"finish_reason":"stop"`, `"finish_reason":"length"`), "before its answer was whole"},
		{hostedB, "filtered", change(hostedB, `"finish_reason":"stop"`, `"finish_reason":"content_filter"`), "declined"},
		{hostedB, "refusal", change(hostedB, `"refusal":null`, `"refusal":"I cannot help with `+canaryKey+`"`), "declined"},
		{hostedB, "tool call", `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",` +
			`"function":{"name":"delete_zone","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, "another form"},
		{hostedB, "null content", `{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}`, "another form"},
		{hostedB, "no choice", `{"choices":[]}`, "another form"},
		{hostedB, "two choices", change(hostedB, `"choices":[`, `"choices":[{"index":1,"message":{"content":"{}"},"finish_reason":"stop"},`),
			"another form"},
		{local, "cut", change(local, `"done_reason":"stop"`, `"done_reason":"length"`), "before its answer was whole"},
		{local, "not done", change(local, `"done":true`, `"done":false`), "before its answer was whole"},
		{local, "an error with 200", `{"error":"model requires more system memory"}`, "before its answer was whole"},
		{local, "streamed", envelope(local, "{") + "\n" + envelope(local, "}"), "another form"},
		{local, "tool call", `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"x","arguments":{}}}]},"done":true,` +
			`"done_reason":"stop"}`, "another form"},
	} {
		t.Run(tc.provider+"/"+tc.what, func(t *testing.T) {
			p, _ := provider(t, tc.provider, says(http.StatusOK, tc.body))
			a := p.Advise(t.Context(), sample())
			holds(t, sample(), a)
			require.False(t, a.Used)
			require.Contains(t, a.Note, tc.says)
		})
	}
}

// TestHostileServers are answers that are not even an envelope.
func TestHostileServers(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for what, tc := range map[string]struct {
		handler http.HandlerFunc
		says    string
	}{
		"HTML":       {says(http.StatusOK, "<!doctype html><title>Login</title>"), "another form"},
		"empty":      {says(http.StatusOK, ""), "another form"},
		"half":       {says(http.StatusOK, `{"type":"message","choices":[{"message":{"con`), "another form"},
		"no content": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, "answered 204"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, "not followed"},
		"bad request": {says(http.StatusBadRequest, `{"type":"error","error":{"type":"invalid_request_error","message":"`+canaryKey+`"}}`),
			"answered 400"},
		"key":           {says(http.StatusUnauthorized, `{"error":{"message":"Incorrect API key provided: `+canaryKey+`"}}`), "answered 401"},
		"permission":    {says(http.StatusForbidden, "{}"), "answered 403"},
		"model":         {says(http.StatusNotFound, `{"error":"model 'nope' not found"}`), "SERVICE_AI_MODEL"},
		"too large":     {says(http.StatusRequestEntityTooLarge, "{}"), "answered 413"},
		"too many":      {says(http.StatusTooManyRequests, `{"type":"error","error":{"type":"rate_limit_error"}}`), "try again later"},
		"broken":        {says(http.StatusInternalServerError, `{"error":"`+canaryKey+`"}`), "try again later"},
		"overloaded":    {says(529, `{"type":"error","error":{"type":"overloaded_error"}}`), "answered 529"},
		"switching":     {says(http.StatusSwitchingProtocols, ""), "gave no answer"},
		"silent":        {hang, "did not answer in time"},
		"half and then": {func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush(); hang(w, r) }, "did not answer in time"},
		"hangs up":      {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "gave no answer"},
		"ten megabytes": {func(w http.ResponseWriter, _ *http.Request) {
			piece := []byte(strings.Repeat(" ", 1<<20))
			for range 10 {
				_, _ = w.Write(piece)
			}
		}, "more than 256 KiB"},
		"long header": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, "gave no answer"},
	} {
		for _, name := range providers() {
			t.Run(name+"/"+what, func(t *testing.T) {
				p, requests := provider(t, name, tc.handler, func(o *Options) {
					o.Timeout = 10 * time.Second
					if strings.Contains(tc.says, "in time") {
						o.Timeout = short
					}
				})
				began := time.Now()
				a := p.Advise(t.Context(), sample())
				holds(t, sample(), a)
				require.False(t, a.Used)
				require.Contains(t, a.Note, tc.says)
				require.Less(t, time.Since(began), 10*time.Second, "the planner's own time-out ends it, not the client's")
				require.LessOrEqual(t, len(requests()), 1, "nothing is followed and nothing tried again")
				if !strings.Contains(tc.says, "in time") { // on a busy machine the time may be over before the request arrives
					require.Len(t, requests(), 1)
				}
			})
		}
	}
}

// TestTheLargestAnswer: one of just the limit is read, one byte more is not.
func TestTheLargestAnswer(t *testing.T) {
	for _, name := range providers() {
		whole := envelope(name, `{"order":["i3"],"notes":[]}`)
		for more, used := range map[int]bool{0: true, 1: false} {
			p, _ := provider(t, name, says(http.StatusOK, whole+strings.Repeat(" ", MaxAnswer-len(whole)+more)))
			a := p.Advise(t.Context(), sample())
			holds(t, sample(), a)
			require.Equal(t, used, a.Used, a.Note)
		}
	}
}

// doer is a sender with errors of its own.
type doer func(*http.Request) (*outbound.Response, error)

func (d doer) Do(r *http.Request) (*outbound.Response, error) { return d(r) }

// TestForeignErrors: the text of an error is never passed on, because it may hold
// the address or the key.
func TestForeignErrors(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for what, tc := range map[string]struct {
		ctx  context.Context
		do   doer
		says string
	}{
		"an error": {t.Context(), func(r *http.Request) (*outbound.Response, error) {
			return nil, fmt.Errorf("Post %q with %s: refused", r.URL, canaryKey)
		}, "gave no answer"},
		"nothing":  {t.Context(), func(*http.Request) (*outbound.Response, error) { return nil, nil }, "gave no answer"},
		"given up": {gone, func(r *http.Request) (*outbound.Response, error) { return nil, r.Context().Err() }, "given up"},
		"a long one": {t.Context(), func(*http.Request) (*outbound.Response, error) {
			return &outbound.Response{Status: 200, Body: make([]byte, MaxAnswer+1)}, nil
		}, "256 KiB"},
	} {
		t.Run(what, func(t *testing.T) {
			p, _ := provider(t, hostedA, says(http.StatusOK, "{}"), func(o *Options) { o.Doer, o.Host = tc.do, "https://user-"+canaryKey+".test" })
			a := p.Advise(tc.ctx, sample())
			holds(t, sample(), a)
			require.False(t, a.Used)
			require.Contains(t, a.Note, tc.says)
		})
	}
	p, _ := provider(t, local, says(http.StatusOK, "{}"), func(o *Options) { o.Host = "http://%zz/" + canaryKey })
	a := p.Advise(t.Context(), sample())
	holds(t, sample(), a)
	require.Contains(t, a.Note, "no URL")
}
