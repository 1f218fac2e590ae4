package issue_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func decided(d issue.Decisions, findings ...posture.Finding) []issue.Issue {
	return d.Over(of(findings...))
}

func anyDecisions(r *rand.Rand, checks []string) map[string]issue.Decision {
	out := map[string]issue.Decision{}
	for _, c := range checks {
		out[issue.ID("acc", c)] = issue.Decision{State: issue.States()[r.IntN(5)], Owner: []string{"", "ann", "bob"}[r.IntN(3)],
			Assignee: []string{"", "ann"}[r.IntN(2)], Due: []string{"", "2026-01-19", "2026-01-20"}[r.IntN(3)]}
	}
	return out
}

func in(zone string) func(*posture.Finding) {
	return func(f *posture.Finding) { f.Resource.ZoneID, f.Resource.Zone = zone, zone }
}

func TestPeopleDecideWhatIsOpen(t *testing.T) {
	for _, c := range []struct {
		said, want issue.State
		accepted   bool
	}{
		{"", issue.Open, false}, {issue.Open, issue.Open, false}, {issue.Acknowledged, issue.Acknowledged, false},
		{issue.InProgress, issue.InProgress, false}, {issue.InProgress, issue.Accepted, true},
		{issue.Resolved, issue.Open, false}, // it came back
		{issue.Resolved, issue.Accepted, true},
	} {
		f := finding("A", 1, posture.High)
		if c.accepted {
			accepted(&f)
		}
		got := decided(issue.Decisions{Today: "2026-02-02", Of: map[string]issue.Decision{issue.ID("acc", "A"): {State: c.said, Owner: "ann",
			Assignee: "bob", Due: "2026-02-01"}}}, f)[0]
		require.Equal(t, c.want, got.State)
		require.Equal(t, []string{"ann", "bob", "2026-02-01"}, []string{got.Owner, got.Assignee, got.Due})
		require.Equal(t, []issue.By{issue.ByPerson, issue.ByPerson}, []issue.By{got.OwnerBy, got.DueBy})
		require.Equal(t, !c.accepted, got.Overdue)
	}
}

func TestRankIsOfFindingsOnly(t *testing.T) {
	all := []posture.Finding{finding("A", 1, posture.Critical), finding("B", 1, posture.High), finding("C", 1, posture.Low)}
	got := decided(issue.Decisions{Of: map[string]issue.Decision{issue.ID("acc", "A"): {State: issue.InProgress},
		issue.ID("acc", "B"): {State: issue.Acknowledged}}}, all...)
	for i, one := range of(all...) {
		require.Equal(t, one.CheckID, got[i].CheckID)
	}
}

func TestTheFirstRuleThatFitsGivesTheOwner(t *testing.T) {
	category, other := posture.Categories()[0], posture.Categories()[1]
	for name, c := range map[string]struct {
		rules []issue.Rule
		want  string
	}{
		"none":              {nil, ""},
		"any":               {[]issue.Rule{{Owner: "a"}, {Owner: "b"}}, "a"},
		"a zone":            {[]issue.Rule{{Owner: "a", Zone: "*.org"}, {Owner: "b", Zone: "SHOP.exampl?"}}, "b"},
		"a category":        {[]issue.Rule{{Owner: "a", Category: other}, {Owner: "b", Category: category}}, "b"},
		"an account":        {[]issue.Rule{{Owner: "a", Account: "x"}, {Owner: "b", Account: "acc"}}, "b"},
		"a label":           {[]issue.Rule{{Owner: "a", Label: "staging"}, {Owner: "b", Label: "production"}}, "b"},
		"a severity":        {[]issue.Rule{{Owner: "a", Severity: posture.Low}, {Owner: "b", Severity: posture.High}}, "b"},
		"all of it at once": {[]issue.Rule{{Owner: "a", Account: "acc", Zone: "no"}, {Owner: "b", Account: "acc", Severity: posture.High}}, "b"},
	} {
		got := decided(issue.Decisions{Ownership: issue.Ownership{Rules: c.rules},
			Labels: map[string][]string{"acc": {"shop", "production"}}}, finding("A", 1, posture.High, in("www.example"),
			func(f *posture.Finding) { f.Category = category }), finding("A", 2, posture.Low, in("shop.example"),
			func(f *posture.Finding) { f.Category = category }))[0]
		require.Equal(t, c.want, got.Owner, name)
		require.Equal(t, c.want != "", got.OwnerBy == issue.ByRule, name)
	}
}

func TestDueFollowsFromTheSeverity(t *testing.T) {
	sla := issue.DefaultOwnership().SLA
	for severity, want := range map[posture.Severity]string{posture.Critical: "2026-01-09", posture.High: "2026-02-01",
		posture.Medium: "2026-04-02", posture.Low: "2026-07-01", posture.Informational: ""} {
		require.Equal(t, want, sla.Due(severity, start.In(time.FixedZone("east", 3600))), severity)
	}
	for today, late := range map[string]bool{"2026-01-09": false, "2026-01-10": true} {
		f := finding("A", 0, posture.Critical)
		got := decided(issue.Decisions{Ownership: issue.DefaultOwnership(), Today: today}, f)[0]
		require.Equal(t, issue.ByRule, got.DueBy)
		require.Equal(t, late, got.Overdue)
	}
	sla.Critical = 0
	require.Empty(t, sla.Due(posture.Critical, start))
}

func TestAPartOfAnIssueIsNobodyElses(t *testing.T) {
	d := issue.Decisions{Ownership: issue.Ownership{Rules: []issue.Rule{{Owner: "shop", Zone: "shop"}, {Owner: "rest"}},
		SLA: issue.SLA{High: 1}}, Today: "2026-02-01", Of: map[string]issue.Decision{issue.ID("acc", "A"): {State: issue.Acknowledged}}}
	shop, rest := finding("A", 1, posture.High, in("shop")), finding("A", 2, posture.Low, in("rest"))
	hidden := finding("A", 3, posture.Low, accepted)
	whole := decided(d, shop, rest, hidden)
	for _, one := range []posture.Finding{rest, hidden} {
		part := issue.Share(of(one), whole)
		require.Equal(t, "shop", part[0].Owner)
		require.Equal(t, "2026-01-04", part[0].Due)
		require.Equal(t, one.Exception == nil, part[0].Overdue)
		require.Equal(t, one.Exception == nil, part[0].State == issue.Acknowledged)
	}
}
