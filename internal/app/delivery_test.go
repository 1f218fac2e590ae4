package app_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/jobs"
)

// inbox is a receiver of messages: it keeps what came and answers as told.
type inbox struct {
	mu      sync.Mutex
	status  int // 200 when 0
	bodies  [][]byte
	headers []http.Header
}

func (b *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bodies, b.headers = append(b.bodies, raw), append(b.headers, r.Header.Clone())
	if b.status != 0 {
		w.WriteHeader(b.status)
	}
	_, _ = io.WriteString(w, "canary-of-the-receiver")
}

func (b *inbox) answer(status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status = status
}

func (b *inbox) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.bodies)
}

const onLoopback = "SERVICE_OUTBOUND_ALLOW=127.0.0.0/8"

func (s *system) deliveries(query string) []posture.Delivery {
	s.t.Helper()
	var out struct {
		Items []posture.Delivery `json:"items"`
	}
	s.get("/api/deliveries"+query, &out)
	return out.Items
}

// TestNotify tells three channels about an assessment, holds the signature, and
// shows what is skipped, refused and never sent.
func TestNotify(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), onLoopback)
	require.Equal(t, posture.CodeNoAssessment, problem(t, s.call("POST", "/api/notify", nil)).Code)
	a := s.assessAll(nil)
	missing := s.call("POST", "/api/notify", map[string]any{"channels": []string{"chat_a"}})
	require.Equal(t, 422, missing.status)
	require.Contains(t, string(missing.body), "chatAWebhook")
	var none jobs.NotifyResult
	s.call("POST", "/api/notify", map[string]any{"dryRun": true}).into(t, &none)
	require.Len(t, none.Payloads, len(notify.Channels()))
	require.Len(t, none.Skipped, len(notify.Channels()), "nothing would be sent")
	require.Equal(t, "not-configured", none.Skipped[0].Reason)
	chat, hook := &inbox{}, &inbox{}
	chatURL, hookURL := siemtest.Start(t, chat)+"/canary-secret-path", siemtest.Start(t, hook)+"/hooks/findings"
	s.settings("PUT", map[string]any{"chatAWebhook": chatURL, "chatBWebhook": chatURL, "webhookUrl": hookURL,
		"webhookSecret": "canary-topsecret-0001"})

	var dry jobs.NotifyResult
	s.call("POST", "/api/notify", map[string]any{"dryRun": true}).into(t, &dry)
	require.Len(t, dry.Payloads, len(notify.Channels()))
	require.Len(t, dry.Skipped, len(notify.Channels())-3, "those without an address")
	require.Zero(t, chat.count()+hook.count())
	require.Empty(t, s.deliveries(""))

	var sent jobs.NotifyResult
	got := s.call("POST", "/api/notify", map[string]any{"assessmentId": a.ID, "link": "https://posture.example/a"})
	require.Equal(t, 200, got.status, string(got.body))
	got.into(t, &sent)
	require.Len(t, sent.Sent, 3)
	require.Empty(t, sent.Failed)
	require.Equal(t, 2, chat.count())
	require.NotContains(t, string(got.body), "canary")
	mac := hmac.New(sha256.New, []byte("canary-topsecret-0001"))
	mac.Write(hook.bodies[0])
	require.Equal(t, "sha256="+hex.EncodeToString(mac.Sum(nil)), hook.headers[0].Get("X-Service-Signature"))
	require.Equal(t, sent.Sent[2].DeliveryID, hook.headers[0].Get("X-Service-Delivery"))
	var body struct {
		AssessmentID string `json:"assessmentId"`
	}
	require.NoError(t, json.Unmarshal(hook.bodies[0], &body))
	require.Equal(t, a.ID, body.AssessmentID)
	for _, d := range s.deliveries("?assessmentId=" + a.ID) {
		require.Equal(t, posture.DeliveryDelivered, d.State)
		require.NotContains(t, fmt.Sprint(d), "canary")
	}

	chat.answer(400)
	var partly jobs.NotifyResult
	got = s.call("POST", "/api/notify", nil)
	require.Equal(t, 200, got.status, string(got.body))
	got.into(t, &partly)
	require.Len(t, partly.Failed, 2)
	require.Len(t, partly.Sent, 1)
	require.NotContains(t, string(got.body), "canary", "what a receiver answers is not passed on")
	alone := s.call("POST", "/api/notify", map[string]any{"channels": []string{"chat_a"}})
	require.Equal(t, 502, alone.status)
	require.Equal(t, posture.CodeDelivery, problem(t, alone).Code)

	s2 := embedded(t, cleanAccount(), onLoopback, "SERVICE_WEBHOOK_URL="+hookURL, "SERVICE_WEBHOOK_SECRET=canary-topsecret-0002")
	s2.assessAll(nil)
	var skipped jobs.NotifyResult
	before := hook.count()
	s2.call("POST", "/api/notify", map[string]any{"threshold": "critical"}).into(t, &skipped)
	require.Equal(t, []jobs.NotifySkipped{{Reason: "below-threshold"}}, skipped.Skipped)
	require.Equal(t, before, hook.count())
	for _, tc := range []struct {
		body   map[string]any
		status int
		says   string
	}{
		{map[string]any{"threshold": "terrible"}, 422, "threshold"}, {map[string]any{"channels": []string{"pager"}}, 422, "channels"},
		{map[string]any{"link": "javascript:alert(1)"}, 422, "link"}, {map[string]any{"assessmentId": "7"}, 422, "assessmentId"},
		{map[string]any{"assessmentId": "01a1fe8f-3b4e-7922-9dea-000000000000"}, 404, "assessment"},
		{map[string]any{"channels": []string{"webhook"}, "webhookUrl": "https://elsewhere.example/x"}, 403, "webhookSecret"},
	} {
		got := s2.call("POST", "/api/notify", tc.body)
		require.Equal(t, tc.status, got.status, "%v: %s", tc.body, got.body)
		require.Contains(t, string(got.body), tc.says)
	}
}

