package record_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/credential"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/record"
)

func replacer(t *testing.T) *record.Replacer {
	t.Helper()
	r, err := record.NewReplacer(rand.Reader)
	require.NoError(t, err)
	return r
}

// TestTextKeepsItsForm: what checks look at stays, and nothing else.
func TestTextKeepsItsForm(t *testing.T) {
	r := replacer(t)
	for text, form := range map[string]string{
		"strict":                           `^strict$`,
		"2026-03-02T10:00:00.123456Z":      `^2026-03-02T10:00:00.123456Z$`,
		"www.zanzibarcorp.co.uk":           `^www\.[a-z]{12}\.co\.uk$`,
		"*.zanzibar-pay7.example":          `^\*\.[a-z]{8}-[a-z]{3}\d\.example$|^\*\.[a-z]{8}-pay7\.example$`,
		"zanzibar.azurewebsites.net":       `^[a-z]{8}\.azurewebsites\.net$`,
		"john.shield@zanzibarcorp.com":     `^[a-z]{4}\.[a-z]{6}@[a-z]{12}\.com$`,
		"postmaster@zanzibarcorp.com":      `^postmaster@[a-z]{12}\.com$`,
		"10.20.30.0/24":                    `^10\.\d+\.\d+\.0/24$`,
		"0.0.0.0/0":                        `^0\.0\.0\.0/0$`,
		"fd12:3456::1":                     `^fd[0-9a-f:]+$`,
		"0b9d5b3c5a7e4f0d9c8b7a6f5e4d3c2b": `^[0-9a-f]{32}$`,
		"f47ac10b-58cc-4372-a567-0e02b2c3d479.cfargotunnel.com":       `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}\.cfargotunnel\.com$`,
		`http.host eq "api.zanzibar.com" and ip.src in {81.2.69.142}`: `^http\.host eq "api\.[a-z]{8}\.com" and ip\.src in \{[\d.]+\}$`,
		`http.request.uri.path matches "^/wp-login\\.php\d+"`:         `^http\.request\.uri\.path matches "\^/wp-login\\\\\.php\\d\+"$`,
		"v=spf1 include:_spf.google.com ip4:81.2.69.0/24 -all":        `^v=spf1 include:_spf\.google\.com ip4:[\d.]+\.0/24 -all$`,
		"AKIA" + "ZANZIBARZANZIBAR":                                   `^AKIA[A-Z]{16}$`,
		"postgres://zan:zibar99@zanzibar.internal:5432/zan":           `^postgres://[a-z]{3}:[a-z]{5}\d\d@[a-z]{8}\.internal:5432/[a-z]{3}$`,
		"ZANZIBAR_API_KEY":                `^[A-Z]{8}_API_KEY$`,
		"%7A%61n%2Fzanzibar \\x7a &#122;": `^%78%78n%2Fzan[a-z]+ \\x78 &#120;$|^%78%78[a-z]%2F[a-z0-9]+ \\x78 &#120;$`,
		"max-age=31536000":                `^max-age=31536000$`,
		"zürich☃":                         `^[a-z]+$`,
	} {
		got := r.Text(text)
		require.Regexp(t, form, got, text)
		require.NotContains(t, strings.ToLower(got), "zanzibar", text)
		require.Equal(t, got, r.Text(text), "the same by the same")
	}
	require.Equal(t, strings.ToLower(r.Text("Zanzibar")), r.Text("zanzibar"))
	require.NotEqual(t, r.Text("zanzibar"), replacer(t).Text("zanzibar"), "another file, other names")
}

// TestOwnNames: the words of the account are no vocabulary, and its zones are replaced whatever they are called.
func TestOwnNames(t *testing.T) {
	r := replacer(t)
	require.Equal(t, "grafana", r.Text("grafana"))
	r.Own("Grafana Ltd", "api.com")
	require.NotEqual(t, "grafana", r.Text("grafana"))
	require.Regexp(t, `^www\.[a-z]{3}\.com$`, r.Text("www.api.com"))
	require.NotContains(t, r.Text("www.api.com"), "api")
}

// TestAddressesKeepTheirRanges: as many leading bits are shared as before.
func TestAddressesKeepTheirRanges(t *testing.T) {
	r := replacer(t)
	shared := func(a, b netip.Addr) int {
		for n := a.BitLen(); ; n-- {
			if p, _ := a.Prefix(n); p.Contains(b) {
				return n
			}
		}
	}
	for _, all := range [][]string{{"81.2.69.142", "81.2.69.160", "81.2.70.1", "81.200.1.1", "172.15.0.1", "172.17.0.9", "192.168.3.4",
		"192.0.2.9", "192.1.2.3", "100.64.0.7", "100.1.2.3", "223.4.5.6", "10.0.0.1"},
		{"2a02:ec8::1", "2a02:ec8::2", "2a02:ec9::1", "2001:db8::5", "fd00::9"}} {
		for _, a := range all {
			from, to := netip.MustParseAddr(a), netip.MustParseAddr(r.Text(a))
			require.Equal(t, from.IsPrivate(), to.IsPrivate(), a)
			for _, b := range all {
				require.Equal(t, shared(from, netip.MustParseAddr(b)), shared(to, netip.MustParseAddr(r.Text(b))), "%s %s", a, b)
			}
			whole, _ := from.Prefix(20)
			replaced := netip.MustParsePrefix(r.Text(whole.String()))
			require.Equal(t, 20, replaced.Bits())
			require.True(t, replaced.Contains(to))
		}
	}
}

