package command_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/provider/resolve"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestRecordTellsTheSame records the demo account and has the record assessed: check by check, the results, severities
// and kinds of resources are the same, and no name of the account is in the file.
func TestRecordTellsTheSame(t *testing.T) {
	s := newShell(t)
	file := filepath.Join(t.TempDir(), "case.jsonl")
	s.want(0, "record", "--out", file)
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, findingsOf(t, s), findingsOf(t, replaying(t, file)))
	for _, name := range append(simcloud.Canaries(), "acme", "edgeposture-demo-read") {
		require.NotContains(t, strings.ToLower(string(raw)), strings.ToLower(name))
	}
	t.Logf("%d answers, %d bytes", bytes.Count(raw, []byte("\n"))-1, len(raw))

	s.want(2, "record")
	s.want(2, "record", "--out", filepath.Join(t.TempDir(), "missing", "x"))
	s.want(2, "record", "--out", file, "--server", "http://127.0.0.1:1")
	distributed := newShell(t, "DATABASE_URL=postgres://127.0.0.1:1/x", "REDIS_URL=redis://127.0.0.1:1",
		"SERVICE_ENCRYPTION_KEY="+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	require.Contains(t, distributed.want(2, "record", "--out", file).err, "DATABASE_URL")
	s.want(2, "replay-provider", filepath.Join(t.TempDir(), "missing"))
	s.want(2, "replay-provider", file, "--listen", "0.0.0.0:0")
}

// TestRecordHoldsNoCanary plants 500 texts of chance into what an account answers. None is in the record in any
// writing, and the record is judged like the account.
func TestRecordHoldsNoCanary(t *testing.T) {
	options := simcloud.Demo()
	options.Limit.Disabled = true
	planted := newPlanter(simcloud.New(options))
	provider := httptest.NewServer(planted)
	defer provider.Close()
	s := newShell(t, named(t, planted.cloud), "CLOUDFLARE_BASE_URL="+provider.URL+"/client/v4",
		"CLOUDFLARE_API_TOKEN="+options.Tokens[0].Secret)
	file := filepath.Join(t.TempDir(), "case.jsonl.gz")
	s.want(0, "record", "--out", file)
	raw := bytes.ToLower(unpacked(t, file))
	require.GreaterOrEqual(t, planted.next, len(planted.words), "every canary was answered")
	for _, word := range planted.words {
		for _, form := range forms(word) {
			require.NotContains(t, string(raw), strings.ToLower(form))
		}
	}
	require.Equal(t, findingsOf(t, s), findingsOf(t, replaying(t, file)))
	t.Logf("%d places with a canary", planted.next)
}

// TestRecordOfPlantedAccounts: every case that can be planted is found in the record as it is in the account.
func TestRecordOfPlantedAccounts(t *testing.T) {
	for seed, plans := range [][]string{{"enterprise"}, {"enterprise", "business", "pro", "free"}} {
		cloud := simcloud.New(simcloud.Options{Seed: 50 + uint64(seed), Limit: simcloud.Limit{Disabled: true},
			Accounts: []simcloud.AccountSpec{{Zones: 6, RecordsPerZone: 30, Plant: 1, Plans: plans}}})
		provider := httptest.NewServer(cloud)
		defer provider.Close()
		s := newShell(t, named(t, cloud), "CLOUDFLARE_BASE_URL="+provider.URL+"/client/v4", "CLOUDFLARE_API_TOKEN="+cloud.Tokens()[0].Secret)
		file := filepath.Join(t.TempDir(), "case.jsonl.gz")
		s.want(0, "record", "--out", file)
		require.Equal(t, findingsOf(t, s), findingsOf(t, replaying(t, file)))
	}
}

// named serves the names of a simulated provider and gives the setting that points there.
func named(t *testing.T, cloud resolve.Names) string {
	t.Helper()
	server, err := resolve.Serve(t.Context(), "127.0.0.1:0", cloud)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return "SERVICE_DNS_RESOLVER=" + server.Addr
}

// replaying is a shell whose provider and name system are a record.
func replaying(t *testing.T, file string) *shell {
	t.Helper()
	s := newShell(t, "CLOUDFLARE_API_TOKEN=replay")
	cmd, _, _ := s.command("replay-provider", file)
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for len(s.environ) < 6 && lines.Scan() {
		s.environ = append(s.environ, lines.Text())
	}
	require.NoError(t, lines.Err())
	address := strings.TrimPrefix(s.environ[4], "CLOUDFLARE_BASE_URL=")
	for path, status := range map[string]int{"/nowhere": http.StatusNotFound, "/zones": http.StatusForbidden} {
		method := map[int]string{http.StatusNotFound: http.MethodGet, http.StatusForbidden: http.MethodPost}[status]
		req, err := http.NewRequestWithContext(t.Context(), method, address+path, nil)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, status, resp.StatusCode)
	}
	s.want(0, "assess", "--profile", "full")
	return s
}