func cleanAccount() simcloud.Options {
	o := small()
	o.Accounts[0].Clean, o.Accounts[0].Plant = true, 0
	return o
}

// TestPrivateAddressesAreRefused names a receiver on loopback without permission:
// nothing connects, and the ledger says why.
func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	at := siemtest.Start(t, box)
	s := embedded(t, small())
	s.assessAll(nil)
	got := s.call("POST", "/api/notify", map[string]any{"channels": []string{"chat_a"}, "chatAWebhook": at + "/x"})
	require.Equal(t, 502, got.status, string(got.body))
	require.Contains(t, problem(t, got).Detail, "SERVICE_OUTBOUND_ALLOW")
	ship := s.call("POST", "/api/integrations/ship", map[string]any{"target": "search", "searchUrl": at, "searchApiKey": "canary-key"})
	require.Equal(t, 502, ship.status, string(ship.body))
	require.NotContains(t, string(ship.body), "canary")
	require.Zero(t, box.count())
	for _, d := range s.deliveries("?state=failed") {
		require.Equal(t, 0, d.Sent)
	}
}

// TestAddressesOfARequestAreSealed: the path of an address may be a secret, and no file holds it.
func TestAddressesOfARequestAreSealed(t *testing.T) {
	t.Parallel()
	collector := &siemtest.Collector{Token: "canary-hec-token"}
	dir, at := t.TempDir(), siemtest.Start(t, collector)
	s := embedded(t, small(), onLoopback, "DATA_DIR="+dir)
	s.assessAll(nil)
	body := map[string]any{"target": "collector", "hecUrl": at + "/canary-hec-path", "hecToken": "canary-hec-token"}
	once := []string{"Idempotency-Key", "one"}
	first := s.call("POST", "/api/integrations/ship", body, once...)
	require.NotEqual(t, 409, first.status, string(first.body))
	require.NotEmpty(t, s.deliveries(""))
	body["hecUrl"] = at + "/canary-other-path"
	require.Equal(t, 409, s.call("POST", "/api/integrations/ship", body, once...).status, "another address is another request")
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		if !e.Type().IsRegular() {
			return nil
		}
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(raw), "canary", path)
		return nil
	}))
}

