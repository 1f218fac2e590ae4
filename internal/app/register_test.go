package app_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// manyTokens serves two accounts and tokens of several kinds.
func manyTokens(t *testing.T) (*system, []string) {
	t.Helper()
	o := small()
	o.Limit.Disabled = true
	o.Accounts = []simcloud.AccountSpec{{ID: "aaaa0000000000000000000000000001", Zones: 3, RecordsPerZone: 2, Clean: true},
		{ID: "bbbb0000000000000000000000000002", Zones: 1, RecordsPerZone: 2, Clean: true}}
	soon := time.Now().Add(10*24*time.Hour + time.Hour)
	a, b := []string{o.Accounts[0].ID}, []string{o.Accounts[1].ID}
	o.Tokens = []simcloud.Token{
		{Secret: "token-one-of-the-first-account", Accounts: a}, {Secret: "token-two-of-the-first-account", Accounts: a, ExpiresOn: &soon},
		{Secret: "token-of-the-second-account-00", Accounts: b}, {Secret: "token-of-both-accounts-0000000"},
		{Secret: "token-that-is-disabled-0000000", Accounts: a, Status: "disabled"}, {Secret: "token-the-account-owns-0000000",
			Kind: simcloud.AccountToken, Accounts: a},
	}
	return embedded(t, o), []string{a[0], b[0]}
}

func (s *system) account(ref string) (info httpapi.AccountInfo) {
	s.t.Helper()
	s.get("/api/accounts/"+ref, &info)
	return info
}

// TestAccountsAreRegistered creates, reads, changes and deletes accounts.
func TestAccountsAreRegistered(t *testing.T) {
	t.Parallel()
	s, ids := manyTokens(t)
	got := s.call("POST", "/api/accounts", map[string]any{"name": "second", "token": "token-of-the-second-account-00", "zones": []string{"*"},
		"policy": map[string]any{"tokenFailDays": 7}, "afterRun": map[string]any{"ship": "file"}})
	require.Equal(t, 201, got.status, string(got.body))
	require.NotContains(t, string(got.body), "token-of-the-second")
	var made httpapi.AccountInfo
	got.into(t, &made)
	require.Equal(t, "/api/accounts/"+made.ID, got.header.Get("Location"))
	require.Equal(t, ids[1], made.ProviderID)
	require.False(t, made.Default)
	require.Equal(t, []string{"tokenFailDays"}, made.Changed)
	require.Equal(t, "file", made.AfterRun.Ship)
	require.Nil(t, made.TokenInfo, "nothing is known before a run")
	require.Equal(t, made, s.account("second"))
	for body, want := range map[string]struct {
		status int
		says   string
	}{
		`{"name":"second","token":"token-of-the-second-account-00"}`:                         {409, "choose another name"},
		`{"name":"x","token":"never-given-out-by-anybody-000"}`:                              {422, "refuses the token"},
		`{"name":"x","token":"token-that-is-disabled-0000000"}`:                              {422, "disabled"},
		`{"name":"x","token":"token-of-both-accounts-0000000"}`:                              {422, "accountId"},
		`{"name":"x","token":"token-of-the-second-account-00","accountId":"` + ids[0] + `"}`: {422, "does not see"},
		`{"name":"x"}`:            {422, "token"},
		`{"name":"x","token":""}`: {422, "token"},
		`{"name":"  ","token":"token-of-the-second-account-00"}`:                   {422, "name"},
		`{"name":"a/b","token":"token-of-the-second-account-00"}`:                  {422, "slash"},
		`{"name":"x","token":"token-of-the-second-account-00","zones":["["]}`:      {422, "pattern"},
		`{"name":"x","token":"token-of-the-second-account-00","policy":{"odd":1}}`: {422, "odd"},
		`{"name":"x","token":"token-of-the-second-account-00","odd":1}`:            {422, "odd"},
	} {
		got := s.call("POST", "/api/accounts", body)
		require.Equal(t, want.status, got.status, "%s: %s", body, got.body)
		require.Contains(t, string(got.body), want.says, body)
		require.NotContains(t, string(got.body), "token-of-the", body)
	}
	for _, body := range []map[string]any{
		{"name": "both", "token": "token-of-both-accounts-0000000", "accountId": ids[0]},
		{"name": "unverified", "token": "never-given-out-by-anybody-000", "verify": false},
	} {
		require.Equal(t, 201, s.call("POST", "/api/accounts", body).status, body["name"])
	}
	require.Empty(t, s.account("unverified").ProviderID)
	owned := map[string]any{"name": "owned", "token": "token-the-account-owns-0000000"}
	twice := s.call("POST", "/api/accounts", owned)
	require.Equal(t, 409, twice.status, "the account of both is that of this token")
	require.Contains(t, string(twice.body), `registered as \"both\"`)
	// Nor by the way of an account whose token was not asked about.
	patched := s.call("PATCH", "/api/accounts/unverified", map[string]any{"token": "token-the-account-owns-0000000"})
	require.Equal(t, 409, patched.status, string(patched.body))
	require.Equal(t, 200, s.call("PATCH", "/api/accounts/unverified",
		map[string]any{"token": "token-the-account-owns-0000000", "verify": false}).status)
	run := s.call("POST", "/api/assess", map[string]any{"account": "unverified", "checks": []string{"CFL-TOK-001"}})
	require.Equal(t, 409, run.status, string(run.body))
	require.Contains(t, string(run.body), "registered here already")
	require.Empty(t, s.account("unverified").ProviderID)
	require.Equal(t, 204, s.call("DELETE", "/api/accounts/both", nil).status)
	require.Equal(t, 201, s.call("POST", "/api/accounts", owned).status)
	require.Equal(t, 200, s.call("PATCH", "/api/accounts/second", `{"name":"renamed","default":true}`).status)
	require.True(t, s.account("renamed").Default)
	require.Equal(t, made.ID, s.account("renamed").ID)
	require.Equal(t, 422, s.call("PATCH", "/api/accounts/renamed", `{"default":false}`).status)
	require.Equal(t, 409, s.call("PATCH", "/api/accounts/owned", `{"name":"renamed"}`).status)
	for _, name := range []string{"default", made.ID, "01a226ef-6a3a-77af-9d03-22d4b57bff62", "a\u009bb"} {
		got := s.call("PATCH", "/api/accounts/owned", map[string]any{"name": name})
		require.Contains(t, []int{409, 422}, got.status, "%q would mean another account, or is hidden: %s", name, got.body)
	}
	a := s.assessAll(map[string]any{"checks": []string{"CFL-TOK-001"}})
	require.Equal(t, ids[1], a.Account.ID, "the default account")
	require.Equal(t, 204, s.call("DELETE", "/api/accounts/renamed", nil).status)
	require.Equal(t, 404, s.call("DELETE", "/api/accounts/renamed", nil).status)
	require.Equal(t, 200, s.call("GET", "/api/assessments/"+a.ID, nil).status, "assessments stay")
	require.Equal(t, 404, s.call("POST", "/api/assess", nil).status, "no account is the default")
}

