package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

var (
	monday  = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	tuesday = monday.AddDate(0, 0, 1)
	friday  = monday.AddDate(0, 0, 4)
)

// TestHistory writes what a run says of one finding over what was known of it.
func TestHistory(t *testing.T) {
	const open, reopened, resolved = posture.StatusOpen, posture.StatusReopened, posture.StatusResolved
	was := func(r posture.Result, st posture.FindingStatus, opened bool) *posture.FindingState {
		return &posture.FindingState{Result: r, Status: st, FirstSeen: monday, LastSeen: tuesday, Opened: opened}
	}
	fixed := was(posture.Pass, resolved, true)
	fixed.Resolution = posture.ResolutionDeleted
	for _, c := range []struct {
		name        string
		before      *posture.FindingState
		now         posture.Result
		status      posture.FindingStatus
		how         posture.Resolution
		first, last time.Time
	}{
		{"first failure", nil, posture.Fail, open, "", friday, friday},
		{"first unknown", nil, posture.Unknown, open, "", friday, friday},
		{"first pass", nil, posture.Pass, resolved, "", friday, friday},
		{"still failing", was(posture.Fail, open, true), posture.Warning, open, "", monday, friday},
		{"still failing again", was(posture.Fail, reopened, true), posture.Fail, reopened, "", monday, friday},
		{"fixed", was(posture.Fail, open, true), posture.Pass, resolved, posture.ResolutionFixed, monday, tuesday},
		{"no longer applies", was(posture.Fail, open, true), posture.NotApplicable, resolved, posture.ResolutionFixed, monday, tuesday},
		{"stays resolved as it was", fixed, posture.Pass, resolved, posture.ResolutionDeleted, monday, tuesday},
		{"comes back", fixed, posture.Fail, reopened, "", monday, friday},
		{"unreadable while open", was(posture.Fail, open, true), posture.Unknown, open, "", monday, tuesday},
		{"unreadable when resolved", fixed, posture.Unknown, resolved, posture.ResolutionDeleted, monday, tuesday},
		{"unreadable for long", was(posture.Unknown, open, false), posture.Unknown, open, "", monday, friday},
		{"failed when it could be read", was(posture.Unknown, open, false), posture.Fail, open, "", friday, friday},
		{"passed when it could be read", was(posture.Unknown, open, false), posture.Pass, resolved, "", monday, friday},
		{"fails for the first time after passes", was(posture.Pass, resolved, false), posture.Fail, open, "", friday, friday},
		{"fails after an unreadable while resolved", &posture.FindingState{Result: posture.Unknown, Status: resolved, FirstSeen: monday,
			LastSeen: tuesday, Opened: true}, posture.Fail, reopened, "", monday, friday},
	} {
		got := history(c.now, c.before, friday)
		fails := c.now == posture.Fail || c.now == posture.Warning
		require.Equal(t, posture.Standing{Status: c.status, Resolution: c.how, FirstSeen: c.first, LastSeen: c.last,
			Opened: fails || c.before != nil && c.before.Opened}, got, c.name)
	}
}

// world is an account with zones a and b, a tunnel, a worker and a record in each zone.
// A run of it judged everything and found nothing, unless a case edits it.
type world struct {
	b  *snapshot.Builder
	ev check.Evaluation
}

func newWorld() *world {
	w := &world{b: snapshot.NewBuilder(snapshot.AccountRef{ID: "acc"}, friday), ev: check.Evaluation{Reach: map[string]check.Reach{
		"ZONE":    {Scope: check.PerZone, Reads: []string{"zone/dns_records"}},
		"ACCOUNT": {Scope: check.PerAccount, Reads: []string{"account/members"}},
		"ZONAL":   {Scope: check.PerAccount, Reads: []string{"zone/dns_records", "account/access_apps"}},
		"TUNNEL":  {Scope: check.PerTunnel, Reads: []string{"tunnel/config"}},
		"WORKER":  {Scope: check.PerWorker, Reads: []string{"worker/settings"}},
		"BUCKET":  {Scope: check.PerBucket, Reads: []string{"r2/cors"}},
	}}}
	w.b.Zones = []snapshot.Zone{{ID: "a"}, {ID: "b"}}
	snapshot.Put(w.b, snapshot.ZoneList, "acc", []snapshot.Zone{{ID: "a"}, {ID: "b"}})
	for _, z := range []string{"a", "b"} {
		snapshot.Put(w.b, snapshot.ZoneDNSRecords, z, []snapshot.DNSRecord{{ID: "r"}})
	}
	snapshot.Put(w.b, snapshot.Tunnels, "acc", []snapshot.Tunnel{{ID: "t"}})
	snapshot.Put(w.b, snapshot.Workers, "acc", []snapshot.Worker{{ID: "w"}})
	snapshot.Put(w.b, snapshot.AccessApps, "acc", []snapshot.AccessApp{{ID: "app"}})
	return w
}

