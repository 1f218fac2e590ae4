package siem

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

func now() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) }

func five() []batchItem {
	return []batchItem{{id: "a"}, {id: "b"}, {id: "c", keep: true}, {id: "d"}, {id: "e"}}
}

// FuzzBulkAnswer holds that an answer of any kind gives every document a verdict
// and that nothing is sent that no item vouches for.
func FuzzBulkAnswer(f *testing.F) {
	for _, s := range []string{
		"", "{}", "[]", "null", `{"items":[]}`, `{"items":null}`, `{"items":{}}`, `{"errors":false,"items":[{"index":{"status":201}}]}`,
		`{"items":[{"index":{"status":201}},`, `{"items":[{"index":{"sta`,
		`{"items":[{"index":{"_id":"b","status":201}},{"index":{"_id":"a","status":429,"error":{"type":"x","reason":"y"}}}]}`,
		`{"items":[{"index":{"_id":"a","status":201}},{"index":{"_id":"a","status":201}}]}`,
		`{"items":[{"create":{"status":409}},{"create":{"status":409}},{"create":{"status":409}},{"create":{"status":409}},` +
			`{"create":{"status":409}}]}`, `{"items":[{}]}`, `{"items":[{"a":{},"b":{}}]}`, `{"error":"no","items":7}`,
		`{"items":[{"index":{"status":200}},{"index":{"status":200}},{"index":{"status":200}},{"index":{"status":200}},` +
			`{"index":{"status":200}}],"items":[]}`, `{"error":{"type":"t","reason":"canary"}}`, strings.Repeat(`{"items":`, 2000),
	} {
		for _, status := range []int{200, 201, 400, 429} {
			f.Add([]byte(s), status)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		defer fuzztest.Bound(t)()
		b := &bulk{search: Search{APIKey: secret.New("canary")}, authorization: secret.New("ApiKey canary"), pace: Pace{Now: now}}
		batch := five()
		j := b.judge(batch, &outbound.Response{Status: status, Header: http.Header{}, Body: body})
		require.Len(t, j.verdicts, len(batch))
		sent := 0
		for i, v := range j.verdicts {
			if v.fate == fateSent {
				sent++
				continue
			}
			require.True(t, v.reason != "" || v.fate == fateAgain, "verdict %d says nothing", i)
			require.NotContains(t, v.reason, "canary")
			require.LessOrEqual(t, utf8.RuneCountInString(v.reason), longestReason)
		}
		if sent > 0 {
			require.Contains(t, []int{200, 201}, status)
			require.GreaterOrEqual(t, strings.Count(string(body), "20")+strings.Count(string(body), "409")+strings.Count(string(body), `\u`)+
				strings.Count(string(body), "e"), 1)
			got, err := readItems(body)
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(got.list), sent)
		}
	})
}

// FuzzCollectorAnswer holds that only a plain success counts as one.
func FuzzCollectorAnswer(f *testing.F) {
	for _, s := range []string{"", "{}", "null", `"x"`, `{"text":"Success","code":0}`, `{"code":24}`, `{"code":"0"}`, `{"code":null}`,
		`{"code":12}`, `{"code":15,"invalid-event-number":3}`, `{"code":6,"invalid-event-number":-1}`, `{"code":13,"invalid-event-number":99}`,
		"Unauthorized", `{"code":1e99}`} {
		for _, status := range []int{200, 400, 401, 503} {
			f.Add([]byte(s), status)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		defer fuzztest.Bound(t)()
		h := &hec{collector: Collector{Token: secret.New("canary")}, pace: Pace{Now: now}}
		batch := five()
		j := h.judge(batch, &outbound.Response{Status: status, Header: http.Header{}, Body: body})
		require.Len(t, j.verdicts, len(batch))
		failed := 0
		for _, v := range j.verdicts {
			if v.fate == fateSent {
				a := readAnswer(body)
				require.Equal(t, 200, status)
				require.NotNil(t, a.Code)
				require.Contains(t, []int{0, 24, 25}, *a.Code)
			}
			if v.fate == fateFailed {
				failed++
			}
			require.NotContains(t, v.reason, "canary")
		}
		require.True(t, failed == 0 || failed == len(batch) && j.halt || failed == 1, "one event is blamed, or all with the target")
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "0", "7", "-1", "1.5", "99999999999999999999", "Sat, 21 Nov 2026 09:00:30 GMT",
		"Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "１２", " 5 ", "0x10", "+5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		defer fuzztest.Bound(t)()
		got := retryAfter(http.Header{"Retry-After": {s}}, now())
		require.GreaterOrEqual(t, got, time.Duration(0))
		require.LessOrEqual(t, got, 24*time.Hour)
	})
}

func FuzzReason(f *testing.F) {
	for _, s := range []string{"", "a\nb", "\x1b[31mred", "\u202Egnp", strings.Repeat("😀", 400), "\xff\xfe", "canary",
		strings.Repeat(" ", 5000) + "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		defer fuzztest.Bound(t)()
		got := reasonOf(scrub(s, secret.New("canary"), secret.New("")))
		require.True(t, utf8.ValidString(got))
		require.LessOrEqual(t, utf8.RuneCountInString(got), longestReason)
		require.NotContains(t, got, "canary")
		require.NotContains(t, got, "\n")
		require.NotContains(t, got, "\x1b")
	})
}

// FuzzText holds that texts are cut between runes, never grow, and that a cut is
// told.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a", "abcdefgh", "abcdefghi", "ééééééééé", "😀😀😀😀😀😀😀😀😀", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		strings.Repeat("\xf0\x9f", 100), strings.Repeat("x", 5000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		defer fuzztest.Bound(t)()
		r := room{runes: 8}
		got := r.text(s)
		require.True(t, utf8.ValidString(got))
		require.LessOrEqual(t, utf8.RuneCountInString(got), 8)
		if valid := strings.ToValidUTF8(s, "\uFFFD"); !r.cut {
			require.Equal(t, valid, got)
		} else if before, found := strings.CutSuffix(got, "…"); found && utf8.ValidString(s) {
			require.True(t, strings.HasPrefix(valid, before))
		}
	})
}

// FuzzAddress holds that an address is refused or stays on its host.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"https://h.example", "http://h.example:9200/es", "https://u:p@h.example", "https://h.example/../..",
		"//h.example", "https://[::1]:9200", "https://h.example/%2e%2e/", "https://h.example\\@evil.example", "https://h.example/a?b#c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		defer fuzztest.Bound(t)()
		u, err := endpoint("searchUrl", s, "/_bulk")
		if err != nil {
			require.NotContains(t, err.Error(), "p@")
			return
		}
		given, err := url.Parse(strings.TrimSpace(s))
		require.NoError(t, err)
		require.Equal(t, given.Host, u.Host)
		require.Equal(t, given.Scheme, u.Scheme)
		require.Nil(t, u.User)
		require.Empty(t, u.RawQuery)
		require.True(t, strings.HasSuffix(u.Path, "/_bulk"), u.Path)
	})
}
