package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func findingCases() []testCase {
	cases := []testCase{
		{"findings come back with every field, in report order", findingFields},
		{"findings of one check may differ in its texts", findingFaces},
		{"findings text comes back as it was", findingHostileText},
		{"findings are filtered by each field and by all, and counted the same", findingsFiltered},
		{"findings text search takes its words literally, in any case", findingsSearched},
		{"findings of many assessments are not mixed up", findingsOfMany},
		{"findings given to a caller are the caller's", findingsOwned},
	}
	for _, n := range listSizes() {
		cases = append(cases, testCase{fmt.Sprintf("findings in pages of 100 of %d while another report is saved", n),
			func(t *testing.T, s store.Store) { findingPages(t, s, n) }})
	}
	return cases
}

func findings(t testing.TB, s store.Store, id string, f store.FindingFilter) []posture.Finding {
	t.Helper()
	got, next, err := s.Findings(t.Context(), id, f, store.Page{})
	require.NoError(t, err)
	require.Empty(t, next)
	return got
}

func findingFields(t *testing.T, s store.Store) {
	want := saved(t, s, 2500, nil)
	require.Equal(t, want.Findings, findings(t, s, want.ID, store.FindingFilter{}))
}

func findingFaces(t *testing.T, s store.Store) {
	want := saved(t, s, 10, func(in *store.SaveAssessment) {
		all := in.Assessment.Findings
		for i := range all {
			f := &all[i]
			f.CheckID, f.CheckTitle, f.Why, f.Fix, f.Remediable = "one", "title", "why", "fix", true
			f.Words = checkWords(1)
			f.Category, f.Severity, f.Controls = "dns", posture.Severities()[i%2], posture.Controls{}
			if i == 3 {
				f.Controls = posture.Controls{CIS: []string{}}
			}
			*f = f.Worded()
		}
	})
	require.Equal(t, want.Findings, findings(t, s, want.ID, store.FindingFilter{}))
	require.Len(t, findings(t, s, want.ID, store.FindingFilter{Severities: []posture.Severity{posture.High}}), 5)
}

func findingHostileText(t *testing.T, s store.Store) {
	texts := append(hostileTexts(), "zero\x00byte")
	want := saved(t, s, len(texts), func(in *store.SaveAssessment) {
		for i, text := range texts {
			f := &in.Assessment.Findings[i]
			f.Message, f.Resource.Name, f.CheckTitle, f.Why, f.Fix, f.Reason = text, text, text, text, text, text
			f.Words = &posture.Words{Problem: text, Impact: text, Breaks: text, Dashboard: text, Terraform: text}
			*f = f.Worded()
			f.Evidence = []posture.Evidence{{Source: text, Pointer: text, Observed: text, Expected: text}}
		}
		in.Assessment.Note = texts[2]
	})
	require.Equal(t, want.Findings, findings(t, s, want.ID, store.FindingFilter{}))
	for _, text := range hostileTexts() {
		require.Len(t, findings(t, s, want.ID, store.FindingFilter{Text: text}), 1, "%q", text)
	}
}

// fits is a Go implementation of the finding filter, which the engines must agree with.
func fits(f posture.Finding, want store.FindingFilter) bool {
	in := func(n int, ok bool) bool { return n == 0 || ok }
	text := strings.ToLower(want.Text)
	found := slices.ContainsFunc([]string{f.Message, f.Resource.Name, f.CheckID}, func(s string) bool {
		return strings.Contains(strings.ToLower(s), text)
	})
	return in(len(want.Results), slices.Contains(want.Results, f.Result)) &&
		in(len(want.Severities), slices.Contains(want.Severities, f.Severity)) &&
		in(len(want.Categories), slices.Contains(want.Categories, f.Category)) &&
		in(len(want.Checks), slices.Contains(want.Checks, f.CheckID)) &&
		in(len(want.Zones), f.Resource.ZoneID != "" && (slices.Contains(want.Zones, f.Resource.ZoneID) ||
			slices.Contains(want.Zones, f.Resource.Zone))) &&
		in(len(want.Resources), slices.Contains(want.Resources, f.Resource.ID)) && found
}