// TestARunStaysInItsAccount: a registration without an account of Cloudflare becomes that of the first run whose token leads to
// it, never of one that another registration has.
func TestARunStaysInItsAccount(t *testing.T) {
	t.Parallel()
	s, ids := manyTokens(t)
	const token = "token-of-both-accounts-0000000"
	require.Equal(t, 201, s.call("POST", "/api/accounts", map[string]any{"name": "taken", "token": token, "accountId": ids[0]}).status)
	require.Equal(t, 201, s.call("POST", "/api/accounts", map[string]any{"name": "open", "token": token, "verify": false}).status)
	run := func(account, id string) answer {
		return s.call("POST", "/api/assess", map[string]any{"account": account, "accountId": id, "checks": []string{"CFL-TOK-001"}}, "Prefer",
			"wait=60")
	}
	require.Equal(t, 200, run("taken", ids[0]).status)
	for id, want := range map[string]struct {
		status int
		says   string
	}{ids[0]: {409, "registered here already"}, strings.Repeat("f", 32): {422, "does not see the account"}} {
		got := run("open", id)
		require.Equal(t, want.status, got.status, string(got.body))
		require.Contains(t, string(got.body), want.says)
		require.Empty(t, s.account("open").ProviderID)
	}
	require.Equal(t, 200, run("open", ids[1]).status)
	require.Equal(t, ids[1], s.account("open").ProviderID)
	got := run("open", ids[0])
	require.Equal(t, 422, got.status, string(got.body))
	var list struct{ Assessments []posture.AssessmentSummary }
	s.get("/api/assessments?account=taken", &list)
	require.Len(t, list.Assessments, 1)
}

