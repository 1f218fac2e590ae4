package assess

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// strict is a provider whose zones are of a kind that the simulation has none of.
type strict struct {
	http.Handler
	only    string                         // the id of the zone, "" for all
	marks   fields                         // members of the zone
	setting fields                         // members of its settings
	refuses func(method, path string) bool // what Cloudflare does not take there
}

func (k strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, simcloud.BasePath)
	if r.Method != http.MethodGet && strings.Contains(path, k.only) && k.refuses(r.Method, path) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"success":false,"errors":[{"code":1015,"message":"Not allowed here"}],"messages":[],"result":null}`))
		return
	}
	own := httptest.NewRecorder()
	k.Handler.ServeHTTP(own, r)
	raw := own.Body.Bytes()
	steps := strings.Split(strings.Trim(path, "/"), "/")
	var marks fields
	switch {
	case steps[0] != "zones":
	case len(steps) <= 2:
		marks = k.marks
	case steps[2] == "settings":
		marks = k.setting
	}
	var answer fields
	if len(marks) > 0 && json.Unmarshal(raw, &answer) == nil {
		switch result := answer["result"].(type) {
		case map[string]any:
			if strings.Contains(path, k.only) {
				maps.Copy(result, marks)
			}
		case []any:
			for _, one := range result {
				if k.only == "" || one.(fields)["id"] == k.only || strings.Contains(path, k.only) {
					maps.Copy(one.(fields), marks)
				}
			}
		}
		raw = change.Encode(answer)
	}
	maps.Copy(w.Header(), own.Header())
	w.Header().Del("Content-Length")
	w.WriteHeader(own.Code)
	_, _ = w.Write(raw)
}

// strictZones are providers whose zones refuse some calls.
func strictZones() map[string]strict {
	has := func(part string) func(string, string) bool {
		return func(_, path string) bool { return strings.Contains(path, part) }
	}
	return map[string]strict{
		"secondary": {marks: fields{"type": "secondary"}, refuses: has("/dns_records")},
		"partial": {marks: fields{"type": "partial"}, refuses: func(method, path string) bool {
			return strings.Contains(path, "/dnssec") || method == http.MethodPost && strings.HasSuffix(path, "/dns_records")
		}},
		"a lower plan": {setting: fields{"editable": false}, refuses: func(_, path string) bool {
			return strings.Contains(path, "/settings/") && !strings.Contains(path, "/hostnames/")
		}},
	}
}

// of has the account of a workshop, with zones of the kind.
func (k strict) of(w *workshop) *workshop {
	k.Handler = w.cloud
	return newWorkshopAt(w.t, w.cloud, k, w.cloud, w.cloud.Tokens()[0].Secret, w.now)
}

// TestSweepRemediesOfOtherZones holds every remedy against zones in which Cloudflare refuses some calls: a plan has none of them.
func TestSweepRemediesOfOtherZones(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	for name, k := range strictZones() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachRemedy(t, func(t *testing.T, c check.Check, w *workshop) {
				w = k.of(w)
				snap, findings := w.assess(c.ID)
				r := w.request(snap, findings, inputsOf(w), c.ID)
				kept, err := w.engine.Plan(t.Context(), r)
				require.NoError(t, err)
				b, err := w.engine.Apply(t.Context(), r, change.Bundle{ID: "b", Account: r.Account, Entries: remedy.Entries(kept.Steps, true)})
				require.NoError(t, err)
				require.Equal(t, len(kept.Steps), b.Count(change.Applied), "%s", change.Encode(b.Results()))
			})
		})
	}
}

// TestNoRecordOfASecondaryZoneIsPlanned: its records come from the primary, so that nothing asks for a choice, promises a fix, or
// sends what Cloudflare refuses, and a zone beside it that has its own records keeps the fix.
func TestNoRecordOfASecondaryZoneIsPlanned(t *testing.T) {
	t.Parallel()
	ids := []string{"CFL-DNS-002", "CFL-DNS-006", "CFL-EMAIL-003"}
	var plants []simcloud.PlantRule
	for _, id := range ids {
		plants = append(plants, simcloud.PlantRule{CheckID: id, Zones: []int{0}}, simcloud.PlantRule{CheckID: id, Zones: []int{1}})
	}
	w := newWorkshop(t, simcloud.AccountSpec{Zones: 2, Plants: plants})
	second := w.cloud.ZoneIDs(w.cloud.Accounts()[0])[1]
	k := strictZones()["secondary"]
	k.only = second
	w = k.of(w)
	snap, findings := w.assess()
	r := w.request(snap, findings, nil, ids...)
	kept, err := w.engine.Plan(t.Context(), r)
	require.NoError(t, err)
	told := map[string]bool{}
	for _, s := range kept.Plan.Skipped {
		if told[s.CheckID] = true; s.CheckID == "CFL-DNS-006" {
			require.Contains(t, s.Reason, "primary DNS server")
		}
		require.Equal(t, second, s.Resource.ZoneID, s.Reason)
	}
	require.Len(t, told, len(ids))
	for _, m := range kept.Plan.Manual {
		require.NotEqual(t, second, m.Resource.ZoneID, m.CheckID)
	}
	for _, s := range kept.Steps {
		require.NotEqual(t, second, s.Change.Resource.ZoneID, s.Change.CheckID)
	}
	for _, f := range r.Findings {
		require.Equal(t, f.Resource.ZoneID != second, f.Remediable, "%s %s", f.CheckID, f.Message)
	}
	open := map[bool]bool{}
	for _, p := range pathsOf(snap, r.Account.ID, findings) {
		if slices.Contains(p.RelatedCheckIDs, "CFL-DNS-006") {
			open[slices.Contains(p.RemediableCheckIDs, "CFL-DNS-006")] = true
		}
	}
	require.Len(t, open, 2, "the service breaks the path over one record, and not the one over the other")
}
