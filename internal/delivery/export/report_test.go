package export

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/paper/papertest"
)

// TestReportIsGolden holds the page, which the browser tests open as well, and the text of the pages on paper; -update writes them anew.
func TestReportIsGolden(t *testing.T) {
	d := reportDocument(reportSmallFindings())
	d.References = map[string]string{"CFL-DNS-009": "https://developers.cloudflare.com/dns/proxy-status/"}
	d.History = reportHistory()
	for name, got := range map[string]string{"report.golden.html": reportPage(t, d),
		"report.golden.txt": strings.Join(papertest.Pages(t, reportPDF(t, d)), "\f\n")} {
		path := filepath.Join("testdata", name)
		if *Update {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), got, "run with -update when the change is meant")
	}
	first := reportPDF(t, d)
	require.Equal(t, first, reportPDF(t, d), "two reports of the same document differ")
}

func reportHistory() History {
	grade, now := "D", reportNow()
	h := History{Before: &drift.Drift{Baseline: drift.Ref{Score: 70, CompletedAt: now.Add(-24 * time.Hour)},
		Current: drift.Ref{Score: 74, CompletedAt: now}, ScoreDelta: new(4), Resolved: make([]drift.Difference, 3),
		New: []drift.Difference{{Title: "Names are tidy", Severity: posture.Low}, {Message: "The edge accepts TLS 1.0.",
			Severity: posture.High}}}}
	for i, score := range []int{61, 66, 65, 70, 74} {
		h.Points = append(h.Points, trend.Point{At: now.AddDate(0, 0, i-4), Score: score, Grade: &grade, Partial: i == 2})
	}
	return h
}

