package graph

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestCredentialsLeadIntoTheAccount: each kind of credential that was read is a way in, and without one there is none.
func TestCredentialsLeadIntoTheAccount(t *testing.T) {
	for name, put := range map[string]func(*snapshot.Builder){
		"none": func(*snapshot.Builder) {},
		"members": func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountMembers, "acc", []snapshot.Member{{ID: "m1"}})
		},
		"tokens of the account": func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountTokens, "acc", []snapshot.Token{{ID: "t1"}})
		},
		"tokens of the user": func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.UserTokens, snapshot.UserScope, []snapshot.Token{{ID: "t1"}})
		},
	} {
		b := snapshot.NewBuilder(snapshot.AccountRef{ID: "acc", Name: "acme"}, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
		put(b)
		snap, err := b.Build()
		require.NoError(t, err)
		g, _ := Build(snap, nil)
		require.Equal(t, name != "none", g.Stats.ByEdgeType[InternetTo] == 1, name)
	}
}
