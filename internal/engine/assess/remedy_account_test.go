package assess

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// foundIn names the checks a plant is used for: its own, and one whose remedy only
// fits a zone without mail.
func foundIn(p simcloud.Plant) []string {
	if p.CheckID == "CFL-EMAIL-011" {
		return map[string][]string{"no-spf": {p.CheckID, "CFL-EMAIL-001"}, "no-dmarc": {p.CheckID, "CFL-EMAIL-003"}}[p.Variant]
	}
	return []string{p.CheckID}
}

// waitsOutside tells whether a finding closes only when something happens outside the
// provider's settings: a DS record is published, a day has passed.
func waitsOutside(checkID string) bool {
	return slices.Contains([]string{"CFL-DNS-001", "CFL-DEVICE-006"}, checkID)
}

// outlasts tells whether a remedy may leave a warning: what waits for something
// outside, and what the catalogue leaves to people besides: the limit of a DNS
// cluster, the other device profiles.
func outlasts(checkID string) bool {
	return waitsOutside(checkID) || slices.Contains([]string{"CFL-DNS-005", "CFL-DEVICE-002"}, checkID)
}

// live reads a list of the account.
func (w *workshop) live(path string) []map[string]any {
	w.t.Helper()
	return propose.Objects(w.at("/accounts/" + w.cloud.Accounts()[0] + path))
}

// ids gives a member of each object as JSON.
func ids(all []map[string]any, member string) json.RawMessage {
	out := []string{}
	for _, o := range all {
		out = append(out, propose.Text(o, member))
	}
	return change.Encode(out)
}

// first gives a member of the first object as JSON, null when there is none.
func first(all []map[string]any, member string) json.RawMessage {
	if len(all) == 0 {
		return json.RawMessage("null")
	}
	return change.Encode(all[0][member])
}

// inputsOfAccount are the choices for checks of the account, of names and of mail.
func inputsOfAccount(w *workshop) change.Inputs {
	var names []string
	account := w.cloud.Accounts()[0]
	domain := ""
	for _, id := range w.cloud.ZoneIDs(account) {
		v, err := w.engine.Provider.Live(w.t.Context(), "/zones/"+id, nil)
		require.NoError(w.t, err)
		zone, _ := v.(map[string]any)
		domain = propose.Text(zone, "name")
		v, err = w.engine.Provider.Live(w.t.Context(), "/zones/"+id+"/dns_records", nil)
		require.NoError(w.t, err)
		for _, r := range propose.Objects(v) {
			if r["proxied"] == false {
				names = append(names, propose.Text(r, "name"))
			}
		}
	}
	mail := "security@" + domain
	out := change.Inputs{
		"CFL-DEVICE-006": {"confirmedBy": first(w.live("/members"), "email")},
		"CFL-DNS-002":    {"confirmedNames": change.Encode(names)},
		"CFL-EMAIL-003":  {"reportAddress": change.Encode(mail)},
		"CFL-R2-006":     {"days": json.RawMessage("30")},
		"CFL-ZT-007":     {"group": first(w.live("/access/groups"), "id")},
		"CFL-ZT-012":     {"tokens": ids(w.live("/access/service_tokens"), "id")},
		"CFL-ZT-015":     {"policy": first(w.live("/access/policies"), "id")},
	}
	for _, n := range []string{"001", "002", "003", "004", "006", "009", "010"} {
		out["CFL-ALERT-"+n] = map[string]json.RawMessage{"destinations": change.Encode([]any{mail,
			w.live("/alerting/v3/destinations/webhooks")[0]["id"]})}
	}
	return out
}

// TestSigningIsNotTakenBackUnderADSRecord: once the parent zone vouches for the
// signatures, turning them off would take the domain off the net, so neither a
// rollback nor a forced one does.
func TestSigningIsNotTakenBackUnderADSRecord(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, simcloud.AccountSpec{Zones: 1, Plants: []simcloud.PlantRule{{CheckID: "CFL-DNS-001", Variant: "disabled"}}})
	snap, findings := w.assess("CFL-DNS-001")
	r := w.request(snap, findings, nil, "CFL-DNS-001")
	kept, err := w.engine.Plan(t.Context(), r)
	require.NoError(t, err)
	require.Len(t, kept.Steps, 1)
	b, err := w.engine.Apply(t.Context(), r, change.Bundle{ID: "b", Account: r.Account, Entries: remedy.Entries(kept.Steps, true)})
	require.NoError(t, err)
	require.Equal(t, change.StateApplied, b.State)
	w.cloud.PublishDS(w.cloud.ZoneIDs(w.cloud.Accounts()[0])[0])
	_, after := w.assess("CFL-DNS-001")
	require.Equal(t, posture.Pass, after[0].Result)
	signed := w.state()
	for _, force := range []bool{false, true} {
		w.cloud.ResetWrites()
		b, err = w.engine.Rollback(t.Context(), b, force)
		require.NoError(t, err)
		require.Equal(t, change.Applied, b.Entries[0].Status)
		require.Contains(t, b.Entries[0].Reason, "DS record")
		require.Empty(t, w.cloud.Writes(), "force %v", force)
		require.Equal(t, signed, w.state())
	}
}