// reportFlat is the text of a page with single spaces, the style left out.
func reportFlat(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// TestReportSays holds what both forms of the report say and do not say.
func TestReportSays(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*Document)
		says   []string
		hides  []string
	}{
		{"as it is", func(*Document) {}, []string{demoNotice, "14 results could not be judged, and may be good or bad:",
			"1 result: The token lacks Zone: Zone WAF: Read", "The grade is held at D by 2 findings, whatever the score says.",
			"6 open findings, of them 2 critical and 1 high; the risk of 1 is accepted; 1 attack path.",
			"3 zones: shop.example, static.example, müller.example.",
			"93.4 % of them could be judged", "there may be paths that this report does not know",
			"Accepted risk: behind a maintenance page until March", "[U+202E]gnp.<script>alert(1)</script>", "There is no earlier run",
			"expires in 12 days", "1 change breaks 1 of 1 attack path.", "Critical, on 1 attack path: 2 resources in 1 zone.",
			"before the change of the firewall", "All 4 2 1 1 1"},
			[]string{"withheld", "part of the account only"}},
		{"complete", func(d *Document) { d.Assessment.Status, d.Assessment.Demo = posture.Completed, false }, nil,
			[]string{demoNotice, "does not know"}},
		{"all read", func(d *Document) {
			d.Assessment.Status, d.Assessment.Coverage = posture.Completed, posture.Coverage{Percent: 100, Evaluated: 9}
			d.Findings = reportListing(reportSmallFindings()[:3])
		}, []string{"Everything that was asked for could be read."}, []string{"token lacks", "could not be judged, and"}},
		{"no grade", func(d *Document) { d.Assessment.Score.Grade, d.Assessment.Score.Held = nil, "" },
			[]string{"The grade is withheld: too little could be judged. What could not be read counts as failed in the score."},
			[]string{"held at D"}},
		{"nothing judged", func(d *Document) { d.Assessment.Coverage, d.Assessment.Score = posture.Coverage{}, posture.Score{} },
			[]string{"nothing was judged"}, []string{"of 100 O"}},
		{"every risk is accepted", func(d *Document) {
			risk, fs := "0198c5b2", reportSmallFindings()
			for i := range fs {
				fs[i].Exception = &risk
			}
			d.Findings = reportListing(fs)
		}, []string{"The risk of every open finding is accepted."}, []string{"No check failed"}},
		{"the words of an issue are of the finding that it is named after", func(d *Document) {
			of := func(id, name string, result posture.Result) posture.Finding {
				return posture.Finding{ID: id, CheckID: "CFL-X", CheckTitle: "Names are taken", Title: name + " is free",
					Impact: "Someone takes " + name + ".", Result: result, Severity: posture.Critical}
			}
			d.Findings = reportListing([]posture.Finding{of("1", "a.example", posture.Warning), of("2", "b.example", posture.Fail)})
			d.Summary = true
		}, []string{"b.example is free, and 1 more resource", "Someone takes b.example."}, []string{"Someone takes a.example."}},
		{"one cause at several places", func(d *Document) {
			fs := make([]posture.Finding, 6)
			for i := range fs {
				fs[i] = posture.Finding{CheckID: fmt.Sprint("CFL-", i), Result: posture.Unknown,
					Reason: fmt.Sprintf("account/%d could not be read: Cloudflare refuses the token as a whole.", i)}
			}
			fs[4].Reason = "zone/rulesets could not be read: /v4/zones/z1/rulesets got no usable answer in 5 tries: Cloudflare answered 500 to " +
				"/v4/zones/z1/rulesets: internal error"
			fs[5].Reason, fs[5].Permission = `zone/x could not be read: … the token may lack "X Read", or the plan …`, "X Read"
			d.Findings, d.Summary = reportListing(fs), true
		}, []string{"4 results: Cloudflare refuses the token as a whole",
			"1 result: No usable answer in 5 tries: Cloudflare answered 500 to a read: internal error",
			"1 result: The token may lack X Read, or the plan does not include it"}, []string{"/rulesets", "account/0", "other reason"}},
		{"no path, all read", func(d *Document) { d.Assessment.Status, d.Paths = posture.Completed, nil },
			[]string{"No attack path was found."},
			nil},
		{"no path, gaps", func(d *Document) { d.Paths = nil }, []string{"No attack path in what could be read. One may lie in the rest."}, nil},
		{"no finding", func(d *Document) { d.Findings = reportListing(nil) }, []string{"No check failed or warned."},
			[]string{"What an attacker"}},
		{"no compliance", func(d *Document) { d.Compliance = nil }, nil, []string{"Compliance"}},
		{"no score of a framework", func(d *Document) {
			d.Compliance = []compliance.Report{{Framework: compliance.Framework{ID: "x", Title: "X"}}}
		}, []string{"X none 0 0 0 0 0 0"}, nil},
		{"a token that could not be verified", func(d *Document) {
			d.Assessment.TokenInfo = posture.TokenInfo{Kind: "unknown", Status: "unknown", Error: "It was refused."}
		}, []string{"unknown, It was refused."}, []string{"no expiry"}},
		{"a token that ended", func(d *Document) { ago := -1; d.Assessment.TokenInfo.DaysLeft = &ago }, []string{", expired"}, nil},
		{"a token without end", func(d *Document) { d.Assessment.TokenInfo = posture.TokenInfo{Kind: "user", Status: "active"} },
			[]string{"active (user token), has no expiry"}, nil},
		{"no zone", func(d *Document) { d.Assessment.Zones = nil }, []string{"The run looked at no zone."}, nil},
		{"a part of the account", func(d *Document) {
			d.History.Points = []trend.Point{{AssessmentID: d.Assessment.ID, Partial: true}}
		}, []string{"This run looked at a part of the account only. It says nothing of the rest."}, nil},
		{"a history of what was not read", func(d *Document) {
			d.History = reportHistory()
			d.History.Before.New[0].Reason = "could not be read before"
		}, []string{"Of the new findings 1 may be older: the earlier run could not judge them."}, nil},
		{"a history", func(d *Document) { d.History = reportHistory() }, []string{"What changed since the run before", "New 2", "Resolved 3",
			"Score 70 on 2026-11-19 14:05 UTC, 74 on 2026-11-20 14:05 UTC (up by 4).", "The edge accepts TLS 1.0.", "A hollow run does not compare"},
			[]string{"no earlier run"}},
		{"the summary alone", func(d *Document) { d.Summary = true }, []string{"How it was measured", "The three worst things"},
			[]string{"Every check with its counts", "Contents"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := reportDocument(reportSmallFindings())
			row.change(&d)
			page, file := reportFlat(t, reportPage(t, d)), strings.ReplaceAll(papertest.Text(t, reportPDF(t, d)), " ", "")
			for _, s := range row.says {
				require.Contains(t, page, s)
				if !strings.HasPrefix(s, "All") && !strings.HasPrefix(s, "X none") && !strings.HasPrefix(s, "New") &&
					!strings.HasPrefix(s, "Resolved") {
					require.Contains(t, file, strings.ReplaceAll(s, " ", ""), "on paper") // there the columns come in another order
				}
			}
			for _, s := range row.hides {
				require.NotContains(t, page, s)
				require.NotContains(t, file, strings.ReplaceAll(s, " ", ""))
			}
		})
	}
}

// TestReportLinksLeadSomewhere: every link has its one place; the PDF refuses another by itself.
func TestReportLinksLeadSomewhere(t *testing.T) {
	root, err := html.Parse(strings.NewReader(reportPage(t, reportDocument(reportSmallFindings()))))
	require.NoError(t, err)
	ids, links := map[string]int{}, []string{}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				ids[a.Val]++
			case a.Key == "href" && n.Data == "a":
				links = append(links, strings.TrimPrefix(a.Val, "#"))
			}
		}
	}
	require.Greater(t, len(links), 10)
	for _, l := range links {
		require.Equal(t, 1, ids[l], "#%s", l)
	}
	for id, n := range ids {
		require.Equal(t, 1, n, "id %s is there more than once", id)
	}
}

