package cloudflare

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// repeating answers every request alike.
type repeating struct {
	status int
	body   []byte
	asked  int
}

func (r *repeating) RoundTrip(*http.Request) (*http.Response, error) {
	r.asked++
	status := r.status
	if r.asked > 5 && status == http.StatusTooManyRequests {
		status = http.StatusForbidden // the gate waits a 429 out, so it must come to an end
	}
	return &http.Response{StatusCode: status, ContentLength: -1, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(r.body))}, nil
}

// FuzzEnvelope answers a read with any status and body, again and again: the read ends, as a
// section with a value of its shape or with a reason, and never with the token in it.
func FuzzEnvelope(f *testing.F) {
	const token = "canary-token-of-the-fuzzer"
	var sources []snapshot.Source
	for _, s := range snapshot.Sources() {
		if s.Level() != snapshot.LevelItem && s.Skip == nil && s.Singly == nil && s.Fill == nil {
			sources = append(sources, s)
		}
	}
	for _, body := range []string{
		`{"success":true,"errors":[],"messages":[],"result":[],"result_info":{"page":1,"per_page":50,"count":0,"total_count":0,"total_pages":0}}`,
		`{"success":true,"result":[{"id":"1"}],"result_info":{"page":1,"per_page":1,"count":1,"total_count":2,"total_pages":2}}`,
		`{"success":true,"result":[{"id":"1"}],"result_info":{"cursors":{"after":"x"},"count":1}}`,
		`{"success":true,"result":[{"id":"1"}],"result_info":{"cursor":"x","count":-1,"total_count":-5,"total_pages":1000000000}}`,
		`{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"result":null}`, `{"success":true,"result":null}`,
		`{"success":true,"result":{}}`, `{"success":false,"result":[{"id":"1"}],"result_info":{"page":1,"per_page":50,"count":1,` +
			`"total_count":1,"total_pages":1}}`,
		`{"errors":[{"code":1e300}]}`, `[]`, ``, `null`, `{"success":true,"result":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`,
		`{"success":true,"result":{"value":"on"},"result_info":{"page":9223372036854775807}}`,
	} {
		for _, status := range []int{200, 403, 404, 429, 500} {
			f.Add(uint16(status), status, []byte(body))
		}
	}
	for i, s := range sources {
		f.Add(uint16(i), 200, []byte(`{"success":true,"result":`+s.Example+
			`,"result_info":{"page":1,"per_page":1000,"count":1,"total_count":1,"total_pages":1}}`))
	}
	statuses := []snapshot.Status{snapshot.OK, snapshot.Skipped, snapshot.Absent, snapshot.NotEntitled, snapshot.Denied, snapshot.Failed}
	f.Fuzz(func(t *testing.T, which uint16, status int, body []byte) {
		defer fuzztest.Bound(t)()
		if status < 200 || status > 599 {
			return
		}
		provider := &repeating{status: status, body: body}
		c, err := New(Options{BaseURL: "https://provider.example", Token: secret.New(token), Gate: open{}, Transport: provider, Tries: 2,
			Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
		require.NoError(t, err)
		s := sources[int(which)%len(sources)]
		none := snapshot.NewKnown(func(string, string) (snapshot.Section, bool) { return snapshot.Section{}, false })
		sec, err := c.Read(t.Context(), s, snapshot.SourceScope{AccountID: "acc", Zone: snapshot.Zone{ID: "zone", Name: "zone.example"}}, none,
			nil)
		require.NoError(t, err)
		require.True(t, slices.Contains(statuses, sec.Status), "%q", sec.Status)
		require.LessOrEqual(t, provider.asked, 2*maxPages*(1+len(s.More)))
		require.NotContains(t, sec.Reason, token)
		require.Less(t, len(sec.Reason), 1000)
		if sec.Status == snapshot.OK {
			require.Less(t, status, 300, "a value out of an error")
			require.True(t, json.Valid(sec.Value))
			require.Contains(t, strings.ToLower(string(body)), "true", "a value of what did not succeed")
		} else {
			require.Empty(t, sec.Value)
		}
	})
}