// TestShip sends an assessment to an index and a collector, as files, as a
// preview and as changes alone.
func TestShip(t *testing.T) {
	t.Parallel()
	index, collector := &siemtest.Bulk{Authorization: "ApiKey canary-search-key"}, &siemtest.Collector{Token: "canary-hec-token"}
	s := embedded(t, small(), onLoopback)
	a := s.assessAll(nil)
	for field, body := range map[string]map[string]any{
		"searchUrl": {"target": "search"}, "hecUrl": {"target": "collector"}, "target": {"target": "pigeon"},
		"searchApiKey": {"target": "search", "searchUrl": "https://search.example"},
		"hecToken":     {"target": "all", "searchUrl": "https://search.example", "searchApiKey": "k", "hecUrl": "https://hec.example"},
		"searchIndex":  {"target": "search", "searchIndex": "UPPER"},
	} {
		got := s.call("POST", "/api/integrations/ship", body)
		require.Equal(t, 422, got.status, "%s: %s", field, got.body)
		require.Contains(t, string(got.body), field)
	}
	s.settings("PUT", map[string]any{"searchUrl": siemtest.Start(t, index), "searchApiKey": "canary-search-key",
		"hecUrl": siemtest.Start(t, collector), "hecToken": "canary-hec-token"})
	ship := func(body map[string]any) (out jobs.ShipResult) {
		t.Helper()
		got := s.call("POST", "/api/integrations/ship", body)
		require.Equal(t, 200, got.status, string(got.body))
		require.NotContains(t, string(got.body), "canary")
		got.into(t, &out)
		return out
	}
	dry := ship(map[string]any{"target": "all", "dryRun": true})
	require.Len(t, dry.Preview.Search, 5)
	require.Len(t, dry.Preview.Collector, 5)
	require.Empty(t, index.Times())

	all := ship(map[string]any{"target": "all", "includeTemplate": true, "assessmentId": a.ID})
	require.Equal(t, dry.Documents, all.Documents)
	require.Equal(t, all.Documents, all.Search.Sent)
	require.Equal(t, all.Documents, all.Collector.Sent)
	require.Len(t, index.Times(), all.Search.Sent)
	require.Len(t, collector.Times(), all.Collector.Sent)
	require.Contains(t, index.Templates(), "edgeposture")
	for _, r := range append(index.Requests(), collector.Requests()...) {
		require.Equal(t, "Edgeposture/test", r.Header.Get("User-Agent"))
	}
	again := ship(map[string]any{"target": "search"})
	require.Equal(t, all.Search.Sent, again.Search.Sent)
	require.Len(t, index.Times(), again.Search.Sent, "the same ids")

	files := ship(map[string]any{"target": "file"})
	require.Len(t, files.Files, 2)
	require.Equal(t, dry.Documents, files.Documents)
	require.Equal(t, dry.Documents, s.deliveries("?target=file")[0].Sent)
	for _, f := range files.Files {
		got := s.call("GET", f.URL, nil)
		require.Equal(t, 200, got.status)
		sum := sha256.Sum256(got.body)
		require.Equal(t, f.SHA256, hex.EncodeToString(sum[:]))
		require.Equal(t, f.Bytes, int64(len(got.body)))
	}
	for _, name := range []string{"x", "..%2f..%2fsettings.json", strings.Repeat("0", 36) + ".documents.ndjson", "%2e%2e"} {
		require.Equal(t, 404, s.call("GET", "/api/integrations/files/"+name, nil).status, name)
	}
	checks := []string{"CFL-DNS-001", "CFL-ZT-007"}
	for _, next := range []struct {
		name    string
		request any
		scores  bool // compare with those of the run before
	}{{"of all again", nil, true}, {"narrowed", map[string]any{"checks": checks}, false},
		{"narrowed again", map[string]any{"checks": checks}, true},
		{"narrowed otherwise", map[string]any{"checks": checks[:1]}, false}, {"of all after narrowed ones", nil, true}} {
		s.assessAll(next.request)
		changes := ship(map[string]any{"target": "search", "onlyChanges": true})
		require.Equal(t, 1, changes.Search.Sent, "%s: nothing changed but the summary", next.name)
		var told jobs.NotifyResult
		s.call("POST", "/api/notify", map[string]any{"dryRun": true, "channels": []string{"webhook"}}).into(t, &told)
		var message struct{ Changes map[string]any }
		require.NoError(t, json.Unmarshal(told.Payloads["webhook"], &message), next.name)
		for _, list := range []string{"new", "regressed", "resolved", "improved", "changed", "unknown", "pathsAppeared", "pathsDisappeared",
			"pathsUnknown"} {
			require.Zero(t, message.Changes[list], "%s: %s", next.name, list)
		}
		require.Equal(t, next.scores, message.Changes["scoreDelta"] != nil, next.name)
	}
	template := s.call("GET", "/api/integrations/template/elastic", nil)
	require.Contains(t, string(template.body), "threat")
	elsewhere := s.call("POST", "/api/integrations/ship", map[string]any{"target": "search", "searchUrl": "https://elsewhere.example"})
	require.Equal(t, 403, elsewhere.status, string(elsewhere.body))
	require.Equal(t, posture.CodeOutboundDenied, problem(t, elsewhere).Code)
}