// TestKeysKeepTheirLength: a DKIM key is replaced by one of the same kind and length.
func TestKeysKeepTheirLength(t *testing.T) {
	const key = "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC5N3lnvvrYgPCRSoqn+awTpE+iGYcKBPpo8HHbcFfCIIV10Hwo4PhCoGZSaKVHOjDm4yefKXhQ" +
		"jM7iKzEPuBatE7O47hAx1CJpNuIdLxhILSbEmbMxJrJAG0HZVn8z6EAoOHZNaPHmK2h4UUrjOG8zA5BHfzJf7tGwI+K619fFUwIDAQAB"
	text := `"v=DKIM1; k=rsa; p=` + key + `"`
	got := replacer(t).Text(text)
	require.NotContains(t, got, key[40:60])
	require.True(t, strings.HasSuffix(got, `"`))
	want := mailauth.ParseKey(strings.Trim(text, `"`))
	require.Equal(t, 1024, want.Bits)
	require.Equal(t, want, mailauth.ParseKey(strings.Trim(got, `"`)))
}

// TestValuesStayAsRandom as they were: checks tell secrets from settings by it.
func TestValuesStayAsRandom(t *testing.T) {
	for _, value := range []string{"9fK2mQ8xZ1vB7nL4cT6w", strings.Repeat("ab", 20), `changeme\x71\x61\x32\x34\x68\x39\x6b\x33`,
		"short"} {
		document, err := json.Marshal(map[string]string{"text": value})
		require.NoError(t, err)
		for range 50 {
			raw, err := replacer(t).JSON(document)
			require.NoError(t, err)
			var got map[string]string
			require.NoError(t, json.Unmarshal(raw, &got))
			require.Equal(t, credential.HighEntropy(value), credential.HighEntropy(got["text"]), "%s %s", value, got["text"])
		}
	}
}

type handler struct{ http.Handler }

