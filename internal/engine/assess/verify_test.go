package assess_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// Two accounts that are simulated, and one that is not.
const (
	one   = "0000000000000000000000000000000a"
	other = "0000000000000000000000000000000b"
	third = "0000000000000000000000000000000c"
)

// token is one of a user of the same name; without accounts it sees all.
func token(name string, accounts ...string) simcloud.Token {
	return simcloud.Token{Secret: "token-" + name + "-00000000000000000000000000", User: name, Accounts: accounts}
}

func twoAccounts(t *testing.T, tokens ...simcloud.Token) *bench {
	t.Helper()
	return newBench(t, simcloud.Options{Seed: 5, Accounts: []simcloud.AccountSpec{{ID: one, Zones: 1}, {ID: other, Zones: 1}},
		Tokens: tokens}, 100_000)
}

// TestVerify: what is said of a token is what Cloudflare says of it, and of nothing it does not answer.
func TestVerify(t *testing.T) {
	t.Parallel()
	const invalid, silent = posture.CodeInvalid, posture.CodeProvider
	down := func(suffix string) *simcloud.Faults {
		return &simcloud.Faults{Rate500: 1, Only: func(_, path string) bool { return strings.HasSuffix(path, suffix) }}
	}
	expired, disabled, strange := token("expired", one), token("disabled", one), token("strange", one)
	expired.Status, disabled.Status, strange.Status = "expired", "disabled", "\u202egone"
	owned := simcloud.Token{Secret: "token-owned-00000000000000000000000000", Kind: simcloud.AccountToken, Accounts: []string{one}}
	narrow, narrower, shut := token("narrow", one), token("narrower", one), owned
	narrow.Denied = []string{"Account: Account Settings Read"}
	narrower.Denied = append(narrow.Denied, "Zone: Zone Read")
	shut.Secret, shut.Denied = "token-shut-00000000000000000000000000", narrower.Denied
	nobody := simcloud.Token{Secret: "token-of-nobody-0000000000000000000000"}
	late := owned
	late.Secret, late.Status = "token-late-00000000000000000000000000", "expired"
	for name, c := range map[string]struct {
		token   simcloud.Token
		account string
		faults  *simcloud.Faults
		unnamed bool // nobody tells what the account is called
		code    posture.Code
		says    string
	}{
		"the only account of the token":   {token: token("one", one)},
		"the account that is meant":       {token: token("both"), account: one},
		"no account":                      {token: token("blind", third), code: invalid, says: "The token sees no account"},
		"two accounts and none is meant":  {token: token("both"), code: invalid, says: "The token sees 2 accounts"},
		"an account that it does not see": {token: token("one", one), account: other, code: invalid, says: "does not see the account 0"},
		"a token nobody made":             {token: nobody, code: invalid, says: "refuses the token"},
		"nobody made it, of an account":   {token: nobody, account: one, code: invalid, says: "refuses the token"},
		"expired":                         {token: expired, code: invalid, says: "the token is expired;"},
		"disabled":                        {token: disabled, code: invalid, says: "the token is disabled;"},
		"a status nobody knows":           {token: strange, code: invalid, says: "the token is not active;"},
		"owned by the account":            {token: owned, account: one},
		"owned by the account, expired":   {token: late, account: one, code: invalid, says: "the token is expired;"},
		"owned, sees nothing":             {token: shut, account: one, unnamed: true},
		"may list zones only":             {token: narrow, account: one},
		"may list zones of another":       {token: narrow, account: other, code: invalid, says: "neither the account 0"},
		"may list zones, none is meant":   {token: narrow, code: invalid, says: "give the account id"},
		"may list nothing":                {token: narrower, account: one, code: invalid, says: "nor a zone of it"},
		"the status is not answered":      {token: token("one", one), faults: down("/tokens/verify"), code: silent, says: "not tell"},
		"the accounts are not listed":     {token: token("one", one), faults: down("/accounts"), code: silent, says: "not be listed"},
		"nothing is answered":             {token: token("one", one), faults: down(""), code: silent, says: "not tell"},
		"nor with an account":             {token: token("both"), account: one, faults: down("/accounts"), code: silent, says: "not be listed"},
		"refused by one only":             {token: owned, account: one, faults: down(one + "/tokens/verify"), code: silent, says: "not tell"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := twoAccounts(t, token("one", one), token("both"), token("blind", third), expired, disabled, strange, owned, late,
				narrow, narrower, shut)
			if c.faults != nil {
				b.cloud.SetFaults(*c.faults)
			}
			got, err := b.runner.Verify(t.Context(), assess.Run{Account: posture.AccountRef{ID: c.account}, Token: secret.New(c.token.Secret)})
			if c.code == "" {
				require.NoError(t, err)
				require.Equal(t, one, got.ID)
				require.Equal(t, c.unnamed, got.Name == "")
				return
			}
			p := problemOf(t, err)
			require.Equal(t, c.code, p.Code, p.Detail)
			require.Contains(t, p.Detail, c.says)
			require.Zero(t, got)
		})
	}
}

// TestVerifyEndsWithItsCaller: who is gone gets no verdict about the token.
func TestVerifyEndsWithItsCaller(t *testing.T) {
	b := newBench(t, shop(), 100_000)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.runner.Verify(ctx, assess.Run{Token: secret.New(b.cloud.Tokens()[0].Secret)})
	require.ErrorIs(t, err, context.Canceled)
}
