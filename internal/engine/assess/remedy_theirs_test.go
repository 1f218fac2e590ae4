package assess

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// somebody sends a call that no plan has.
func (w *workshop) somebody(c change.Call) {
	w.t.Helper()
	grant, err := w.engine.Admit(w.t.Context())
	require.NoError(w.t, err)
	_, err = w.engine.Provider.Write(w.t.Context(), grant, c)
	require.NoError(w.t, err, "%s %s", c.Method, c.Path)
}

// applied makes the changes that the plan of a check has.
func (w *workshop) applied(id string, in change.Inputs) change.Bundle {
	w.t.Helper()
	snap, findings := w.assess(id)
	r := w.request(snap, findings, in, id)
	kept, err := w.engine.Plan(w.t.Context(), r)
	require.NoError(w.t, err)
	b, err := w.engine.Apply(w.t.Context(), r, change.Bundle{ID: "b", Account: r.Account, Entries: remedy.Entries(kept.Steps, true)})
	require.NoError(w.t, err)
	require.Equal(w.t, change.StateApplied, b.State)
	return b
}

// TestRollbackTellsTheEntryOfTheZoneFromThatOfTheAccount: a zone lists the entries of its account, too, so that one with the same
// addresses is no proof that the zone has its own again.
func TestRollbackTellsTheEntryOfTheZoneFromThatOfTheAccount(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, simcloud.AccountSpec{Zones: 1})
	account := "/accounts/" + w.cloud.Accounts()[0]
	zone := "/zones/" + w.cloud.ZoneIDs(w.cloud.Accounts()[0])[0]
	const entries = "/firewall/access_rules/rules"
	entry := fields{"mode": "whitelist", "notes": "", "configuration": fields{"target": "ip_range", "value": "203.0.112.0/20"}}
	w.somebody(call(http.MethodPost, zone+entries, entry))
	before := w.state()
	b := w.applied("CFL-WAF-011", nil)
	w.somebody(call(http.MethodPost, account+entries, entry))
	b, err := w.engine.Rollback(t.Context(), b, false)
	require.NoError(t, err)
	require.Equal(t, change.StateRolledBack, b.State)
	for _, e := range w.live(entries) {
		if change.Holds(e, fields{"configuration": entry["configuration"]}) {
			w.somebody(call(http.MethodDelete, account+entries+"/"+e["id"].(string), nil))
		}
	}
	require.Equal(t, before, w.state())
}

// TestRollbackSeesWhatWasRenamed: what an apply made is still there when somebody gave it another name, so it is neither taken for
// gone nor deleted unless forced.
func TestRollbackSeesWhatWasRenamed(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, simcloud.AccountSpec{Zones: 1, Plants: []simcloud.PlantRule{{CheckID: "CFL-GW-001"}}})
	before := w.state()
	b := w.applied("CFL-GW-001", nil)
	made, err := change.Decode(b.Entries[0].Landed)
	require.NoError(t, err)
	rule := made.(fields)
	rule["name"] = "ours now"
	w.somebody(call(http.MethodPut, "/accounts/"+w.cloud.Accounts()[0]+"/gateway/rules/"+rule["id"].(string), rule))
	renamed := w.state()
	b, err = w.engine.Rollback(t.Context(), b, false)
	require.Equal(t, posture.CodeLiveValueChanged, posture.AsProblem(err).Code)
	require.Equal(t, renamed, w.state())
	b, err = w.engine.Rollback(t.Context(), b, true)
	require.NoError(t, err)
	require.Equal(t, change.StateRolledBack, b.State)
	require.Equal(t, before, w.state())
}

// TestLookSeesWhatWasMadeAgain ends the process that takes a deletion back right after the provider carried that out: the object has
// a new id, so that the old one being absent does not mean that the deletion is in force.
func TestLookSeesWhatWasMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, simcloud.AccountSpec{Zones: 1, Plants: []simcloud.PlantRule{{CheckID: "CFL-DNS-006"}}})
	before := w.state()
	b := w.applied("CFL-DNS-006", nil)
	w.engine.Provider = &wrongOnce{Provider: w.engine.Provider, at: 1}
	b, err := w.survives(func() (change.Bundle, error) { return w.engine.Rollback(t.Context(), b, false) }, b)
	require.NoError(t, err)
	require.Equal(t, change.StateRolledBack, b.State)
	require.Equal(t, before, w.state())
}

// TestRollbackTellsAnApplicationFromItsPolicies: the provider shows the policies of an application in it, so that whoever changes
// one of them, or takes such a change back, does not change the application.
func TestRollbackTellsAnApplicationFromItsPolicies(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, simcloud.AccountSpec{Zones: 5, Plants: []simcloud.PlantRule{{CheckID: "CFL-ZT-007"}}})
	apps := "/accounts/" + w.cloud.Accounts()[0] + "/access/apps"
	for _, a := range w.at(apps).([]any) {
		if app := a.(fields); app["name"] == "Tool everyone" {
			app["http_only_cookie_attribute"] = false
			w.somebody(call(http.MethodPut, apps+"/"+app["id"].(string), app))
		}
	}
	before := w.state()
	policies, cookie := w.applied("CFL-ZT-007", inputsOf(w)), w.applied("CFL-ZT-014", nil)
	for _, b := range []change.Bundle{policies, cookie} {
		b, err := w.engine.Rollback(t.Context(), b, false)
		require.NoError(t, err)
		require.Equal(t, change.StateRolledBack, b.State)
	}
	require.Equal(t, before, w.state())
}