// findingsOf counts the findings of the last run by what must not differ.
func findingsOf(t *testing.T, s *shell) map[string]int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "export.json")
	s.want(0, "export", "--format", "json", "--output", file)
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var d struct {
		Findings []struct {
			CheckID, Result, Severity string
			Resource                  struct{ Type, ID string }
		}
	}
	require.NoError(t, json.Unmarshal(raw, &d))
	require.Greater(t, len(d.Findings), 300)
	count, ofResource := map[string]int{}, map[string][]string{}
	for _, f := range d.Findings {
		line := fmt.Sprintf("%s %s %s %s", f.CheckID, f.Result, f.Severity, f.Resource.Type)
		count[line]++
		ofResource[f.Resource.Type+" "+f.Resource.ID] = append(ofResource[f.Resource.Type+" "+f.Resource.ID], line)
	}
	for _, lines := range ofResource { // what is found on one resource is found on one resource
		slices.Sort(lines)
		count["one resource: "+strings.Join(lines, ", ")]++
	}
	return count
}

func unpacked(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	raw, err := io.ReadAll(z)
	require.NoError(t, err)
	return raw
}

// planter plants words into the texts of answers, each place always the same.
type planter struct {
	next   int // places so far
	words  []string
	cloud  *simcloud.Cloud
	mu     sync.Mutex
	places map[string]string
}

func newPlanter(cloud *simcloud.Cloud) *planter {
	p := &planter{cloud: cloud, places: map[string]string{}}
	random := rand.New(rand.NewPCG(18, 500))
	for range 500 {
		word := make([]byte, 14)
		for i := range word {
			word[i] = "abcdefghijkmnpqrstuvwxyz23456789"[random.IntN(32)]
		}
		word[0] = 'q'
		p.words = append(p.words, string(word))
	}
	return p
}

// forms are the ways a word may be written.
func forms(word string) []string {
	backwards := []byte(word)
	slices.Reverse(backwards)
	out := []string{word, string(backwards), hex.EncodeToString([]byte(word)), escaped(word, "%"), escaped(word, `\x`),
		escaped(word, `\\x`), escaped(word, `\u00`)}
	for i := range 3 { // base64 depends on where in three bytes the word starts
		text := base64.RawStdEncoding.EncodeToString([]byte("123"[:i] + word))
		out = append(out, text[4:len(text)-4])
	}
	return out
}

func escaped(word, with string) string {
	var b strings.Builder
	for _, c := range []byte(word) {
		fmt.Fprintf(&b, "%s%02x", with, c)
	}
	return b.String()
}

// ServeHTTP implements http.Handler.
func (p *planter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	p.cloud.ServeHTTP(answer, r)
	body := answer.Body.Bytes()
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) == nil && answer.Code == http.StatusOK {
		p.mu.Lock()
		v["result"] = p.plant(r.URL.Path, "", v["result"])
		p.mu.Unlock()
		body, _ = json.Marshal(v)
	}
	for name, values := range answer.Header() {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body)
}

func (p *planter) plant(place, member string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if id, ok := v["id"].(string); ok {
			place += "/" + id
		}
		if v["type"] == "TXT" {
			v["content"] = p.text(place+"/txt", "txt", v["content"].(string))
		}
		for name, x := range v {
			v[name] = p.plant(place+"/"+name, name, x)
		}
		return v
	case []any:
		for i, x := range v {
			v[i] = p.plant(place+"/"+fmt.Sprint(i), member, x)
		}
		return v
	case string:
		return p.text(place, member, v)
	default:
		return v
	}
}

// text writes the word of the place into a text in one of several ways.
func (p *planter) text(place, member, text string) string {
	write, ok := map[string]func(text, word string) string{
		"txt": func(text, w string) string {
			return strings.TrimSuffix(text, `"`) + " " + w + strings.Repeat(`"`, min(1, strings.Count(text, `"`)))
		},
		"comment": func(text, w string) string { return text + " " + w },
		"description": func(text, w string) string {
			return "see https://" + w + ".example/" + w + "?" + w + "=" + escaped(w, "%")
		},
		"notes":      func(text, w string) string { return text + base64.StdEncoding.EncodeToString([]byte(w)) },
		"first_name": func(_, w string) string { return strings.ToUpper(w) },
		"last_name":  func(_, w string) string { return strings.ToUpper(w[:1]) + w[1:] },
		"email":      func(text, w string) string { return w + "." + text },
		"title":      func(text, w string) string { return text + "-" + w },
		"user_agent": func(text, w string) string { return text + " " + hex.EncodeToString([]byte(w)) },
		"etag":       func(_, w string) string { return w },
		"text":       func(text, w string) string { return text + escaped(w, `\x`) },
		"expression": func(text, w string) string {
			return text + ` or http.cookie contains "` + w + `" or http.user_agent eq "` + w + `/1.0"`
		},
		"ref":                func(_, w string) string { return w },
		"created_by":         func(_, w string) string { return w + "@" + w + ".example" },
		"token_name":         func(text, w string) string { return text + " " + w },
		"uri":                func(text, w string) string { return text + "/" + w + "?session=" + w },
		"last_deployed_from": func(text, w string) string { return text + "_" + w },
	}[member]
	if !ok || text == "" {
		return text
	}
	key := place + " " + text
	if p.places[key] == "" {
		p.places[key] = p.words[p.next%len(p.words)]
		p.next++
	}
	return write(text, p.places[key])
}
