package assess_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestAccountOfARun: a run without an account assesses the one that its token sees, tells which it is, and
// says what to do where there is not exactly one.
func TestAccountOfARun(t *testing.T) {
	t.Parallel()
	owned := simcloud.Token{Secret: "token-owned-00000000000000000000000000", Kind: simcloud.AccountToken, Accounts: []string{third}}
	for name, c := range map[string]struct {
		secret, account string
		code            posture.Code
		says            string
	}{
		"one":             {secret: token("one", one).Secret, account: one},
		"two":             {secret: token("two", one, other).Secret, code: posture.CodeInvalid, says: "The token sees 2 accounts"},
		"none":            {secret: token("none", third).Secret, code: posture.CodeProvider, says: "The token sees no account"},
		"nobody's token":  {secret: "token-of-nobody-0000000000000000000000", code: posture.CodeProvider, says: "could not be listed"},
		"of an account":   {secret: owned.Secret, code: posture.CodeProvider, says: "give the account id"},
		"of the only one": {secret: token("only", other).Secret, account: other},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := twoAccounts(t, token("one", one), token("two", one, other), token("none", third), token("only", other), owned)
			a, err := b.assess("", c.secret)
			if c.code == "" {
				require.NoError(t, err)
				require.NotEmpty(t, a.Account.Name)
				require.Equal(t, c.account, a.Account.ID)
				return
			}
			p := problemOf(t, err)
			require.Equal(t, c.code, p.Code)
			require.Contains(t, p.Detail, c.says)
		})
	}
}

// TestIncrementalRuns: what is carried forward comes from runs of the same account, catalogue and token, of
// the last day; why nothing is, is said.
func TestIncrementalRuns(t *testing.T) {
	t.Parallel()
	b := newBench(t, shop(), 100_000)
	owner := newID()
	require.NoError(t, b.store.PutAccount(t.Context(), posture.Account{ID: owner, Name: "shop", CreatedAt: b.clock.Now()}, nil))
	run := func(change func(*assess.Run)) (posture.Assessment, int) {
		t.Helper()
		before := b.cloud.Requests().Total
		r := under(b, nil)
		r.OwnerID, r.Request.Incremental = owner, true
		change(&r)
		a, err := b.runner.Do(t.Context(), r)
		require.NoError(t, err)
		return a, b.cloud.Requests().Total - before
	}
	none := func(a posture.Assessment, reason string) {
		t.Helper()
		require.NotNil(t, a.Carried)
		require.Zero(t, a.Carried.Sections)
		require.Contains(t, a.Carried.Reason, reason)
	}
	begin := b.clock.Now()
	first, whole := run(func(*assess.Run) {})
	none(first, "no run of the last 24 hours with this token and catalogue")
	oneOff, _ := run(func(r *assess.Run) { r.OwnerID = "" })
	none(oneOff, "a one-off token has no earlier run")
	renewed, _ := run(func(r *assess.Run) { r.TokenAt = b.clock.Now().Add(time.Minute) })
	none(renewed, "no run of the last 24 hours with this token and catalogue")

	again, few := run(func(r *assess.Run) { r.TokenAt = begin.Add(-time.Minute) })
	require.NotNil(t, again.Carried)
	require.Positive(t, again.Carried.Sections)
	require.Less(t, again.Carried.Sections, again.Carried.Of)
	require.Empty(t, again.Carried.Reason)
	require.Less(t, few, whole/2)
	require.Equal(t, first.SnapshotDigest, again.SnapshotDigest)

	full, all := run(func(r *assess.Run) { r.Request.Incremental = false })
	require.Nil(t, full.Carried)
	require.Equal(t, whole, all, "nothing to carry forward costs nothing more")
}