// TestAccountOfTheEnvironment is registered once, whatever it is called here by now: of a token that sees several accounts the
// one that is named, else that of the token, and the demo without one.
func TestAccountOfTheEnvironment(t *testing.T) {
	t.Parallel()
	o := small()
	o.Limit.Disabled = true
	o.Accounts = []simcloud.AccountSpec{{ID: "aaaa0000000000000000000000000001", Zones: 1, Clean: true},
		{ID: "bbbb0000000000000000000000000002", Zones: 1, Clean: true}}
	second := o.Accounts[1].ID
	o.Tokens = []simcloud.Token{{Secret: "token-of-both-accounts-0000000"},
		{Secret: "token-of-the-second-account-00", Accounts: []string{second}}}
	cloud, url := simulate(t, o)
	for name, given := range map[string][]string{
		"named":    {"CLOUDFLARE_API_TOKEN=" + o.Tokens[0].Secret, "CLOUDFLARE_ACCOUNT_ID=" + second},
		"by token": {"CLOUDFLARE_API_TOKEN=" + o.Tokens[1].Secret},
		"demo":     {},
	} {
		t.Run(name, func(t *testing.T) {
			environ := append([]string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "SERVICE_DNS_RESOLVER=off"}, given...)
			s := &system{t: t, cloud: cloud}
			closeNow := s.openAt(environ, time.Now)
			if name != "demo" { // which assesses itself
				require.Equal(t, second, s.assessAll(map[string]any{"checks": []string{"CFL-TOK-001"}}).Account.ID)
			}
			was := s.account("default").ProviderID
			require.Equal(t, 200, s.call("PATCH", "/api/accounts/default", `{"name":"shop"}`).status)
			closeNow()
			s.openAt(environ, time.Now)
			shop := s.account("shop")
			require.True(t, shop.Default)
			require.Equal(t, was, shop.ProviderID)
			require.Equal(t, name == "demo", shop.Demo)
			var list struct{ Items []httpapi.AccountInfo }
			s.get("/api/accounts", &list)
			require.Len(t, list.Items, 1, "it is not registered twice")
		})
	}
}

// TestTokenIsRotated replaces the token and sees that only one of the same account
// gets in, and that nothing is told of the new one before it was used.
func TestTokenIsRotated(t *testing.T) {
	t.Parallel()
	s, _ := manyTokens(t)
	a := s.assessAll(map[string]any{"checks": []string{"CFL-TOK-001"}})
	first := s.account("default")
	require.Equal(t, "active", first.TokenInfo.Status)
	require.Empty(t, first.TokenWarning)
	patch := func(body map[string]any) answer { return s.call("PATCH", "/api/accounts/default", body) }
	for token, says := range map[string]string{"token-of-the-second-account-00": "does not see", "never-given-out-by-anybody-000": "refuses",
		"token-that-is-disabled-0000000": "disabled"} {
		got := patch(map[string]any{"token": token, "name": "changed"})
		require.Equal(t, 422, got.status, string(got.body))
		require.Contains(t, string(got.body), says)
	}
	require.Equal(t, first, s.account("default"), "a refused token changes nothing")
	s.cloud.Outage(true)
	got := patch(map[string]any{"token": "token-two-of-the-first-account"})
	require.Equal(t, 502, got.status, string(got.body))
	s.cloud.Outage(false)
	require.Equal(t, 200, patch(map[string]any{"token": "token-two-of-the-first-account"}).status)
	rotated := s.account("default")
	require.Nil(t, rotated.TokenInfo, "what was learned of the old one says nothing of the new one")
	require.Equal(t, a.Account.ID, rotated.ProviderID)
	s.assessAll(map[string]any{"checks": []string{"CFL-TOK-001"}})
	near := s.account("default")
	require.Equal(t, 10, *near.TokenInfo.DaysLeft)
	require.Contains(t, near.TokenWarning, "10 days")
	require.NotEqual(t, first.TokenInfo.ID, near.TokenInfo.ID)
	// Not verified: the run itself finds that it is of another account, and does
	// not move to that one.
	require.Equal(t, 200, patch(map[string]any{"token": "token-of-the-second-account-00", "verify": false}).status)
	require.Equal(t, a.Account.ID, s.account("default").ProviderID)
}

