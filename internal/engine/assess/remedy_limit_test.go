package assess_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// TestSweepRemediesPastTheLimit applies and takes back a plan of more requests than the provider allows in its five minutes.
func TestSweepRemediesPastTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	const limit = 303
	const zones = 90
	plant := simcloud.PlantRule{CheckID: "CFL-SSL-002"}
	for i := range zones {
		plant.Zones = append(plant.Zones, i)
	}
	b := newBench(t, simcloud.Options{Seed: 3, Tokens: []simcloud.Token{{CanWrite: true}},
		Limit:    simcloud.Limit{Sliding: true, Requests: limit},
		Accounts: []simcloud.AccountSpec{{Zones: zones, RecordsPerZone: -1, Plants: []simcloud.PlantRule{plant}}}}, limit)
	account := posture.AccountRef{ID: b.cloud.Accounts()[0], Name: "a"}
	run := assess.Run{Account: account, Token: secret.New(b.cloud.Tokens()[0].Secret)}
	client, err := b.runner.Client(run)
	require.NoError(t, err)
	defer b.runner.Leave(run)
	admits, err := gate.New(gate.Options{Allowed: true, Secret: secret.New("edit"), Now: b.clock.Now})
	require.NoError(t, err)
	engine := &remedy.Engine{Checks: checks.All(), Provider: client, Now: b.clock.Now, Sleep: b.clock.Sleep,
		Admit: func(ctx context.Context) (gate.Grant, error) { return admits.Admit(ctx, secret.New("edit")) },
		Keep:  func(context.Context, change.Bundle) error { return nil }}
	r := remedy.Request{Account: account, Policy: policy.Default(), Owner: map[string]string{}, Now: b.clock.Now()}
	for _, z := range b.cloud.ZoneIDs(account.ID) {
		f := posture.Finding{CheckID: "CFL-SSL-002", Severity: posture.High, Result: posture.Fail,
			Resource: posture.Resource{Type: posture.ResourceZone, ID: z, Name: z, ZoneID: z, Zone: z}}
		f.ID = posture.FindingID(account.ID, f.CheckID, f.Resource.Type, z)
		r.Findings = append(r.Findings, f)
	}
	before := string(b.cloud.State(account.ID))
	start := b.clock.Now()
	kept, err := engine.Plan(t.Context(), r)
	require.NoError(t, err)
	require.Len(t, kept.Steps, zones)
	bundle, err := engine.Apply(t.Context(), r, change.Bundle{ID: "b", Account: account, Entries: remedy.Entries(kept.Steps, false)})
	require.NoError(t, err)
	require.Equal(t, change.StateApplied, bundle.State)
	bundle, err = engine.Rollback(t.Context(), bundle, false)
	require.NoError(t, err)
	require.Equal(t, change.StateRolledBack, bundle.State)
	require.Equal(t, before, string(b.cloud.State(account.ID)))
	require.Greater(t, b.clock.Now().Sub(start), 10*time.Minute, "it waited")
}
