package cloudflare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open lets every request through.
type open struct{}

func (open) Enter(context.Context) (func(Answer), error) { return func(Answer) {}, nil }

// gated is a gate that does as it is told.
type gated func(ctx context.Context) (func(Answer), error)

func (s gated) Enter(ctx context.Context) (func(Answer), error) { return s(ctx) }

func start(t *testing.T, o simcloud.Options) (*simcloud.Cloud, *Client, string) {
	t.Helper()
	o.Limit.Disabled = true
	o.Now = func() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }
	cloud := simcloud.New(o)
	server, err := cloud.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	pool := NewPool()
	t.Cleanup(pool.CloseIdleConnections)
	client, err := New(Options{BaseURL: server.URL, Token: secret.New(cloud.Tokens()[0].Secret), Gate: open{}, Transport: pool,
		Timeout: 2 * time.Second, Now: o.Now, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	require.NoError(t, err)
	return cloud, client, cloud.Accounts()[0]
}

// readAll reads every source in dependency order, one after the other.
func readAll(t *testing.T, c *Client, account string) map[string]snapshot.Section {
	t.Helper()
	got := map[string]snapshot.Section{}
	known := snapshot.NewKnown(func(source, scope string) (snapshot.Section, bool) { s, ok := got[source+"|"+scope]; return s, ok })
	read := func(s snapshot.Source, target snapshot.SourceScope) {
		sec, err := c.Read(t.Context(), s, target, known, nil)
		require.NoError(t, err)
		got[s.Name+"|"+sec.Scope] = sec
	}
	var zones []snapshot.Zone
	var perZone []snapshot.Source
	for _, level := range []snapshot.Level{snapshot.LevelUser, snapshot.LevelAccount, snapshot.LevelItem, snapshot.LevelZone} {
		for _, s := range snapshot.Sources() {
			if s.Level() != level {
				continue
			}
			switch level {
			case snapshot.LevelZone:
				for _, z := range zones {
					read(s, snapshot.SourceScope{AccountID: account, Zone: z})
				}
			case snapshot.LevelItem:
				if snapshot.InZone(s.Name) {
					perZone = append(perZone, s)
					continue
				}
				for _, id := range s.Items(known, account) {
					read(s, snapshot.SourceScope{AccountID: account, Item: id})
				}
			default:
				read(s, snapshot.SourceScope{AccountID: account})
			}
		}
		zones, _ = snapshot.Cached(known, snapshot.ZoneList, account)
	}
	for _, s := range perZone {
		for _, z := range zones {
			for _, id := range s.Items(known, z.ID) {
				read(s, snapshot.SourceScope{AccountID: account, Zone: z, Item: id})
			}
		}
	}
	return got
}

func TestEverySourceReadsAndLeaksNothing(t *testing.T) {
	// Zones in which everything is planted use every product; the two plants need what others of the account may turn off.
	spec := simcloud.AccountSpec{Zones: 24, RecordsPerZone: 40, Plant: 1,
		Plants: []simcloud.PlantRule{{CheckID: "CFL-DLP-002"}, {CheckID: "CFL-GW-013"}}}
	_, client, account := start(t, simcloud.Options{Seed: 3, Accounts: []simcloud.AccountSpec{spec}})
	got := readAll(t, client, account)
	ok := readOK(got)
	var all strings.Builder
	for _, sec := range got {
		require.NotEqual(t, snapshot.Denied, sec.Status, sec)
		require.NotEqual(t, snapshot.Failed, sec.Status, sec)
		all.Write(sec.Value)
		all.WriteString(sec.Reason)
	}
	var never []string
	for _, s := range snapshot.Sources() {
		if !ok[s.Name] && !strings.Contains(s.Name, "/ruleset/") && !slices.Contains([]string{"account/token_verify", "account/token_self",
			"account/list_items"}, s.Name) {
			never = append(never, s.Name)
		}
	}
	require.Empty(t, never, "sources that were never read")
	for _, canary := range simcloud.Canaries() {
		require.NotContains(t, all.String(), canary)
	}
}

func readOK(got map[string]snapshot.Section) map[string]bool {
	ok := map[string]bool{}
	for _, sec := range got {
		ok[sec.Source] = ok[sec.Source] || sec.Status == snapshot.OK
	}
	return ok
}

func TestPagesAreReadToTheEnd(t *testing.T) {
	for _, zones := range []int{0, 1, 50, 51, 120} {
		t.Run(fmt.Sprint(zones), func(t *testing.T) {
			n := zones
			if n == 0 {
				n = -1
			}
			_, client, account := start(t, simcloud.Options{Seed: 3, Accounts: []simcloud.AccountSpec{{Zones: n, RecordsPerZone: 3, Members: 51,
				Lists: 1, ListItems: 1200}}})
			known := snapshot.NewKnown(func(string, string) (snapshot.Section, bool) { return snapshot.Section{}, false })
			sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.ZoneList), snapshot.SourceScope{AccountID: account}, known, nil)
			require.NoError(t, err)
			require.Equal(t, snapshot.OK, sec.Status, sec.Reason)
			var list []snapshot.Zone
			require.NoError(t, json.Unmarshal(sec.Value, &list))
			require.Len(t, list, zones)
			require.True(t, slices.IsSortedFunc(list, func(a, b snapshot.Zone) int { return strings.Compare(a.ID, b.ID) }))
		})
	}
}