// TestShipToSecurityHub sends to the account and the region of the settings or the
// request, with the credentials of the server, and says which finding was refused.
func TestShipToSecurityHub(t *testing.T) {
	var mu sync.Mutex
	accounts := map[string]int{}
	at := siemtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Findings []struct{ Id, AwsAccountId string } //nolint:revive // as AWS spells it
		}
		raw, _ := io.ReadAll(r.Body)
		if json.Unmarshal(raw, &in) != nil || !strings.Contains(r.Header.Get("Authorization"), "Credential=AKIATEST/") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		refused, failed := 0, "[]"
		if len(accounts) == 0 {
			refused, failed = 1, fmt.Sprintf(`[{"Id":%q,"ErrorCode":"InvalidInput","ErrorMessage":"canary-of-the-receiver"}]`, in.Findings[0].Id)
		}
		for _, f := range in.Findings {
			accounts[f.AwsAccountId]++
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"FailedCount":%d,"SuccessCount":%d,"FailedFindings":%s}`, refused, len(in.Findings)-refused, failed)
	}))
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "canary-aws-secret",
		"AWS_ENDPOINT_URL_SECURITYHUB": at, "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"} {
		t.Setenv(name, value)
	}
	s := embedded(t, small(), onLoopback)
	s.assessAll(nil)
	ship := func(body map[string]any) (out jobs.ShipResult) {
		t.Helper()
		body["target"] = "securityhub"
		got := s.call("POST", "/api/integrations/ship", body)
		require.Equal(t, 200, got.status, string(got.body))
		require.NotContains(t, string(got.body), "canary")
		got.into(t, &out)
		return out
	}
	for field, body := range map[string]map[string]any{"awsAccountId": {}, "awsRegion": {"awsAccountId": "210987654321"}} {
		body["target"] = "securityhub"
		got := s.call("POST", "/api/integrations/ship", body)
		require.Equal(t, 422, got.status)
		require.Contains(t, string(got.body), field)
	}
	require.Equal(t, 422, s.call("PUT", "/api/settings", map[string]any{"awsAccountId": "1234"}).status)
	s.settings("PUT", map[string]any{"awsAccountId": "123456789012", "awsRegion": "us-east-1"})
	dry := ship(map[string]any{"dryRun": true})
	require.Len(t, dry.Preview.SecurityHub, 5)
	require.Empty(t, accounts)
	partly := ship(map[string]any{})
	require.Equal(t, dry.Documents, partly.Documents)
	require.Equal(t, dry.Documents-1, partly.SecurityHub.Sent)
	require.Equal(t, 1, partly.SecurityHub.Failed)
	require.Equal(t, []string{"AWS Security Hub refused the finding (InvalidInput)."}, partly.SecurityHub.Errors)
	d := s.deliveries("?target=securityhub")[0]
	require.Equal(t, at, d.Destination)
	require.Equal(t, 1, d.Failed)
	all := ship(map[string]any{"awsAccountId": "210987654321", "awsRegion": "eu-west-1"})
	require.Equal(t, dry.Documents, all.SecurityHub.Sent)
	require.Equal(t, map[string]int{"123456789012": dry.Documents, "210987654321": dry.Documents}, accounts)
	s.assessAll(nil)
	require.Zero(t, ship(map[string]any{"onlyChanges": true}).Documents, "nothing has changed")
}

// TestReceiverThatIsDown fails a delivery, shows it in the ledger, and replays it
// when the receiver works again: what it had is not sent twice.
func TestReceiverThatIsDown(t *testing.T) {
	t.Parallel()
	down := true
	index := &siemtest.Bulk{}
	indexes := map[string]int{} // how often something was to go there
	index.Reply = func(c siemtest.Call) siemtest.Reply {
		for _, item := range c.Items {
			indexes[item.Index]++
		}
		if !down {
			return siemtest.Reply{}
		}
		return siemtest.Reply{Item: func(i int, _ siemtest.Item) *siemtest.Fault {
			if i%2 == 0 {
				return &siemtest.Fault{Status: 429, Type: "es_rejected_execution_exception", Reason: "canary-of-the-receiver"}
			}
			return nil
		}}
	}
	s := embedded(t, small(), onLoopback, "SERVICE_SEARCH_URL="+siemtest.Start(t, index), "SERVICE_SEARCH_APIKEY=canary-search-key")
	s.assessAll(nil)
	got := s.call("POST", "/api/integrations/ship", map[string]any{"target": "all", "searchIndex": "team-red", "hecUrl": "http://127.0.0.1:1",
		"hecToken": "canary-hec-token"}, "Prefer", "wait=300")
	require.Equal(t, 502, got.status, string(got.body))
	require.Equal(t, posture.CodeDelivery, problem(t, got).Code)
	require.NotContains(t, string(got.body), "canary")
	failed := s.deliveries("?state=failed&target=search")
	require.Len(t, failed, 1)
	d := failed[0]
	require.Positive(t, d.Sent)
	require.Less(t, d.Sent, d.Documents)
	require.NotEmpty(t, d.Reason)
	require.Len(t, index.Times(), d.Sent)
	require.Equal(t, 502, s.call("POST", "/api/deliveries/"+d.ID+"/replay", nil, "Prefer", "wait=300").status, "it is still down")
	down = false
	replay := s.call("POST", "/api/deliveries/"+d.ID+"/replay", nil, "Prefer", "wait=300")
	require.Equal(t, 200, replay.status, string(replay.body))
	require.Equal(t, []string{"team-red"}, slices.Sorted(maps.Keys(indexes)), "what is replayed goes where it was to go")
	counts := index.Times()
	require.Len(t, counts, d.Documents)
	for id, n := range counts {
		require.Equal(t, 1, n, id)
	}
	require.Equal(t, posture.DeliveryDelivered, s.deliveries("?target=search")[0].State)
	require.Equal(t, 409, s.call("POST", "/api/deliveries/"+d.ID+"/replay", nil).status)
	down = true
	s.assessAll(nil)
	got = s.call("POST", "/api/integrations/ship", map[string]any{"target": "search", "onlyChanges": true}, "Prefer", "wait=300")
	require.Equal(t, 502, got.status, string(got.body))
	down = false
	few := s.deliveries("?state=failed&target=search")[0]
	replay = s.call("POST", "/api/deliveries/"+few.ID+"/replay", nil, "Prefer", "wait=300")
	require.Equal(t, 200, replay.status, string(replay.body))
	require.Len(t, index.Times(), d.Documents+few.Documents, "only changes")
	require.Equal(t, few.Documents, s.deliveries("?target=search")[0].Documents)
	require.Equal(t, 404, s.call("GET", "/api/deliveries/01a1fe8f-3b4e-7922-9dea-000000000000", nil).status)
}

// TestWhatFollowsARun ships and notifies after each run of an account, without
// being asked again.
func TestWhatFollowsARun(t *testing.T) {
	t.Parallel()
	index, hook := &siemtest.Bulk{}, &inbox{}
	s := embedded(t, small(), onLoopback, "SERVICE_SEARCH_URL="+siemtest.Start(t, index), "SERVICE_SEARCH_APIKEY=canary-search-key",
		"SERVICE_WEBHOOK_URL="+siemtest.Start(t, hook), "SERVICE_WEBHOOK_SECRET=canary-topsecret-0001")
	patched := s.call("PATCH", "/api/accounts/default",
		map[string]any{"afterRun": map[string]any{"ship": "search", "notify": []string{"webhook"}, "when": "changed"}})
	require.Equal(t, 200, patched.status, string(patched.body))
	a := s.assessAll(nil)
	eventually(t, 30*time.Second, "both deliveries end", func() bool {
		n := 0
		for _, d := range s.deliveries("?assessmentId=" + a.ID) {
			if d.State == posture.DeliveryDelivered {
				n++
			}
		}
		return n == 2
	})
	require.NotEmpty(t, index.Times())
	require.Equal(t, 1, hook.count())
	b := s.assessAll(nil)
	eventually(t, 30*time.Second, "the second shipment ends", func() bool {
		all := s.deliveries("?assessmentId=" + b.ID)
		return len(all) == 1 && all[0].State == posture.DeliveryDelivered
	})
	eventually(t, 30*time.Second, "the second notification is skipped", func() bool {
		var list struct{ Items []posture.Job }
		s.get("/api/jobs?kind=notify&state=succeeded", &list)
		return len(list.Items) == 2 && strings.Contains(string(list.Items[0].Result), "nothing-changed")
	})
	require.Equal(t, 1, hook.count())
	require.Equal(t, 422, s.call("PATCH", "/api/accounts/default", map[string]any{"afterRun": map[string]any{"ship": "pigeon"}}).status)
	require.Equal(t, 200, s.call("PATCH", "/api/accounts/default", map[string]any{"afterRun": map[string]any{}}).status)
}

// TestARunWithoutResultsIsTold: nobody takes silence for a clean account. A run that failed is told of, and one that can no
// longer judge anything, whatever the threshold; both once.
func TestARunWithoutResultsIsTold(t *testing.T) {
	t.Parallel()
	hook := &inbox{}
	s := embedded(t, cleanAccount(), onLoopback, "SERVICE_WEBHOOK_URL="+siemtest.Start(t, hook),
		"SERVICE_WEBHOOK_SECRET=canary-topsecret-0001", "SERVICE_PUBLIC_URL=https://posture.example")
	change := func(body map[string]any) {
		got := s.call("PATCH", "/api/accounts/default", body)
		require.Equal(t, 200, got.status, string(got.body))
	}
	change(map[string]any{"afterRun": map[string]any{"notify": []string{"webhook"}, "when": "worse", "threshold": "critical"}})
	ended := 0
	quiet := func(reason string) {
		t.Helper()
		ended++
		var list struct{ Items []posture.Job }
		eventually(t, 30*time.Second, "the notification ends", func() bool {
			s.get("/api/jobs?kind=notify", &list)
			return len(list.Items) == ended && list.Items[0].State.Terminal()
		})
		if reason != "" {
			require.Contains(t, string(list.Items[0].Result), reason)
		}
	}
	told := func(event string) (doc map[string]any) {
		t.Helper()
		quiet("")
		last := hook.count() - 1
		require.Equal(t, event, hook.headers[last].Get("X-Service-Event"))
		require.NoError(t, json.Unmarshal(hook.bodies[last], &doc))
		require.Equal(t, event, doc["event"])
		return doc
	}
	fail := func() {
		t.Helper()
		require.Equal(t, 422, s.call("POST", "/api/assess", map[string]any{"zones": []string{"nowhere.example"}}).status)
	}
	fail()
	first := told(notify.FailureEvent)
	require.Nil(t, first["last"])
	require.Contains(t, first["error"].(map[string]any)["detail"], "nowhere.example")
	fail()
	quiet("nothing-changed")
	a := s.assessAll(nil)
	quiet("below-threshold")
	hook.answer(400)
	fail()
	again := told(notify.FailureEvent)
	require.Equal(t, a.ID, again["last"].(map[string]any)["assessmentId"])
	require.Equal(t, "https://posture.example/a/"+s.account("default").ID, again["link"])
	hook.answer(200)
	require.Equal(t, 200, s.call("POST", "/api/deliveries/"+s.deliveries("?state=failed")[0].ID+"/replay", nil).status)
	require.Equal(t, again, told(notify.FailureEvent))
	change(map[string]any{"token": "a-token-that-was-revoked-a-minute-ago-00", "verify": false})
	s.assessAll(nil)
	require.Less(t, told(notify.Event)["coverage"].(map[string]any)["percent"], 1.0)
	s.assessAll(nil)
	quiet("below-threshold")
}

// TestDeliveryByAnotherProcess saves settings through the API; a worker that
// shares the data directory sends with them, and the API serves its file.
func TestDeliveryByAnotherProcess(t *testing.T) {
	t.Parallel()
	index := &siemtest.Bulk{Authorization: "ApiKey canary-search-key"}
	cloud, url := simulate(t, small())
	environ := append(shared(t, cloud, url, redistest.Start(t)), "DATA_DIR="+t.TempDir(), onLoopback)
	api, worker := spawn(t, "serve", environ...), spawn(t, "worker", environ...)
	s := &system{t: t, cloud: cloud, url: api.says(t, "listening on ")}
	worker.says(t, "worker ready")
	s.settings("PUT", map[string]any{"searchUrl": siemtest.Start(t, index), "searchApiKey": "canary-search-key"})
	s.assessAll(nil)
	got := s.call("POST", "/api/integrations/ship", map[string]any{"target": "search"})
	require.Equal(t, 200, got.status, string(got.body))
	require.NotEmpty(t, index.Times())
	var out jobs.ShipResult
	s.call("POST", "/api/integrations/ship", map[string]any{"target": "file"}).into(t, &out)
	require.Len(t, out.Files, 2)
	require.Equal(t, 200, s.call("GET", out.Files[0].URL, nil).status)
	require.NotContains(t, api.String()+worker.String(), "canary")
}