// TestReportOfManyIssues: above the limit, what is of medium severity and below has a line, and every issue stays reachable.
func TestReportOfManyIssues(t *testing.T) {
	findings := reportSmallFindings()
	for n := range issuesInFull + 5 {
		check := "CFL-MANY-" + strings.Repeat("i", n+1)
		for r := range 60 {
			findings = append(findings, reportMade(check, "Names are tidy", "dns", posture.Medium, posture.Warning, 1000*n+r))
		}
	}
	page := reportFlat(t, reportPage(t, reportDocument(findings)))
	require.Contains(t, page, "The other issues")
	require.Contains(t, page,
		"60: host-0.shop.example, host-1.shop.example, host-2.shop.example, host-3.shop.example, host-4.shop.example and 55 more")
	few := reportDocument(append(reportSmallFindings(), findings[9:9+60]...))
	require.Contains(t, reportFlat(t, reportPage(t, few)),
		"60 resources: the worst 50 of them, and 10 more; the CSV and JSON exports have all")
	require.NotContains(t, reportFlat(t, reportPage(t, few)), "The other issues")
}

// TestReportSummaryIsShort: with everything it can hold and names without end, it has five pages at most.
func TestReportSummaryIsShort(t *testing.T) {
	d := reportPoisonedDocument(strings.Repeat("long-name.", 40), false)
	d.Summary, d.History = true, reportHistory()
	worst := drift.Difference{Message: strings.Repeat("long-name. ", 40), Severity: posture.Critical}
	d.History.Before.New = []drift.Difference{worst, worst, worst, worst}
	d.History.Week = d.History.Before
	require.LessOrEqual(t, len(papertest.Pages(t, reportPDF(t, d))), 5)
}

// TestReportCountsWhatTheAPICounts: the rows of checks add up to the summary of the assessment.
func TestReportCountsWhatTheAPICounts(t *testing.T) {
	findings := reportSmallFindings()
	d := reportDocument(findings)
	s := d.Assessment.Summary
	sums, rows := map[int]int{}, 0
	root, err := html.Parse(strings.NewReader(reportPage(t, d)))
	require.NoError(t, err)
	for tr := range root.Descendants() {
		if tr.Data != "tr" || !strings.HasPrefix(reportTexts(tr)[0], "CFL-") || len(reportTexts(tr)) != 7 {
			continue
		}
		rows++
		for i, cell := range reportTexts(tr)[2:] {
			n, err := strconv.Atoi(cell)
			require.NoError(t, err)
			sums[i] += n
		}
	}
	require.Equal(t, map[int]int{0: s.Fail, 1: s.Warning, 2: s.Unknown, 3: s.Pass, 4: s.NotApplicable}, sums)
	require.Len(t, d.Checks, rows)
}

// reportTexts are the texts of the cells of a row.
func reportTexts(tr *html.Node) []string {
	out := []string{}
	for cell := range tr.ChildNodes() {
		text := ""
		for n := range cell.Descendants() {
			if n.Type == html.TextNode {
				text += n.Data
			}
		}
		out = append(out, text)
	}
	return out
}

func TestReportFailsLoudly(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, f := range []Format{HTML(), PDF()} {
		d := reportDocument(reportSmallFindings())
		require.ErrorIs(t, f.Write(reportBroken{broken}, d), broken)
		d.Paths = func(yield func(posture.AttackPath, error) bool) { yield(posture.AttackPath{}, broken) }
		require.ErrorIs(t, f.Write(io.Discard, d), broken)
		d.Findings = nil
		require.ErrorContains(t, f.Write(io.Discard, d), "would pass for good news")
	}
}

type reportBroken struct{ err error }

func (b reportBroken) Write([]byte) (int, error) { return 0, b.err }

func TestReportWords(t *testing.T) {
	for in, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		require.Equal(t, want, count(in))
	}
	for in, want := range map[float64]string{0: "0 %", 99.96: "99.9 %", 100: "100 %", 28.57: "28.5 %", 0.04: "0 %"} {
		require.Equal(t, want, percent(in))
	}
	for in, want := range map[int64]string{-1: "unknown", 0: "0 ms", 999: "999 ms", 1400: "1 s", 59_499: "59 s", 59_500: "1 min 0 s",
		3_600_000: "1 h 0 min", 93_784_000: "26 h 3 min"} {
		require.Equal(t, want, lasted(in), in)
	}
	names := categoryNames()
	for _, c := range posture.Categories() {
		require.NotEmpty(t, names[c], c)
	}
	require.Len(t, names, len(posture.Categories()))
}