func findingsFiltered(t *testing.T, s store.Store) {
	report := saved(t, s, 600, nil)
	require.Equal(t, outcomesOf(report.Findings), outcomes(t, s, report.ID))
	cases := []struct {
		name   string
		filter store.FindingFilter
		some   bool
	}{
		{"none", store.FindingFilter{}, true},
		{"result", store.FindingFilter{Results: []posture.Result{posture.Fail}}, true},
		{"results", store.FindingFilter{Results: []posture.Result{posture.Fail, posture.Unknown}}, true},
		{"severity", store.FindingFilter{Severities: []posture.Severity{posture.Critical}}, true},
		{"severities", store.FindingFilter{Severities: []posture.Severity{posture.Low, posture.High}}, true},
		{"category", store.FindingFilter{Categories: []posture.Category{"dns"}}, true},
		{"categories", store.FindingFilter{Categories: []posture.Category{"dns", "waf", "email"}}, true},
		{"check", store.FindingFilter{Checks: []string{"check-007"}}, true},
		{"checks", store.FindingFilter{Checks: []string{"check-007", "check-149", "no-such"}}, true},
		{"zone by id", store.FindingFilter{Zones: []string{"zone-03"}}, true},
		{"zone by name", store.FindingFilter{Zones: []string{"zone03.example"}}, true},
		{"zones by id and name", store.FindingFilter{Zones: []string{"zone-03", "zone04.example"}}, true},
		{"resource", store.FindingFilter{Resources: []string{"resource-000011"}}, true},
		{"resources", store.FindingFilter{Resources: []string{"resource-000011", "resource-000599", "none"}}, true},
		{"text in message", store.FindingFilter{Text: "record 12 ANSWERS"}, true},
		{"text in resource name", store.FindingFilter{Text: "Host-12"}, true},
		{"text in check id", store.FindingFilter{Text: "CHECK-01"}, true},
		{"result and severity", store.FindingFilter{Results: []posture.Result{posture.Fail}, Severities: []posture.Severity{posture.Critical}},
			true},
		{"category and zone", store.FindingFilter{Categories: []posture.Category{"ssl"}, Zones: []string{"zone-01", "zone-05"}}, true},
		{"all at once", store.FindingFilter{Results: []posture.Result{posture.Fail, posture.Warning},
			Severities: []posture.Severity{posture.Critical, posture.High}, Categories: []posture.Category{"dns", "ssl"},
			Checks: []string{"check-000", "check-001", "check-040", "check-041"},
			Zones:  []string{"zone-00", "zone01.example"}, Resources: []string{"resource-000000", "resource-000001", "resource-000341"},
			Text: "origin"}, true},
		{"empty zone word", store.FindingFilter{Zones: []string{""}}, false},
		{"unknown check", store.FindingFilter{Checks: []string{"no-such"}}, false},
		{"unknown zone", store.FindingFilter{Zones: []string{"no-such"}}, false},
		{"unknown result", store.FindingFilter{Results: []posture.Result{"OOPS' --"}}, false},
		{"text nowhere", store.FindingFilter{Text: "nowhere"}, false},
	}
	for _, c := range cases {
		want, counts := []posture.Finding{}, map[posture.Result]int{}
		for _, f := range report.Findings {
			if fits(f, c.filter) {
				want = append(want, f)
				counts[f.Result]++
			}
		}
		require.Equal(t, c.some, len(want) > 0, c.name)
		require.Equal(t, want, findings(t, s, report.ID, c.filter), c.name)
		paged := pages(t, 7, func(p store.Page) ([]posture.Finding, string, error) {
			return s.Findings(t.Context(), report.ID, c.filter, p)
		}, func() {})
		require.Equal(t, want, append([]posture.Finding{}, paged...), c.name)
		got, err := s.CountFindings(t.Context(), report.ID, c.filter)
		require.NoError(t, err, c.name)
		require.Equal(t, counts, got, c.name)
	}
}

// outcomes is what Outcomes yields, and outcomesOf what it has to.
func outcomes(t *testing.T, s store.Store, id string) []posture.Finding {
	t.Helper()
	out, err := store.Collect(s.Outcomes(t.Context(), id))
	require.NoError(t, err)
	return out
}

func outcomesOf(all []posture.Finding) []posture.Finding {
	out := make([]posture.Finding, len(all))
	for i, f := range all {
		out[i] = posture.Finding{ID: f.ID, CheckID: f.CheckID, Severity: f.Severity, Result: f.Result, Controls: f.Controls}
	}
	return out
}

func findingsSearched(t *testing.T, s store.Store) {
	messages := []string{"100% open", "100 percent", "a_b", "axb", `back\slash`, "it's", "ÄRGER im Netz", "Straße", "*", "ΣΊΣΥΦΟΣ", "q?"}
	report := saved(t, s, len(messages), func(in *store.SaveAssessment) {
		for i, m := range messages {
			in.Assessment.Findings[i].Message = m
			in.Assessment.Findings[i].Resource.Name = "n"
			in.Assessment.Findings[i] = in.Assessment.Findings[i].Worded()
		}
	})
	for text, want := range map[string][]string{"100%": {"100% open"}, "%": {"100% open"}, "_": {"a_b"}, "A_B": {"a_b"}, `\`: {`back\slash`},
		"IT'S": {"it's"}, "ärger": {"ÄRGER im Netz"}, "STRAßE": {"Straße"}, "*": {"*"}, "?": {"q?"}, "\x00": nil, "opennow": nil, "openn": nil} {
		var got []string
		for _, f := range findings(t, s, report.ID, store.FindingFilter{Text: text}) {
			got = append(got, f.Message)
		}
		require.Equal(t, want, got, "%q", text)
	}
}

func findingsOfMany(t *testing.T, s store.Store) {
	var reports []posture.Assessment
	for i := range 20 {
		reports = append(reports, saved(t, s, i, func(in *store.SaveAssessment) {
			for k := range in.Assessment.Findings {
				f := &in.Assessment.Findings[k]
				f.CheckTitle = fmt.Sprintf("report %d", i)
				*f = f.Worded()
			}
		}))
	}
	for range 2 {
		for _, r := range reports {
			require.Equal(t, r.Findings, findings(t, s, r.ID, store.FindingFilter{}))
		}
	}
}

func findingsOwned(t *testing.T, s store.Store) {
	report := saved(t, s, 3, nil)
	got := findings(t, s, report.ID, store.FindingFilter{})
	got[0].Controls.CIS[0] = "changed"
	require.Equal(t, report.Findings, findings(t, s, report.ID, store.FindingFilter{}))
}

func findingPages(t *testing.T, s store.Store, n int) {
	report := saved(t, s, n, nil)
	got := pages(t, 100, func(p store.Page) ([]posture.Finding, string, error) {
		return s.Findings(t.Context(), report.ID, store.FindingFilter{}, p)
	}, func() { saved(t, s, 5, nil) })
	require.Equal(t, report.Findings, append([]posture.Finding{}, got...))
}
