package assess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/report"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

// Permissions tries every permission that the reads need, each with one read on the account or on one
// zone, and reports which the token has. The provider's answer is the only proof: the token's own list
// of permissions may be out of reach, and may be wider than the resources it is limited to. A token that
// is refused as a whole is a 502 problem: it lacks no permission, it does not work.
func (r *Runner) Permissions(ctx context.Context, run Run) (posture.PermissionReport, error) {
	progress := r.progress(run)
	client, err := r.client(run, progress, 0)
	if err != nil {
		return posture.PermissionReport{}, err
	}
	defer r.Leave(run)
	if run.Account.ID == "" {
		if run.Account, err = r.account(ctx, client, nil, ""); err != nil {
			return posture.PermissionReport{}, err
		}
	}
	zones, list, err := r.readZones(ctx, run, client)
	if err != nil {
		return posture.PermissionReport{}, err
	}
	c := &collector{account: run.Account.ID, client: client, store: discard{}, slots: make(chan struct{}, r.o.Concurrency),
		sources: probes(r.o.Sources)}
	var tried *snapshot.Zone
	if zone, found := widest(zones); found {
		tried, c.req.Zones = &zone, []string{zone.ID}
	}
	scope, sections, err := c.collect(ctx, list)
	if err != nil && !errors.Is(err, errProvider) {
		return posture.PermissionReport{}, err
	}
	if err != nil {
		return posture.PermissionReport{}, posture.Problemf(posture.CodeProvider,
			"Cloudflare could not be read, %s; check CLOUDFLARE_BASE_URL and the network, then try again.", err)
	}
	snap, err := freeze(run.Account, r.o.Now(), scope, sections)
	if err != nil {
		return posture.PermissionReport{}, err
	}
	out := permissionReport(snap, r.o.Checks, r.o.Sources, tried != nil)
	if reason := refusal(snap, out); reason != "" {
		return posture.PermissionReport{}, posture.Problemf(posture.CodeProvider, "%s", reason)
	}
	out.CheckedAt, out.Requests = r.o.Now().UTC(), progress.requests()
	if tried != nil {
		out.Zone = tried.Name
	}
	return out, nil
}

// refusal says why a token is refused as a whole, "" when it is not: a token that is revoked or has ended
// lacks no permission.
func refusal(snap *snapshot.Snapshot, out posture.PermissionReport) string {
	granted := slices.ContainsFunc(out.Permissions, func(p posture.PermissionStatus) bool { return p.Status == posture.PermissionGranted })
	_, own := snapshot.Read(snap, snapshot.AccountTokenVerify, snap.Account.ID)
	switch status := out.Token.Status; {
	case granted || status == "active":
		return ""
	case out.Token.Kind != "unknown":
		return "Cloudflare says that the token is " + word(status) + ", so it reads nothing; give the account one that is active."
	case own.Status == snapshot.Denied:
		return "Cloudflare refuses the token, which may be deleted, so it reads nothing; give the account one that is active."
	}
	return ""
}

// discard is a store that keeps nothing.
type discard struct{}

func (discard) PutSections(context.Context, string, int, []snapshot.Section) error { return nil }

// readZones reads the list of zones first, because the zone for the other reads must be chosen before.
func (r *Runner) readZones(ctx context.Context, run Run, client *cloudflare.Client) ([]snapshot.Zone, []snapshot.Section, error) {
	i := slices.IndexFunc(r.o.Sources, func(s snapshot.Source) bool { return s.Name == snapshot.ZoneList.Source() })
	if i < 0 {
		return nil, nil, nil
	}
	nothing := snapshot.NewKnown(func(string, string) (snapshot.Section, bool) { return snapshot.Section{}, false })
	sec, err := client.Read(ctx, r.o.Sources[i], snapshot.SourceScope{AccountID: run.Account.ID}, nothing, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("list the zones: %w", err)
	}
	return zonesIn(sec, run.Account.ID), []snapshot.Section{sec}, nil
}

// zonesIn returns the zones of the section that lists them; none when it could not be read.
func zonesIn(list snapshot.Section, accountID string) []snapshot.Zone {
	known := snapshot.NewKnown(func(source, _ string) (snapshot.Section, bool) { return list, source == list.Source })
	zones, _ := snapshot.Cached(known, snapshot.ZoneList, accountID)
	return zones
}

// widest chooses the zone that shows most: an active one of the highest plan.
func widest(zones []snapshot.Zone) (snapshot.Zone, bool) {
	if len(zones) == 0 {
		return snapshot.Zone{}, false
	}
	plans := []string{"free", "pro", "business", "enterprise"}
	return slices.MaxFunc(zones, func(a, b snapshot.Zone) int {
		return cmp.Or(cmp.Compare(slices.Index(plans, a.Plan), slices.Index(plans, b.Plan)), strings.Compare(b.Status, a.Status),
			strings.Compare(b.ID, a.ID))
	}), true
}

