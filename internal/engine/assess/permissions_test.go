package assess_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// permissions tries those of a token that lacks some, in an account of zones with these plans.
func permissions(t *testing.T, denied []string, plans ...string) (*bench, posture.PermissionReport) {
	t.Helper()
	b := newBench(t, simcloud.Options{Seed: 31, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: len(plans), RecordsPerZone: 3, Plans: plans}},
		Tokens:   []simcloud.Token{{Secret: "token-to-try-0000000000000000000000000", Denied: denied}}}, 100_000)
	got, err := b.runner.Permissions(t.Context(), assess.Run{Token: secret.New("token-to-try-0000000000000000000000000")})
	require.NoError(t, err)
	return b, got
}

func (b *bench) zoneOfPlan(plan string) string {
	b.t.Helper()
	a, err := b.assess(b.cloud.Accounts()[0], b.cloud.Tokens()[0].Secret)
	require.NoError(b.t, err)
	for _, z := range a.Zones {
		if z.Plan == plan {
			return z.Name
		}
	}
	return ""
}

func statusIn(t *testing.T, r posture.PermissionReport, permission string) posture.PermissionStatus {
	t.Helper()
	i := slices.IndexFunc(r.Permissions, func(s posture.PermissionStatus) bool { return s.Permission == permission })
	require.GreaterOrEqual(t, i, 0, permission)
	return r.Permissions[i]
}

// TestPermissions: each permission is proved by one read, and what a missing one hides is named.
func TestPermissions(t *testing.T) {
	t.Parallel()
	b, all := permissions(t, nil, "free", "enterprise", "pro")
	require.Empty(t, all.Missing)
	require.Equal(t, b.cloud.Accounts()[0], all.Account.ID)
	require.NotEmpty(t, all.Account.Name)
	require.Equal(t, cloudflare.TokenForm(cloudflare.Grants(snapshot.Sources()), false, all.Account.ID), all.FullForm)
	require.Equal(t, b.cloud.Requests().Total, all.Requests)
	require.Less(t, all.Requests, 3*len(all.Permissions))
	require.Equal(t, b.clock.Now().UTC(), all.CheckedAt)
	require.True(t, slices.IsSortedFunc(all.Permissions, func(a, b posture.PermissionStatus) int {
		return strings.Compare(a.Permission, b.Permission)
	}))
	tried := 0
	for _, p := range all.Permissions {
		require.NotEmpty(t, p.Group, p.Permission)
		require.NotEqual(t, posture.PermissionMissing, p.Status, p.Permission)
		require.Equal(t, p.Status == posture.PermissionGranted, p.Reason == "", "%s: %s", p.Permission, p.Reason)
		if p.Status == posture.PermissionGranted {
			tried++
		}
	}
	require.Greater(t, tried, len(all.Permissions)/2)
	counted := 0
	for _, c := range all.Categories {
		require.Empty(t, c.Blind, c.Category)
		counted += c.Checks
	}
	require.Equal(t, len(checks.All()), counted)

	require.Equal(t, b.zoneOfPlan("enterprise"), all.Zone, "what can be tried on most")

	const dns = "Zone: DNS Read"
	_, some := permissions(t, []string{dns}, "free", "enterprise", "pro")
	require.Equal(t, []string{dns}, some.Missing)
	require.Equal(t, all.Zone, some.Zone)
	require.NotEqual(t, all.Form, some.Form)
	require.Equal(t, all.FullForm, some.FullForm)
	lacks := statusIn(t, some, dns)
	require.Equal(t, posture.PermissionMissing, lacks.Status)
	require.NotEmpty(t, lacks.CheckIDs)
	require.True(t, slices.IsSorted(lacks.CheckIDs))
	require.Equal(t, slices.Compact(slices.Clone(lacks.CheckIDs)), lacks.CheckIDs)
	var blind []string
	for _, c := range some.Categories {
		require.Equal(t, len(c.Blind) > 0, slices.Contains(lacks.Categories, c.Category), c.Category)
		require.Equal(t, len(c.Blind) > 0, slices.Equal(c.Missing, []string{dns}), c.Category)
		blind = append(blind, c.Blind...)
	}
	require.ElementsMatch(t, lacks.CheckIDs, blind)
	for _, c := range checks.All() {
		needs := slices.ContainsFunc(c.Needs, func(n snapshot.Named) bool { return n.Source() == snapshot.ZoneDNSRecords.Source() })
		require.True(t, !needs || slices.Contains(blind, c.ID), c.ID)
	}
}

