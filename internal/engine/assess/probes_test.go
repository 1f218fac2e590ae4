package assess

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

// TestProbes: of the reads that prove one permission the plainest is made, with what it depends on.
func TestProbes(t *testing.T) {
	const one, two = "Zone: One Read", "Zone: Two Read"
	var always []snapshot.Source
	for _, name := range preflight() {
		always = append(always, snapshot.Source{Name: name, Permission: "none"})
	}
	chosen := func(sources ...snapshot.Source) (out []string) {
		first := 0
		for _, s := range probes(append(slices.Clone(always), sources...)) {
			if slices.Contains(preflight(), s.Name) {
				first++
			} else {
				out = append(out, s.Name)
			}
		}
		require.Len(t, preflight(), first, "what comes first is read in any case")
		return out
	}
	skip := func(*snapshot.Known, snapshot.SourceScope) string { return "" }
	list, before, plan := snapshot.Paging{Kind: snapshot.ByPage}, []string{"before"}, []string{"pro"}
	ladder := []snapshot.Source{
		{Name: "plain"},
		{Name: "of one plan", Plans: plan},
		{Name: "after another", After: before},
		{Name: "a list after another", After: before, Paging: list},
		{Name: "skipped at times", Skip: skip},
		{Name: "a list skipped at times", Skip: skip, Paging: list},
		{Name: "skipped, after another", Skip: skip, After: before},
		{Name: "skipped, after another, of one plan", Skip: skip, After: before, Plans: plan},
	}
	for i := range ladder {
		ladder[i].Permission = one
	}
	other := snapshot.Source{Name: "before", Permission: two}
	for i, s := range ladder {
		plainest := []string{"before", s.Name}
		require.Equal(t, plainest, chosen(append([]snapshot.Source{other}, ladder[i:]...)...))
		rest := slices.Clone(ladder[i:])
		slices.Reverse(rest)
		require.Equal(t, plainest, chosen(append([]snapshot.Source{other}, rest...)...))
	}
	require.Equal(t, []string{"plain"}, chosen(ladder[0], snapshot.Source{Name: "as plain", Permission: one}))
	require.Equal(t, []string{"list"}, chosen(snapshot.Source{Name: "item", Permission: one, Parent: "list"},
		snapshot.Source{Name: "list", Permission: one, Paging: list}))
	other.Skip = skip
	require.Equal(t, []string{"before", "after another", "plain"},
		chosen(other, ladder[2], snapshot.Source{Name: "plain", Permission: two}), "what another needs is read, too")

	all := snapshot.Sources()
	for _, s := range probes(all) {
		require.LessOrEqual(t, len(s.Singly), 1, s.Name)
	}
	require.True(t, slices.ContainsFunc(all, func(s snapshot.Source) bool { return len(s.Singly) > 1 }), "all of them are as they were")
	require.Less(t, len(probes(all)), len(all)/2)
}