// probes picks one read for each permission: a plain one rather than a list, one that is always needed
// rather than one that may be skipped. The reads it depends on are included.
func probes(all []snapshot.Source) []snapshot.Source {
	best, byName := map[string]snapshot.Source{}, map[string]snapshot.Source{}
	cost := func(s snapshot.Source) int {
		n := 2*len(s.After) + len(s.Plans)
		if s.Skip != nil {
			n += 4
		}
		if s.Paging.Kind != snapshot.Single {
			n++
		}
		return n
	}
	for _, s := range all {
		byName[s.Name] = s
		have, found := best[s.Permission]
		if s.Parent == "" && (!found || cost(s) < cost(have)) {
			best[s.Permission] = s
		}
	}
	need := wants{byName: byName, of: map[string]planSet{}}
	for _, always := range preflight() {
		need.include(always, nil)
	}
	for _, s := range best {
		need.include(s.Name, nil)
	}
	out := slices.DeleteFunc(slices.Clone(all), func(s snapshot.Source) bool { _, needed := need.of[s.Name]; return !needed })
	for i, s := range out {
		out[i].Singly = s.Singly[:min(1, len(s.Singly))] // one item proves the permission as well as all
	}
	return out
}

// permissionReport combines what was tried with what the checks need.
func permissionReport(snap *snapshot.Snapshot, checks []check.Check, sources []snapshot.Source, zoned bool) posture.PermissionReport {
	info := report.TokenInfo(snap)
	out := posture.PermissionReport{Account: posture.AccountName{ID: snap.Account.ID, Name: snap.Account.Name}, Token: info,
		Missing: []string{}, Permissions: []posture.PermissionStatus{}, Categories: []posture.CategoryPermission{}}
	permissionOf, status := map[string]string{}, map[string]posture.PermissionStatus{}
	for _, s := range sources {
		permissionOf[s.Name] = s.Permission
		status[s.Permission] = statusOf(snap, s, status[s.Permission], zoned)
	}
	dependents(checks, permissionOf, status, &out)
	for p, st := range status {
		if !cloudflare.Grant(p) {
			continue
		}
		out.Permissions = append(out.Permissions, st)
		if st.Status == posture.PermissionMissing {
			out.Missing = append(out.Missing, p)
		}
	}
	slices.SortFunc(out.Permissions, func(a, b posture.PermissionStatus) int { return strings.Compare(a.Permission, b.Permission) })
	slices.Sort(out.Missing)
	owned := info.Kind == "account"
	out.Form = cloudflare.TokenForm(out.Missing, owned, snap.Account.ID)
	out.FullForm = cloudflare.TokenForm(cloudflare.Grants(sources), owned, snap.Account.ID)
	return out
}

// statusOf adds the result of one read to what is known about its permission. Any answer except a
// refusal proves the permission.
func statusOf(snap *snapshot.Snapshot, s snapshot.Source, before posture.PermissionStatus, zoned bool) posture.PermissionStatus {
	st := before
	if st.Permission == "" {
		st = posture.PermissionStatus{Permission: s.Permission, Group: cloudflare.PermissionGroup(s.Permission),
			Status: posture.PermissionUntried, CheckIDs: []string{}, Categories: []posture.Category{},
			Reason: "nothing of this kind is there to try it on"}
		if !zoned && strings.HasPrefix(s.Permission, "Zone: ") {
			st.Reason = "the token sees no zone"
		}
	}
	for _, scope := range snap.Scopes(s.Name) {
		sec := snap.Section(s.Name, scope)
		switch sec.Status {
		case snapshot.OK, snapshot.Absent, snapshot.NotEntitled:
			st.Status, st.Reason = posture.PermissionGranted, ""
		case snapshot.Denied:
			if st.Status != posture.PermissionGranted {
				st.Status, st.Reason = posture.PermissionMissing, sec.Reason
			}
		case snapshot.Failed, snapshot.Skipped, snapshot.NeedsUserToken, snapshot.LeftOut:
			if st.Status == posture.PermissionUntried && sec.Reason != "" {
				st.Reason = sec.Reason
			}
		}
	}
	return st
}

// dependents lists the checks and categories of every permission, and the blind
// checks of every category.
func dependents(checks []check.Check, permissionOf map[string]string, status map[string]posture.PermissionStatus,
	out *posture.PermissionReport) {
	by := map[posture.Category]*posture.CategoryPermission{}
	for _, c := range checks {
		cat := by[c.Category]
		if cat == nil {
			cat = &posture.CategoryPermission{Category: c.Category, Blind: []string{}, Missing: []string{}}
			by[c.Category] = cat
		}
		cat.Checks++
		for _, need := range c.Needs {
			permission := permissionOf[need.Source()]
			st, known := status[permission]
			if !known || !cloudflare.Grant(permission) {
				continue
			}
			st.CheckIDs, st.Categories = with(st.CheckIDs, c.ID), with(st.Categories, c.Category)
			status[permission] = st
			if st.Status == posture.PermissionMissing {
				cat.Blind, cat.Missing = with(cat.Blind, c.ID), with(cat.Missing, permission)
			}
		}
	}
	for _, c := range posture.Categories() {
		if by[c] != nil {
			out.Categories = append(out.Categories, *by[c])
		}
	}
}

// with adds a value to a sorted list without duplicates.
func with[T cmp.Ordered](list []T, v T) []T {
	i, found := slices.BinarySearch(list, v)
	if found {
		return list
	}
	return slices.Insert(list, i, v)
}