func TestSweepDeniedNamesThePermission(t *testing.T) {
	_, all, first := start(t, simcloud.Demo())
	ok := readOK(readAll(t, all, first))
	sources := map[string][]snapshot.Source{}
	for _, s := range snapshot.Sources() {
		if !strings.HasPrefix(s.Permission, "a valid") {
			sources[s.Permission] = append(sources[s.Permission], s)
		}
	}
	for i, permission := range slices.Sorted(maps.Keys(sources)) {
		if testing.Short() && i%5 > 0 {
			continue
		}
		needing := sources[permission]
		t.Run(permission, func(t *testing.T) {
			cloud, client, account := start(t, simcloud.Demo())
			cloud.Deny(permission)
			denied := map[string]int{}
			for _, sec := range readAll(t, client, account) {
				if !slices.ContainsFunc(needing, func(s snapshot.Source) bool { return s.Name == sec.Source }) {
					continue
				}
				require.NotEqual(t, snapshot.OK, sec.Status, "%s: read without the permission", sec.Source)
				require.Empty(t, sec.Value)
				if sec.Status == snapshot.Denied {
					denied[sec.Source]++
					require.Equal(t, permission, sec.Permission)
				}
			}
			for _, s := range needing {
				// Without the list of zones no zone is asked for anything.
				blind := s.Level() == snapshot.LevelZone && permission == snapshot.SourceOf(snapshot.ZoneList).Permission
				if s.Parent == "" && ok[s.Name] && !blind {
					require.NotZero(t, denied[s.Name], "%s: nothing was denied", s.Name)
				}
			}
		})
	}
}

func TestAccountTokensUseTheirOwnEndpoints(t *testing.T) {
	o := simcloud.Demo()
	o.Tokens = []simcloud.Token{{Secret: "account-owned-token", Kind: simcloud.AccountToken}}
	_, client, account := start(t, o)
	got := readAll(t, client, account)
	require.Equal(t, snapshot.Denied, got["user/token_verify|user"].Status)
	require.Equal(t, snapshot.OK, got["account/list|"+account].Status, "the account is read where no list is")
	rules := 0
	for key, sec := range got {
		if strings.HasPrefix(key, "zone/page_rules|") {
			rules++
			require.Equal(t, snapshot.NeedsUserToken, sec.Status)
			require.Contains(t, sec.Reason, "register a user token")
		}
	}
	require.NotZero(t, rules)
	require.Equal(t, snapshot.OK, got["account/token_verify|"+account].Status)
	require.Equal(t, snapshot.OK, got["account/token_self|"+account].Status)
}

func TestFaultsArePassed(t *testing.T) {
	cloud, client, account := start(t, simcloud.Options{Seed: 5, Accounts: []simcloud.AccountSpec{{Zones: 4, RecordsPerZone: 10}}})
	want := readAll(t, client, account)
	cloud.SetFaults(simcloud.Faults{Seed: 9, Rate429: 0.1, Rate500: 0.1, Rate502: 0.05, RateTruncate: 0.05, RateReset: 0.05,
		RetryAfter: time.Second})
	got := readAll(t, client, account)
	require.Len(t, got, len(want))
	for k, w := range want {
		require.Equal(t, w, got[k], "the faults changed %s", k)
	}
	require.Greater(t, cloud.Requests().RateLimited, 3, "no fault was injected")
}