func (h handler) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// TestRecordAndPlay: each question has its answer again, whatever time has passed, and nobody else's.
func TestRecordAndPlay(t *testing.T) {
	provider := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/client/v4/zones/denied":
			w.WriteHeader(http.StatusForbidden)
		case "/client/v4/zones/busy":
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, `{"success":true,"result":{"name":"zanzibar `+r.Header.Get("Cf-R2-Jurisdiction")+r.URL.Query().Get("cursor")+
			`","count":123456,"comment":"for grant","expires_on":"2026-03-05T10:00:00Z","day":"2026-03-05"}}`)
	})
	then := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	var file bytes.Buffer
	r := replacer(t)
	recorder := record.NewRecorder(handler{provider}, "/client/v4")
	ask := func(next http.RoundTripper, method, path string, header string) (int, string) {
		req := httptest.NewRequestWithContext(t.Context(), method, "http://provider.test/client/v4"+path, nil)
		req.Header.Set("Authorization", "Bearer zanzibar-token")
		if header != "" {
			req.Header.Set("Cf-R2-Jurisdiction", header)
		}
		resp, err := next.RoundTrip(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	_, original := ask(recorder, http.MethodGet, "/zones/zanzibar?since=2026-03-01T00:00:00Z&page=1&per_page=10000", "")
	require.Contains(t, original, "zanzibar", "the client gets what Cloudflare said")
	ask(recorder, http.MethodGet, "/zones/zanzibar?since=2026-03-01T00:00:00Z&page=1&per_page=10000", "eu")
	ask(recorder, http.MethodGet, "/zones/denied", "")
	ask(recorder, http.MethodGet, "/zones/busy", "")
	ask(recorder, http.MethodPost, "/zones/zanzibar", "")
	n, err := recorder.Write(&file, "v1", r, then)
	require.NoError(t, err)
	require.Equal(t, 3, n, "reads only, and no refusal for haste")
	require.NotContains(t, file.String(), "zanzibar")
	require.NotContains(t, file.String(), "grant")
	require.NotContains(t, file.String(), "Bearer")

	player, err := record.NewPlayer(bytes.NewReader(file.Bytes()), then.Add(240*time.Hour))
	require.NoError(t, err)
	name := r.Text("zanzibar")
	status, body := ask(handler{player}, http.MethodGet, "/zones/"+name+"?per_page=10000&page=1&since=2026-04-01T00:00:00Z", "eu")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"success":true,"result":{"name":"`+name+` eu","count":123456,"comment":"text-1","expires_on":"2026-03-15T10:00:00Z",`+
		`"day":"2026-03-15"}}`, body)
	status, _ = ask(handler{player}, http.MethodGet, "/zones/"+name+"?per_page=10000&page=2", "eu")
	require.Equal(t, http.StatusNotFound, status)
	status, body = ask(handler{player}, http.MethodPost, "/zones/"+name, "")
	require.Equal(t, http.StatusForbidden, status)
	require.True(t, json.Valid([]byte(body)))

	for _, damaged := range []string{"", "{}", "[]", file.String()[:file.Len()-9],
		strings.Replace(file.String(), `"status":2`, `"status":`, 1)} {
		_, err := record.NewPlayer(strings.NewReader(damaged), then)
		require.Error(t, err)
	}
}

// TestWritable: a change is seen in every answer that shows the object, only with the token that may write, and is taken
// back by its inverse.
func TestWritable(t *testing.T) {
	const file = `{"recordedAt":"2026-03-02T10:00:00Z","version":"v1"}
{"path":"/zones","query":"page=1","status":200,"body":{"result":[{"id":"z","paused":true,"account":{"id":"a"}}]}}
{"path":"/zones/z","status":200,"body":{"result":{"id":"z","paused":true,"account":{"id":"a"}}}}
{"path":"/zones/z/settings","status":200,"body":{"result":[{"id":"ssl","value":"full"},{"id":"ttl","value":5}]}}
{"path":"/zones/z/dns_records","query":"page=1","status":200,"body":{"result":[{"id":"r","name":"www","type":"A","ttl":1}],
 "result_info":{"count":1,"total_count":1}}}
{"path":"/zones/z/dns_records","query":"type=TXT","status":200,"body":{"result":[]}}
{"path":"/zones/z/rulesets","status":200,"body":{"result":[]}}
{"path":"/zones/z/rulesets/phases/cache/entrypoint","status":404,"body":{"errors":[{"code":10003}]}}
{"path":"/zones/z/security-center/securitytxt","status":200,"body":{"result":{}}}
{"path":"/zones/z/hold","status":200,"body":{"result":{"hold":true,"include_subdomains":"false"}}}
{"path":"/zones/z/dnssec","status":200,"body":{"result":{"status":"disabled"}}}
{"path":"/accounts/a/logs/audit","query":"action_type.not=view","status":200,"body":{"result":[]}}
{"path":"/accounts/a/logs/audit","query":"action_type.not=delete","status":200,"body":{"result":[]}}
`
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	player, err := record.NewPlayer(strings.NewReader(file), now)
	require.NoError(t, err)
	player.Writable("pen", func() time.Time { return now })
	call := func(token, method, path, body string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), method, record.BasePath+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		player.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	status, _ := call("eye", http.MethodPatch, "/zones/z", `{"paused":false}`)
	require.Equal(t, http.StatusForbidden, status)
	for method, path := range map[string]string{"PATCH": "/zones/y", "DELETE": "/zones/z/dns_records/x", "POST": "/zones", "PUT": "/"} {
		status, _ = call("pen", method, path, `{"paused":false}`)
		require.Equal(t, http.StatusNotFound, status, path)
	}
	for _, step := range []struct{ do, path, body, at, shows string }{
		{"PATCH", "/zones/z", `{"paused":false}`, "/zones?page=1", `"paused":false`},
		{"PATCH", "/zones/z", `{"paused":true}`, "/zones/z", `"paused":true`},
		{"PATCH", "/zones/z/settings/ssl", `{"value":"strict"}`, "/zones/z/settings", `{"id":"ssl","value":"strict"}`},
		{"PATCH", "/zones/z/settings/ssl", `{"value":"full"}`, "/zones/z/settings/ssl", `"value":"full"`},
		{"POST", "/zones/z/dns_records", `{"name":"t","type":"TXT"}`, "/zones/z/dns_records?type=TXT", `"name":"t"`},
		{"", "", "", "/zones/z/dns_records?page=1", `"total_count":2`},
		{"", "", "", "/zones/z/dns_records?name=t", `"total_count":1`},
		{"DELETE", "/zones/z/dns_records/{id}", "", "/zones/z/dns_records?type=TXT", `"result":[]`},
		{"DELETE", "/zones/z/dns_records/r", "", "/zones/z/dns_records?page=1", `"total_count":0`},
		{"POST", "/zones/z/dns_records", `{"name":"www","type":"A"}`, "/zones/z/dns_records/r", `"ttl":1`},
		{"POST", "/zones/z/rulesets", `{"name":"default","kind":"zone","phase":"cache","rules":[{"ref":"one"}]}`, "/zones/z/rulesets",
			`"phase":"cache"`},
		{"", "", "", "/zones/z/rulesets/phases/cache/entrypoint", `"ref":"one"`},
		{"PUT", "/zones/z/security-center/securitytxt", `{"contact":["x"]}`, "/zones/z/security-center/securitytxt", `{"contact":["x"]}`},
		{"DELETE", "/zones/z/security-center/securitytxt", "", "/zones/z/security-center/securitytxt", `"result":{}`},
		{"POST", "/zones/z/hold?include_subdomains=true", "", "/zones/z/hold", `"include_subdomains":"true"`},
		{"PATCH", "/zones/z/hold", `{"include_subdomains":false}`, "/zones/z/hold", `"include_subdomains":"false"`},
		{"PATCH", "/zones/z/dnssec", `{"status":"active"}`, "/zones/z/dnssec", `"status":"pending"`},
		{"", "", "", "/accounts/a/logs/audit?action_type.not=view", `"zone":{"id":"z"}`},
	} {
		if step.do != "" {
			_, made := call("eye", http.MethodGet, "/zones/z/dns_records?type=TXT", "")
			var list struct{ Result []struct{ ID string } }
			require.NoError(t, json.Unmarshal([]byte(made), &list))
			if len(list.Result) > 0 {
				step.path = strings.Replace(step.path, "{id}", list.Result[0].ID, 1)
			}
			status, answer := call("pen", step.do, step.path, step.body)
			require.Equal(t, http.StatusOK, status, "%s %s %s", step.do, step.path, answer)
		}
		_, answer := call("eye", http.MethodGet, step.at, "")
		require.Contains(t, answer, step.shows, "%s %s", step.do, step.path)
	}
	_, entries := call("eye", http.MethodGet, "/accounts/a/logs/audit?action_type.not=delete", "")
	require.NotContains(t, entries, `"type":"delete"`)
	_, list := call("eye", http.MethodGet, "/zones/z/rulesets", "")
	var rulesets struct{ Result []struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(list), &rulesets))
	require.Len(t, rulesets.Result, 1)
	status, _ = call("pen", http.MethodPost, "/zones/z/rulesets", `{"name":"default","kind":"zone","phase":"cache","rules":[]}`)
	require.Equal(t, http.StatusBadRequest, status, "a phase has one entry point")
	status, _ = call("pen", http.MethodPut, "/zones/z/rulesets/phases/cache/entrypoint", `{"rules":[{"ref":"one","enabled":true}]}`)
	require.Equal(t, http.StatusOK, status)
	_, entry := call("eye", http.MethodGet, "/zones/z/rulesets/phases/cache/entrypoint", "")
	var ruleset struct {
		Result struct{ Rules []struct{ ID string } }
	}
	require.NoError(t, json.Unmarshal([]byte(entry), &ruleset))
	status, _ = call("pen", http.MethodDelete, "/zones/z/rulesets/"+rulesets.Result[0].ID+"/rules/"+ruleset.Result.Rules[0].ID, "")
	require.Equal(t, http.StatusOK, status)
	status, _ = call("eye", http.MethodGet, "/zones/z/rulesets/phases/cache/entrypoint", "")
	require.Equal(t, http.StatusNotFound, status, "an entry point is gone with its last rule")
}

// TestTimesMove: dates of every form, by as much as has passed.
func TestTimesMove(t *testing.T) {
	file := `{"recordedAt":"2026-01-01T00:00:00Z","version":"v1"}
{"path":"/x","status":200,"body":{"a":"2026-01-11","b":"2026-01-02T00:00:00.000000Z","c":"2026-02-05 00:00:00 +0000 UTC",` +
		`"version":"2025.11.0","d":"2025.11.0"}}
{"question":"A www.example","lookup":{"rcode":"NOERROR","answers":["192.0.2.1"]}}
`
	player, err := record.NewPlayer(strings.NewReader(file), time.Date(2027, 1, 2, 18, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	w := httptest.NewRecorder()
	player.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, record.BasePath+"/x", nil))
	require.JSONEq(t, `{"a":"2027-01-12","b":"2027-01-03T18:00:00.000000Z","c":"2027-02-06 18:00:00 +0000 UTC","version":"2026.11.0",`+
		`"d":"2025.11.0"}`, w.Body.String())
	found, err := player.Lookup(t.Context(), snapshot.Question{Type: "A", Name: "www.example"})
	require.NoError(t, err)
	require.Equal(t, []string{"192.0.2.1"}, found.Answers)
	_, err = player.Lookup(t.Context(), snapshot.Question{Type: "A", Name: "other.example"})
	require.ErrorContains(t, err, "A other.example")
}