// TestStatusOf: any answer but a refusal proves a permission, and no other read of it unproves it.
func TestStatusOf(t *testing.T) {
	source := snapshot.Source{Name: snapshot.ZoneDNSRecords.Source(), Permission: "Zone: DNS Read"}
	status := func(before posture.PermissionStatus, zoned bool, sections ...snapshot.Section) posture.PermissionStatus {
		t.Helper()
		for i := range sections {
			sections[i].Source = source.Name
			sections[i].Scope = string(rune('a' + i))
			if sections[i].Status == snapshot.OK {
				sections[i].Value = []byte("[]")
			}
		}
		snap, err := freeze(posture.AccountRef{ID: "x"}, simNow(), nil, sections)
		require.NoError(t, err)
		return statusOf(snap, source, before, zoned)
	}
	read := func(s snapshot.Status, reason string) snapshot.Section {
		return snapshot.Section{Status: s, Reason: reason}
	}
	none := posture.PermissionStatus{}
	untried := status(none, true)
	require.Equal(t, posture.PermissionStatus{Permission: source.Permission, Group: cloudflare.PermissionGroup(source.Permission),
		Status: posture.PermissionUntried, CheckIDs: []string{}, Categories: []posture.Category{},
		Reason: "nothing of this kind is there to try it on"}, untried)
	require.Equal(t, "the token sees no zone", status(none, false).Reason)
	require.Equal(t, untried.Group, status(untried, true).Group)

	ofAccount := source
	ofAccount.Permission = "Account: Account Settings Read"
	snap, err := freeze(posture.AccountRef{ID: "x"}, simNow(), nil, nil)
	require.NoError(t, err)
	require.Equal(t, "nothing of this kind is there to try it on", statusOf(snap, ofAccount, none, false).Reason)

	denied := read(snapshot.Denied, "403")
	for _, s := range []snapshot.Status{snapshot.OK, snapshot.Absent, snapshot.NotEntitled} {
		granted := status(none, true, read(s, "why"))
		require.Equal(t, posture.PermissionGranted, granted.Status, s)
		require.Empty(t, granted.Reason)
		require.Equal(t, posture.PermissionGranted, status(granted, true, denied).Status, "one zone may be out of its reach")
		require.Equal(t, posture.PermissionGranted, status(none, true, denied, read(s, "")).Status)
		require.Empty(t, status(granted, true, read(snapshot.Failed, "no answer")).Reason)
	}
	missing := status(none, true, denied)
	require.Equal(t, []any{posture.PermissionMissing, "403"}, []any{missing.Status, missing.Reason})
	require.Equal(t, "403", status(missing, true, read(snapshot.Failed, "no answer")).Reason)
	for _, s := range []snapshot.Status{snapshot.Failed, snapshot.Skipped, snapshot.NeedsUserToken, snapshot.LeftOut} {
		got := status(none, true, read(s, "no answer"))
		require.Equal(t, []any{posture.PermissionUntried, "no answer"}, []any{got.Status, got.Reason}, s)
	}
	require.Equal(t, untried.Reason, status(none, true, read(snapshot.Failed, "")).Reason)
}

// TestNameOfAnAccount: Cloudflare's name goes before the one that the account was registered with.
func TestNameOfAnAccount(t *testing.T) {
	list := snapshot.Section{Source: snapshot.AccountList.Source(), Scope: "b", Status: snapshot.OK,
		Value: []byte(`[{"id":"a","name":"First"},{"id":"b","name":"Second"}]`)}
	ref := posture.AccountRef{ID: "b", Name: "ours"}
	other := list
	other.Scope = "a"
	zones := snapshot.Section{Source: snapshot.ZoneList.Source(), Scope: "b", Status: snapshot.OK, Value: []byte("[]")}
	require.Equal(t, "Second", name(ref, []snapshot.Section{other, zones, list}))
	require.Equal(t, "Second", name(ref, []snapshot.Section{list, other}))
	require.Equal(t, "ours", name(ref, []snapshot.Section{other, zones}))
	ref.ID = "c"
	list.Scope = "c"
	require.Equal(t, "ours", name(ref, []snapshot.Section{list}), "the token sees others only")
}

// TestTokenOfTheOtherKind: what verifies a user's token is not missed where an account owns it.
func TestTokenOfTheOtherKind(t *testing.T) {
	user := snapshot.Section{Source: snapshot.UserTokenVerify.Source(), Status: snapshot.Denied}
	account := snapshot.Section{Source: snapshot.AccountTokenVerify.Source(), Scope: "a", Status: snapshot.OK}
	got := otherKindSkipped([]snapshot.Section{user, account})
	require.Equal(t, []snapshot.Status{snapshot.Skipped, snapshot.OK}, []snapshot.Status{got[0].Status, got[1].Status})
	account.Status = snapshot.Denied
	got = otherKindSkipped([]snapshot.Section{user, account})
	require.Equal(t, []snapshot.Section{user, account}, got)
}