func TestOutageIsFailedNotDenied(t *testing.T) {
	cloud, client, account := start(t, simcloud.Options{Accounts: []simcloud.AccountSpec{{Zones: 1}}})
	cloud.Outage(true)
	known := snapshot.NewKnown(func(string, string) (snapshot.Section, bool) { return snapshot.Section{}, false })
	sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.ZoneList), snapshot.SourceScope{AccountID: account}, known, nil)
	require.NoError(t, err)
	require.Equal(t, snapshot.Failed, sec.Status)
	require.Contains(t, sec.Reason, "5 tries")
}

func TestBulkSettingsFallBack(t *testing.T) {
	_, client, account := start(t, simcloud.Options{NoBulkSettings: true, Accounts: []simcloud.AccountSpec{{Zones: 1}}})
	got := readAll(t, client, account)
	for k, sec := range got {
		if strings.HasPrefix(k, "zone/settings|") {
			require.Equal(t, snapshot.OK, sec.Status, sec.Reason)
			var s snapshot.Settings
			require.NoError(t, json.Unmarshal(sec.Value, &s))
			v, ok := s.Text("ssl")
			require.True(t, ok)
			require.NotEmpty(t, v)
		}
	}
}

// TestTooManyRequestsIsWaitedOutAtTheGate: the answer is told to the gate, which holds
// the next try back for as long as it says, and ends it with the job.
func TestTooManyRequestsIsWaitedOutAtTheGate(t *testing.T) {
	cloud, _, account := start(t, simcloud.Options{Accounts: []simcloud.AccountSpec{{Zones: 1}}, Faults: simcloud.Faults{Rate429: 1,
		RetryAfter: 299 * time.Second}})
	ctx, cancel := context.WithCancel(t.Context())
	var told time.Duration
	gate := gated(func(ctx context.Context) (func(Answer), error) {
		return func(a Answer) { told = a.RetryAfter; cancel() }, ctx.Err()
	})
	client, err := New(Options{BaseURL: "http://sim.test" + simcloud.BasePath, Token: secret.New(cloud.Tokens()[0].Secret), Gate: gate,
		Transport: handler{cloud}})
	require.NoError(t, err)
	_, err = client.Read(ctx, snapshot.SourceOf(snapshot.ZoneList), snapshot.SourceScope{AccountID: account}, snapshot.NewKnown(nil), nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 299*time.Second, told)
}

// handler carries requests without a network.
type handler struct{ http.Handler }

func (h handler) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// TestTheGateIsNotTheProvider: what the gate says ends every call as it is, is tried
// no second time and is no section.
// TestAnAddressThatIsAlwaysLimited: one that answers 429 to everything does not hold its run for ever.
func TestAnAddressThatIsAlwaysLimited(t *testing.T) {
	for after, most := range map[string]int{"0": mostLimited, "1200": 4, "3600": 2} {
		asked := 0
		client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		_, _, err := client.Get(t.Context(), "/zones", nil)
		require.Error(t, Unanswered(err))
		require.Equal(t, snapshot.Failed, classify(err).status)
		require.Equal(t, most, asked, "an hour is waited for at most")
	}
}