// TestZonesOfAnAccount applies to runs that name none.
func TestZonesOfAnAccount(t *testing.T) {
	t.Parallel()
	s, _ := manyTokens(t)
	zones := func(body any) (names []string) {
		for _, z := range s.assessAll(body).Zones {
			names = append(names, z.Name)
		}
		slices.Sort(names)
		return names
	}
	only := []string{"CFL-DNS-001"}
	all := zones(map[string]any{"checks": only})
	require.Len(t, all, 3)
	require.Equal(t, 200, s.call("PATCH", "/api/accounts/default", map[string]any{"zones": all[:2], "excludeZones": all[:1]}).status)
	require.Equal(t, all[1:2], zones(map[string]any{"checks": only}))
	require.Equal(t, all[2:], zones(map[string]any{"checks": only, "zones": all[2:]}), "a request that names zones decides")
	require.Equal(t, 200, s.call("PATCH", "/api/accounts/default", `{"zones":[]}`).status)
	require.Equal(t, all[1:], zones(map[string]any{"checks": only}))
}

// TestDemoAccountGivesWay registers an account beside the demo.
func TestDemoAccountGivesWay(t *testing.T) {
	t.Parallel()
	cloud, url := simulate(t, small())
	dir := t.TempDir()
	s := &system{t: t, cloud: cloud}
	s.open([]string{"DATA_DIR=" + dir, "CLOUDFLARE_BASE_URL=" + url, names(t, cloud)})
	require.True(t, s.account("default").Demo)
	got := s.call("PATCH", "/api/accounts/demo", `{"token":"some-token-of-somebody-000000"}`)
	require.Equal(t, 409, got.status)
	require.Contains(t, string(got.body), "simulation")
	require.Equal(t, 409, s.call("DELETE", "/api/accounts/demo", nil).status)
	got = s.call("POST", "/api/accounts", map[string]any{"name": "mine", "token": cloud.Tokens()[0].Secret})
	require.Equal(t, 201, got.status, string(got.body))
	require.Equal(t, "mine", s.account("default").Name, "the first account of one's own is the default")
	require.Equal(t, 204, s.call("DELETE", "/api/accounts/demo", nil).status)
}

// TestDeletedAccountStopsItsJobs cancels what is queued and what runs.
func TestDeletedAccountStopsItsJobs(t *testing.T) {
	t.Parallel()
	s, _ := manyTokens(t)
	s.assessAll(map[string]any{"checks": []string{"CFL-TOK-001"}})
	release := s.cloud.Hold()
	got := s.call("POST", "/api/assess", nil, "Prefer", "respond-async")
	var j posture.Job
	got.into(t, &j)
	require.Equal(t, 204, s.call("DELETE", "/api/accounts/default", nil).status)
	eventually(t, 20*time.Second, "the job is cancelled", func() bool {
		s.get("/api/jobs/"+j.ID, &j)
		return j.State == posture.JobCancelled
	})
	release()
	var list struct{ Items []httpapi.AccountInfo }
	s.get("/api/accounts", &list)
	require.Empty(t, list.Items, "a run that was under way does not bring the account back")
}

// TestProcessesThatStartAtOnce on a database without accounts all register that of the environment, and all come up.
func TestProcessesThatStartAtOnce(t *testing.T) {
	t.Parallel()
	cloud, url := simulate(t, small())
	environ := shared(t, cloud, url, redistest.Start(t))
	start := func(environ []string) error {
		cfg, err := config.Load(environ)
		if err != nil {
			return err
		}
		a, err := app.Open(t.Context(), cfg, app.Role{Worker: true}, app.Options{Version: "test", Now: time.Now, Random: rand.Reader,
			Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		return a.Close(context.WithoutCancel(t.Context()))
	}
	without := slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, "CLOUDFLARE_API_TOKEN=") })
	require.NoError(t, start(without), "the schema is there")
	held, err := connected(t, environ).Begin(t.Context())
	require.NoError(t, err)
	_, err = held.Exec(t.Context(), "LOCK TABLE account IN EXCLUSIVE MODE") // all read that there is none before one writes
	require.NoError(t, err)
	var all errgroup.Group
	for range 4 {
		all.Go(func() error { return start(environ) })
	}
	time.Sleep(time.Second)
	require.NoError(t, held.Commit(t.Context()))
	require.NoError(t, all.Wait())
}
