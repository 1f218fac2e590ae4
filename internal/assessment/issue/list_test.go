package issue_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func some[T any](r *rand.Rand, all ...T) (out []T) {
	for _, v := range all {
		if r.IntN(3) == 0 {
			out = append(out, v)
		}
	}
	return out
}

// fits says in other words what a choice lets through.
func fits(i issue.Issue, c issue.Choice) bool {
	in := func(n int, is bool) bool { return n == 0 || is }
	return in(len(c.Severities), slices.Contains(c.Severities, i.Severity)) &&
		in(len(c.Categories), slices.Contains(c.Categories, i.Category)) &&
		in(len(c.Efforts), slices.Contains(c.Efforts, i.Effort)) && stands(i.State, c.States) &&
		in(len(c.Owners), slices.Contains(c.Owners, i.Owner) || i.Owner == "" && slices.Contains(c.Owners, "none")) &&
		in(len(c.Assignees), slices.Contains(c.Assignees, i.Assignee) || i.Assignee == "" && slices.Contains(c.Assignees, "none")) &&
		(!c.Overdue || i.Overdue) &&
		in(len(c.Checks), slices.Contains(c.Checks, i.CheckID)) && !i.FirstSeen.Before(c.Since) &&
		strings.Contains(strings.ToLower(i.Title+"\n"+i.CheckID), strings.ToLower(c.Text))
}

func stands(is issue.State, asked []issue.State) bool {
	switch is {
	case issue.Resolved:
		return slices.Contains(asked, is)
	case issue.Accepted:
		return len(asked) == 0 || slices.Contains(asked, is)
	default:
		return len(asked) == 0 || slices.Contains(asked, is) || slices.Contains(asked, issue.Open)
	}
}

func listed(all []issue.Issue, c issue.Choice) (out []issue.Issue) {
	chosen, _ := c.Of(all)
	for _, i := range chosen {
		out = append(out, *i)
	}
	return out
}

// TestChoice holds lists and their facets against what the fields of issues say.
func TestChoice(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	checks := []string{"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P"}
	for range 200 {
		var findings []posture.Finding
		for range 60 {
			f := finding(checks[r.IntN(len(checks))], r.IntN(9), posture.Severities()[r.IntN(5)], some(r, accepted, remediable, callable, warns,
				onPaths(fmt.Sprint("p", r.IntN(5))))...)
			f.Category = posture.Categories()[int(f.CheckID[0])%3]
			findings = append(findings, f)
		}
		all := decided(issue.Decisions{Of: anyDecisions(r, checks), Ownership: issue.DefaultOwnership(), Today: "2026-01-20"}, findings...)
		if r.IntN(2) == 0 {
			all = append(all, issue.Issue{ID: "gone", CheckID: "Z", State: issue.Resolved, Rank: len(all) + 1, Severity: posture.Low, Owner: "ann",
				Category: posture.Categories()[0], FirstSeen: start, Effort: issue.Work})
		}
		c := issue.Choice{Severities: some(r, posture.Severities()...), Categories: some(r, posture.Categories()[:3]...),
			Efforts: some(r, issue.Efforts()...), States: some(r, issue.States()...), Overdue: r.IntN(5) == 0,
			Owners: some(r, "ann", "bob", "none"), Assignees: some(r, "ann", "none"),
			Text: []string{"", "", "R1", "a is", "nothing"}[r.IntN(5)]}
		if r.IntN(3) == 0 {
			c.Since, c.Checks = start.AddDate(0, 0, r.IntN(3)), some(r, checks...)
		}
		want := slices.DeleteFunc(slices.Clone(all), func(i issue.Issue) bool { return !fits(i, c) })
		require.Equal(t, len(want) == 0, len(listed(all, c)) == 0)
		for order, compare := range map[issue.Order]func(a, b issue.Issue) int{
			"":                func(a, b issue.Issue) int { return cmp.Compare(a.Rank, b.Rank) },
			issue.ByRank:      func(a, b issue.Issue) int { return cmp.Compare(a.Rank, b.Rank) },
			issue.BySeverity:  func(a, b issue.Issue) int { return cmp.Compare(b.Severity.Rank(), a.Severity.Rank()) },
			issue.ByResources: func(a, b issue.Issue) int { return cmp.Compare(b.Resources, a.Resources) },
			issue.ByPaths:     func(a, b issue.Issue) int { return cmp.Compare(b.Paths, a.Paths) },
			issue.Newest:      func(a, b issue.Issue) int { return b.FirstSeen.Compare(a.FirstSeen) },
			issue.ByTitle:     func(a, b issue.Issue) int { return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) },
			issue.ByDue:       func(a, b issue.Issue) int { return strings.Compare(a.Due+"~", b.Due+"~") },
		} {
			c.Order = order
			slices.SortStableFunc(want, func(a, b issue.Issue) int { return cmp.Or(compare(a, b), cmp.Compare(a.Rank, b.Rank)) })
			require.ElementsMatch(t, want, listed(all, c))
			if len(want) > 0 {
				require.Equal(t, want, listed(all, c), order)
			}
		}
		_, facets := c.Of(all)
		for _, v := range posture.Severities() {
			one := c
			one.Severities = []posture.Severity{v}
			require.Len(t, listed(all, one), facets.Severity[v])
		}
		for _, v := range posture.Categories()[:3] {
			one := c
			one.Categories = []posture.Category{v}
			require.Len(t, listed(all, one), facets.Category[v])
		}
		for _, v := range issue.Efforts() {
			one := c
			one.Efforts = []issue.Effort{v}
			require.Len(t, listed(all, one), facets.Effort[v])
		}
		for _, v := range issue.States() {
			one := c
			one.States = []issue.State{v}
			require.Len(t, listed(all, one), facets.State[v])
		}
		for _, v := range []string{"ann", "bob", "none"} {
			one, another := c, c
			one.Owners, another.Assignees = []string{v}, []string{v}
			require.Len(t, listed(all, one), facets.Owner[v])
			require.Len(t, listed(all, another), facets.Assignee[v])
		}
	}
}