func TestTheGateIsNotTheProvider(t *testing.T) {
	cloud, _, account := start(t, simcloud.Options{Accounts: []simcloud.AccountSpec{{Zones: 1}}})
	away, asked := errors.New("the queue is away"), 0
	gate := gated(func(context.Context) (func(Answer), error) { asked++; return nil, away })
	client, err := New(Options{BaseURL: "http://sim.test" + simcloud.BasePath, Token: secret.New(cloud.Tokens()[0].Secret), Gate: gate,
		Transport: handler{cloud}})
	require.NoError(t, err)
	zone := snapshot.Zone{ID: cloud.ZoneIDs(account)[0], Plan: "enterprise"}
	known := snapshot.NewKnown(func(string, string) (snapshot.Section, bool) { return snapshot.Section{}, false })
	calls := map[string]func() error{
		"accounts": func() error { _, err := client.Accounts(t.Context(), ""); return err },
		"live":     func() error { _, err := client.Live(t.Context(), "/zones", nil); return err },
	}
	for _, s := range []snapshot.Source{snapshot.SourceOf(snapshot.ZoneList), snapshot.SourceOf(snapshot.ZoneSettings),
		snapshot.SourceOf(snapshot.ZoneDNSRecords)} {
		calls[s.Name] = func() error {
			_, err := client.Read(t.Context(), s, snapshot.SourceScope{AccountID: account, Zone: zone}, known, nil)
			return err
		}
	}
	for name, call := range calls {
		asked = 0
		err := call()
		var closed *GateError
		require.ErrorAs(t, err, &closed, name)
		require.ErrorIs(t, err, away, name)
		require.Equal(t, 1, asked, name)
	}
	require.Zero(t, cloud.Requests().Total)
}

// TestWhatMayPass tells failures that may pass from mistakes and from answers.
func TestWhatMayPass(t *testing.T) {
	cloud, client, account := start(t, simcloud.Options{Accounts: []simcloud.AccountSpec{{Zones: 1}}})
	read := func(f simcloud.Faults) snapshot.Section {
		cloud.SetFaults(f)
		sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.ZoneList), snapshot.SourceScope{AccountID: account},
			snapshot.NewKnown(nil), nil)
		require.NoError(t, err)
		return sec
	}
	for _, f := range []simcloud.Faults{{Rate500: 1}, {RateReset: 1}, {RateTruncate: 1}} {
		sec := read(f)
		require.Equal(t, snapshot.Failed, sec.Status)
		require.Error(t, sec.Unanswered)
		require.False(t, Misconfigured(sec.Unanswered))
	}
	require.NoError(t, read(simcloud.Faults{}).Unanswered)
	cloud.Deny(snapshot.SourceOf(snapshot.ZoneList).Permission)
	require.NoError(t, read(simcloud.Faults{}).Unanswered)
	nobody, err := New(Options{BaseURL: "http://127.0.0.1:1", Token: secret.New("token"), Gate: open{}, Tries: 1})
	require.NoError(t, err)
	sec, err := nobody.Read(t.Context(), snapshot.SourceOf(snapshot.ZoneList), snapshot.SourceScope{AccountID: account},
		snapshot.NewKnown(nil), nil)
	require.NoError(t, err)
	require.True(t, Misconfigured(sec.Unanswered), sec.Reason)
}

func TestTokenGoesToNoOtherHost(t *testing.T) {
	rt := newTransport("api.example.test", Options{Gate: open{}})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://evil.example.test/x", nil)
	require.NoError(t, err)
	_, err = rt.RoundTrip(req)
	require.ErrorContains(t, err, "refused to send the token")
}