// TestPermissionsOfAnAccountsToken: what is missing is in order, and a new token is made where the account makes its own.
func TestPermissionsOfAnAccountsToken(t *testing.T) {
	t.Parallel()
	denied := []string{"Zone: Zone Settings Read", "Zone: DNS Read", "Zone: SSL and Certificates Read"}
	owned := simcloud.Token{Secret: "token-owned-00000000000000000000000000", Kind: simcloud.AccountToken, Accounts: []string{one},
		Denied: denied}
	b := newBench(t, simcloud.Options{Seed: 31, Accounts: []simcloud.AccountSpec{{ID: one, Zones: 1}}, Tokens: []simcloud.Token{owned}},
		100_000)
	got, err := b.runner.Permissions(t.Context(), assess.Run{Account: posture.AccountRef{ID: one}, Token: secret.New(owned.Secret)})
	require.NoError(t, err)
	slices.Sort(denied)
	require.Equal(t, denied, got.Missing)
	require.Equal(t, "account", got.Token.Kind)
	require.Equal(t, cloudflare.TokenForm(denied, true, one), got.Form)
	b.cloud.Deny(cloudflare.Grants(snapshot.Sources())...)
	got, err = b.runner.Permissions(t.Context(), assess.Run{Account: posture.AccountRef{ID: one}, Token: secret.New(owned.Secret)})
	require.NoError(t, err)
	require.Greater(t, len(got.Missing), 10)
	require.True(t, slices.IsSorted(got.Missing))
}

// TestPermissionsWithoutAZone: what needs a zone is untried, because the token sees none.
func TestPermissionsWithoutAZone(t *testing.T) {
	t.Parallel()
	_, r := permissions(t, []string{"Zone: Zone Read"}, "enterprise")
	require.Empty(t, r.Zone)
	require.Contains(t, r.Missing, "Zone: Zone Read")
	s := statusIn(t, r, "Zone: DNS Read")
	require.Equal(t, posture.PermissionUntried, s.Status)
	require.Equal(t, "the token sees no zone", s.Reason)
}

// TestPermissionsOfARefusedToken: a token that Cloudflare refuses as a whole is told as that, and not as one that
// lacks every permission; nor does a run say so.
func TestPermissionsOfARefusedToken(t *testing.T) {
	t.Parallel()
	for _, kind := range []simcloud.TokenKind{simcloud.UserToken, simcloud.AccountToken} {
		for status, want := range map[string]string{"disabled": "is disabled", "expired": "is expired", "": "refuses the token"} {
			token := simcloud.Token{Secret: "token-refused-000000000000000000000000", Kind: kind, Accounts: []string{one}, Status: status}
			if status == "" {
				token.Secret = "token-another-000000000000000000000000"
			}
			b := newBench(t, simcloud.Options{Seed: 31, Accounts: []simcloud.AccountSpec{{ID: one, Zones: 1}},
				Tokens: []simcloud.Token{token}}, 100_000)
			_, err := b.runner.Permissions(t.Context(), assess.Run{Account: posture.AccountRef{ID: one},
				Token: secret.New("token-refused-000000000000000000000000")})
			problem := problemOf(t, err)
			require.Equal(t, posture.CodeProvider, problem.Code)
			require.Contains(t, problem.Detail, want)
			a, err := b.assess(one, "token-refused-000000000000000000000000")
			require.NoError(t, err)
			require.Empty(t, a.Coverage.MissingPermissions)
		}
	}
}

// TestPermissionsOfNoAnswer: a provider that does not answer proves nothing.
func TestPermissionsOfNoAnswer(t *testing.T) {
	t.Parallel()
	for _, account := range []string{"", one} {
		b := newBench(t, simcloud.Options{Seed: 31, Accounts: []simcloud.AccountSpec{{ID: one, Zones: 1}}}, 100_000)
		b.cloud.Outage(true)
		_, err := b.runner.Permissions(t.Context(), assess.Run{Account: posture.AccountRef{ID: account},
			Token: secret.New(b.cloud.Tokens()[0].Secret)})
		require.Equal(t, posture.CodeProvider, problemOf(t, err).Code, account)
	}
}