// unknown adds a finding nobody could judge.
func (w *world) unknown(checkID string, r posture.Resource) {
	w.ev.Findings = append(w.ev.Findings, posture.Verdict{ID: "unknown", Rule: &posture.Rule{CheckID: checkID}, Result: posture.Unknown,
		Resource: &r})
}

func (w *world) scope(zones ...string) {
	w.b.Zones = nil
	for _, z := range zones {
		w.b.Zones = append(w.b.Zones, snapshot.Zone{ID: z})
	}
}

// TestClosed decides about a finding that a run does not hold.
func TestClosed(t *testing.T) {
	record := func(zone, id string) posture.Resource {
		return posture.Resource{Type: posture.ResourceDNSRecord, ID: id, ZoneID: zone}
	}
	zone := func(id string) posture.Resource {
		return posture.Resource{Type: posture.ResourceZone, ID: id, ZoneID: id}
	}
	of := func(kind posture.ResourceType, id string) posture.Resource {
		return posture.Resource{Type: kind, ID: id}
	}
	account, member := of(posture.ResourceAccount, "acc"), of(posture.ResourceMember, "m")
	const fixed, deleted, kept = posture.ResolutionFixed, posture.ResolutionDeleted, posture.Resolution("")
	for _, c := range []struct {
		name     string
		check    string
		resource posture.Resource
		edit     func(w *world)
		want     posture.Resolution
	}{
		{"record set right", "ZONE", record("a", "r"), nil, fixed},
		{"record deleted", "ZONE", record("a", "other"), nil, deleted},
		{"thing of a zone without a list of its own", "ZONE", posture.Resource{Type: posture.ResourceRule, ID: "x", ZoneID: "a"}, nil, fixed},
		{"check not run", "OTHER", record("a", "r"), nil, kept},
		{"check not run and zone gone", "OTHER", record("c", "r"), nil, kept},
		{"zone out of scope", "ZONE", record("b", "r"), func(w *world) { w.scope("a") }, kept},
		{"zone gone", "ZONE", record("c", "r"), nil, deleted},
		{"zone gone, seen by a run of another zone", "ZONE", zone("c"), func(w *world) { w.scope("a") }, deleted},
		{"zone gone, which an account check found", "ACCOUNT", record("c", "r"), nil, deleted},
		{"zone added again under a new id", "ZONE", zone("a"), func(w *world) {
			snapshot.Put(w.b, snapshot.ZoneList, "acc", []snapshot.Zone{{ID: "a2", Name: "same"}, {ID: "b"}})
			w.scope("a2", "b")
		}, deleted},
		{"zone list unreadable", "ZONE", record("c", "r"), func(w *world) {
			w.b.Mark("zone/list", snapshot.Denied, "Zone: Zone Read", "")
			w.scope()
			w.unknown("ZONE", account)
		}, kept},
		{"its zone is unknown", "ZONE", record("a", "r"), func(w *world) { w.unknown("ZONE", zone("a")) }, kept},
		{"another record of its zone is unknown", "ZONE", record("a", "r"), func(w *world) { w.unknown("ZONE", record("a", "q")) }, kept},
		{"its zone is unknown to another check", "ZONE", record("a", "r"), func(w *world) { w.unknown("ACCOUNT", zone("a")) }, fixed},
		{"another zone is unknown", "ZONE", record("a", "r"), func(w *world) { w.unknown("ZONE", zone("b")) }, fixed},
		{"deleted, and its zone unknown", "ZONE", record("a", "other"), func(w *world) { w.unknown("ZONE", zone("a")) }, kept},
		{"member set right", "ACCOUNT", member, nil, fixed},
		{"member, with fewer zones", "ACCOUNT", member, func(w *world) { w.scope("a") }, fixed},
		{"account unknown", "ACCOUNT", member, func(w *world) { w.unknown("ACCOUNT", account) }, kept},
		{"a warning that the account could not be read", "ACCOUNT", member, func(w *world) {
			w.ev.Findings = append(w.ev.Findings, posture.Verdict{ID: "hides", Rule: &posture.Rule{CheckID: "ACCOUNT"}, Result: posture.Warning,
				Resource: &account, Reason: "denied"})
		}, kept},
		{"application set right", "ZONAL", of(posture.ResourceAccessApp, "app"), nil, fixed},
		{"application deleted", "ZONAL", of(posture.ResourceAccessApp, "old"), nil, deleted},
		{"application, with fewer zones", "ZONAL", of(posture.ResourceAccessApp, "app"), func(w *world) { w.scope("a") }, kept},
		{"record an account check found, with fewer zones", "ZONAL", record("a", "r"), func(w *world) { w.scope("a") }, fixed},
		{"tunnel deleted", "TUNNEL", of(posture.ResourceTunnel, "gone"), nil, deleted},
		{"tunnel deleted, another unknown", "TUNNEL", of(posture.ResourceTunnel, "gone"),
			func(w *world) { w.unknown("TUNNEL", of(posture.ResourceTunnel, "t")) }, deleted},
		{"tunnels unreadable", "TUNNEL", of(posture.ResourceTunnel, "gone"), func(w *world) {
			w.b.Mark("account/tunnels", snapshot.Denied, "", "")
			w.unknown("TUNNEL", account)
		}, kept},
		{"worker deleted", "WORKER", of(posture.ResourceWorker, "gone"), nil, deleted},
		{"worker route set right", "WORKER", of(posture.ResourceRule, "x"), nil, fixed},
		{"worker route, some worker unknown", "WORKER", of(posture.ResourceRule, "x"),
			func(w *world) { w.unknown("WORKER", of(posture.ResourceWorker, "w")) }, kept},
		{"last bucket deleted", "BUCKET", of(posture.ResourceBucket, "b"),
			func(w *world) { snapshot.Put(w.b, snapshot.R2Buckets, "acc", []snapshot.Bucket{}) }, deleted},
		{"buckets never read", "BUCKET", of(posture.ResourceBucket, "b"), func(w *world) { w.unknown("BUCKET", account) }, kept},
		{"a tunnel of another product", "ACCOUNT", of(posture.ResourceTunnel, "magic"), nil, fixed},
		{"renamed: the run holds it under the same id", "ZONE", record("a", "r"), func(w *world) {
			w.ev.Findings = append(w.ev.Findings, posture.Verdict{ID: "f", Rule: &posture.Rule{CheckID: "ZONE"}, Result: posture.Fail,
				Resource: &posture.Resource{Type: posture.ResourceDNSRecord, ID: "r", Name: "new", ZoneID: "a"}})
		}, kept},
	} {
		for _, status := range []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened, posture.StatusResolved} {
			w := newWorld()
			if c.edit != nil {
				c.edit(w)
			}
			snap, err := w.b.Build()
			require.NoError(t, err)
			known := posture.KnownState{FindingState: posture.FindingState{FindingID: "f", Result: posture.Fail, Status: status, Opened: true},
				CheckID: c.check, Resource: c.resource}
			_, made, err := recall(snap, w.ev, friday, func(tell func(posture.KnownState)) error {
				tell(known)
				tell(known) // as a repeated read does
				return nil
			})
			require.NoError(t, err)
			got := made.Closed
			if c.want == kept || status == posture.StatusResolved {
				require.Empty(t, got, "%s, %s", c.name, status)
				continue
			}
			require.Equal(t, []posture.ClosedFinding{{FindingID: "f", Resolution: c.want}}, got, "%s, %s", c.name, status)
			require.Equal(t, 1, made.Turnover.Resolved, "%s, %s", c.name, status)
		}
	}
}