func TestClassify(t *testing.T) {
	for _, tc := range []struct {
		status, code int
		want         snapshot.Status
		path, words  string
	}{
		{status: 401, code: 1000, want: snapshot.Denied}, {status: 403, code: 10000, want: snapshot.Denied},
		{status: 403, code: 9109, want: snapshot.Denied}, {status: 400, code: 6003, want: snapshot.Denied}, {status: 403, want: snapshot.Denied},
		{status: 404, want: snapshot.Denied}, {status: 404, code: 10003, want: snapshot.Absent}, {status: 404, code: 9999, want: snapshot.Absent},
		{status: 404, code: 7003, want: snapshot.Failed}, {status: 400, code: 1001, want: snapshot.Failed}, {status: 413, want: snapshot.Failed},
		{status: 403, code: 1002, want: snapshot.Denied}, {status: 403, code: 1002, words: "The zone is not entitled",
			want: snapshot.NotEntitled},
		{status: 403, code: 7403, path: "/accounts/a/d1/database", want: snapshot.Denied}, {status: 403, code: 31337, want: snapshot.Denied},
		{status: 403, code: 10010, path: "/zones/z/firewall/access_rules/rules", want: snapshot.NotEntitled},
		{status: 403, code: 10042, path: "/accounts/a/r2/buckets", want: snapshot.NotEntitled},
		{status: 403, code: 9999, path: "/accounts/a/access/apps", want: snapshot.NotEntitled},
		{status: 404, code: 10001, path: "/zones/z/firewall/access_rules/rules/r", want: snapshot.Absent},
		{status: 404, code: 10001, path: "/zones/z/dns_records/r", want: snapshot.Denied},
		{status: 404, code: 10000, path: "/accounts/a/registrar/registrations/x", want: snapshot.Absent},
		{status: 400, code: 1011, path: "/zones/z/pagerules", want: snapshot.NeedsUserToken},
		{status: 400, code: 1001, path: "/accounts", words: "List accounts endpoint does not support account owned tokens.",
			want: snapshot.NeedsUserToken}, {status: 410, want: snapshot.Failed},
	} {
		require.Equal(t, tc.want, classify(&APIError{Status: tc.status, Code: tc.code, Path: tc.path, Message: tc.words}).status, "%+v", tc)
	}
	for e, whole := range map[APIError]bool{
		{Status: 401, Code: 1000, Message: "Invalid API Token"}:                         true,
		{Status: 403, Code: 9109, Message: "Invalid access token"}:                      true,
		{Status: 403, Code: 9109, Message: "Unauthorized to access requested resource"}: false,
		{Status: 404, Code: 1000, Message: "not found"}:                                 false,
		{Status: 403, Code: 10000, Message: "Authentication error"}:                     false,
	} {
		require.Equal(t, whole, classify(&e).badToken, "%+v", e)
	}
	for _, r := range refusals() {
		require.NotEmpty(t, r.source, "a row without a source: %+v", r)
	}
}

func TestRatelimitHeaders(t *testing.T) {
	for _, tc := range []struct {
		h         string
		remaining int
		reset     time.Duration
		ok        bool
	}{
		{`"default";r=50;t=30`, 50, 30 * time.Second, true},
		{`"default"; r=0; t=299, "burst";r=9;t=1`, 0, 299 * time.Second, true},
		{`"default";r=0;t=1000000000`, 0, time.Hour, true},
		{`"default";r=-1;t=30`, -1, 30 * time.Second, false},
		{`"default";t=30`, -1, 30 * time.Second, false},
		{``, -1, 0, false}, {`;;;`, -1, 0, false},
	} {
		r, s, ok := ParseRatelimit(tc.h)
		require.Equal(t, tc.ok, ok, tc.h)
		require.Equal(t, tc.remaining, r, tc.h)
		require.Equal(t, tc.reset, s, tc.h)
	}
	date := "Wed, 21 Oct 2026 07:28:00 GMT"
	for h, want := range map[string]time.Duration{
		"1": time.Second, "60": time.Minute, "299": 299 * time.Second, "0": time.Second, "": 300 * time.Second, "soon": 300 * time.Second,
		"-5": 300 * time.Second, "99999999": time.Hour, "Wed, 21 Oct 2026 07:29:00 GMT": time.Minute,
	} {
		require.Equal(t, want, ParseRetryAfter(h, date), h)
	}
}

func FuzzHeaders(f *testing.F) {
	f.Add(`"default";r=50;t=30`, "60")
	f.Add("\x00", "Wed, 21 Oct 2026 07:28:00 GMT")
	f.Fuzz(func(t *testing.T, limit, after string) {
		defer fuzztest.Bound(t)()
		r, s, ok := ParseRatelimit(limit)
		if ok && (r < 0 || s <= 0) {
			t.Fatal("a reading that makes no sense")
		}
		if d := ParseRetryAfter(after, limit); d <= 0 || d > time.Hour {
			t.Fatalf("a wait of %s", d)
		}
	})
}

// FuzzSources feeds every decoder the same foreign bytes: it may refuse them,
// and what it takes it must take again.
func FuzzSources(f *testing.F) {
	for _, s := range snapshot.Sources() {
		f.Add([]byte(s.Example))
	}
	f.Add([]byte(`[{"id":1}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		defer fuzztest.Bound(t)()
		for _, s := range snapshot.Sources() {
			got, err := s.Decode(raw)
			if err == nil && !json.Valid(got) {
				t.Fatalf("%s stores what is not JSON", s.Name)
			}
		}
	})
}
