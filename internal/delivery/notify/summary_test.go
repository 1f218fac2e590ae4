package notify_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
)

// of makes an input of findings and counts them the way an assessment does.
func of(findings ...posture.Finding) notify.Input {
	a := posture.AssessmentSummary{ID: "a1", Account: posture.AccountRef{ID: "acc"}}
	for _, f := range findings {
		switch f.Result {
		case posture.Fail:
			a.Summary.Fail++
		case posture.Warning:
			a.Summary.Warning++
		case posture.Unknown:
			a.Summary.Unknown++
		case posture.Pass, posture.NotApplicable:
		}
	}
	return notify.Input{Assessment: a, Findings: exporttest.Of(findings)()}
}

func finding(v posture.Severity, r posture.Result) posture.Finding {
	return posture.Finding{ID: "f-" + string(v) + string(r), CheckID: "CFL-X-001", Title: "T", Severity: v, Result: r,
		Status: posture.StatusOpen}
}

func TestThreshold(t *testing.T) {
	accepted, resolved, reopened := finding(posture.Critical, posture.Fail), finding(posture.Critical, posture.Fail),
		finding(posture.High, posture.Fail)
	note := "known"
	accepted.Exception, resolved.Status, reopened.Status = &note, posture.StatusResolved, posture.StatusReopened
	for name, c := range map[string]struct {
		findings []posture.Finding
		due      string // the thresholds that are reached
	}{
		"nothing":       {nil, ""},
		"critical":      {[]posture.Finding{finding(posture.Critical, posture.Fail)}, "critical high medium low informational info"},
		"high warning":  {[]posture.Finding{finding(posture.High, posture.Warning)}, "high medium low informational info"},
		"medium":        {[]posture.Finding{finding(posture.Medium, posture.Fail)}, "medium low informational info"},
		"low":           {[]posture.Finding{finding(posture.Low, posture.Fail)}, "low informational info"},
		"informational": {[]posture.Finding{finding(posture.Informational, posture.Warning)}, "informational info"},
		"worst counts": {[]posture.Finding{finding(posture.Low, posture.Fail), finding(posture.High, posture.Warning)},
			"high medium low informational info"},
		"passed":            {[]posture.Finding{finding(posture.Critical, posture.Pass)}, ""},
		"unknown":           {[]posture.Finding{finding(posture.Critical, posture.Unknown)}, ""},
		"not applicable":    {[]posture.Finding{finding(posture.Critical, posture.NotApplicable)}, ""},
		"accepted":          {[]posture.Finding{accepted}, ""},
		"accepted and open": {[]posture.Finding{accepted, finding(posture.Medium, posture.Fail)}, "medium low informational info"},
		"resolved":          {[]posture.Finding{resolved}, ""},
		"reopened":          {[]posture.Finding{reopened}, "high medium low informational info"},
	} {
		s := summary(t, of(c.findings...))
		for _, word := range []string{"critical", "high", "medium", "low", "informational", "info"} {
			threshold, err := notify.ParseThreshold(word)
			require.NoError(t, err)
			due := slices.Contains(strings.Fields(c.due), word)
			require.Equal(t, due, notify.Threshold(s, threshold), "%s at %s", name, word)
			require.Equal(t, due, notify.Threshold(s, posture.Severity(word)), "%s at the bare word %s", name, word)
		}
		require.True(t, notify.Threshold(s, ""), "%s: without a threshold a message is always due", name)
	}
	none, err := notify.ParseThreshold("")
	require.NoError(t, err)
	require.Empty(t, none)
	for _, word := range []string{"hgih", "Critical", " high", "none", "5"} {
		_, err := notify.ParseThreshold(word)
		require.ErrorContains(t, err, "critical, high, medium, low, informational", word)
	}
}

func TestSummaryRefusesAPart(t *testing.T) {
	whole := of(finding(posture.High, posture.Fail), finding(posture.Low, posture.Warning))
	short := whole
	short.Findings = exporttest.Of([]posture.Finding{finding(posture.High, posture.Fail)})()
	long := whole
	long.Assessment.Summary.Warning = 0
	broken := errors.New("the database went away")
	failing := whole
	failing.Findings = func(yield func(posture.Finding, error) bool) {
		_ = yield(finding(posture.High, posture.Fail), nil) && yield(posture.Finding{}, broken)
	}
	other := whole
	other.Drift = &drift.Drift{Current: drift.Ref{ID: "another"}}
	none := whole
	none.Findings = nil
	for name, c := range map[string]struct {
		in  notify.Input
		say string
	}{
		"too few":  {short, "counts 2 FAIL and WARNING findings, but 1 were given"},
		"too many": {long, "counts 1 FAIL and WARNING findings, but 2 were given"},
		"broken":   {failing, "read the findings"}, "drift of another": {other, "the changes are those of assessment another"},
		"no findings": {none, "no findings to read"},
	} {
		_, err := notify.New(c.in)
		require.ErrorContains(t, err, c.say, name)
	}
	_, err := notify.New(failing)
	require.ErrorIs(t, err, broken)
	require.Len(t, summary(t, whole).Findings, 2)
}

// TestSummaryNamesTheWorst gives the findings in many orders: the same are named
// in the same order, FAIL before WARNING and the greater risk first.
func TestSummaryNamesTheWorst(t *testing.T) {
	var findings []posture.Finding
	for i := range 40 {
		f := finding(posture.Severities()[i%5], posture.Results()[i%2])
		f.ID, f.Risk = fmt.Sprintf("f%02d", i), float64(i%3)
		findings = append(findings, f)
	}
	var want []string
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		rnd.Shuffle(len(findings), func(i, j int) { findings[i], findings[j] = findings[j], findings[i] })
		in := of(findings...)
		in.Top = 7
		var got []string
		for _, f := range summary(t, in).Findings {
			got = append(got, f.ID)
		}
		if want == nil {
			want = got
		}
		require.Equal(t, want, got)
	}
	require.Equal(t, []string{"f20", "f10", "f00", "f30", "f05", "f35", "f25"}, want)
	for top, n := range map[int]int{-1: 5, 0: 5, 1: 1, 10: 10, 99: 10} {
		in := of(findings...)
		in.Top = top
		require.Len(t, summary(t, in).Findings, n)
	}
}

func TestLink(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "https://posture.example": "https://posture.example", "http://127.0.0.1:8080/a?b=c#d": "http://127.0.0.1:8080/a?b=c#d",
		"HTTPS://posture.example/ä": "https://posture.example/%C3%A4",
		"https://[::1]:8443/":       "https://[::1]:8443/",
	} {
		got, err := notify.ParseLink(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got)
	}
	for _, in := range []string{
		"posture.example", "//posture.example", "/assessments", "javascript:alert(1)", "ftp://posture.example", "https://", "https://:443/",
		"https://user:canary@posture.example/", "https://user@posture.example",
		"https://posture.example/a b", "https://posture.example/\n", "https://posture.example/\u202e", " https://posture.example",
		"https://posture.example/%zz", "mailto:a@b.example", "data:text/html,x",
		"https://posture.example/" + strings.Repeat("a", 2000), "https://posture.example/" + strings.Repeat("ä", 400),
	} {
		_, err := notify.ParseLink(in)
		p := posture.AsProblem(err)
		require.Equal(t, posture.CodeInvalid, p.Code, in)
		require.Equal(t, "body.link", p.Errors[0].Location)
		require.NotContains(t, p.Detail, "canary")
		bad := of()
		bad.Link = in
		_, err = notify.New(bad)
		require.Error(t, err)
	}
}

func TestSweepGeneratedAssessmentsAreValidOnEveryChannel(t *testing.T) {
	demos, gaps := 0, 0
	for seed := range uint64(50) {
		in := input(exporttest.Document(seed))
		if seed%2 == 0 {
			in.Drift = changes(t, in)
		}
		in.Top = int(seed % 12)
		s := summary(t, in)
		for _, c := range notify.Channels() {
			body := build(t, c.Name, s)
			require.Equal(t, string(body), string(build(t, c.Name, summary(t, in))), "the same summary must give the same bytes")
			valid(t, c.Name, body)
			said := string(body)
			require.Equal(t, in.Assessment.Demo, strings.Contains(said, "No real account was read"), "%s says whether it is a demo", c.Name)
			if c.Name != "webhook" {
				require.Equal(t, in.Assessment.Summary.Unknown > 0 || len(in.Assessment.Coverage.MissingPermissions) > 0 ||
					in.Assessment.Coverage.Unknown > 0, strings.Contains(said, "Not everything could be read"))
				require.Equal(t, in.Drift == nil, strings.Contains(said, "There is no earlier assessment"))
			}
		}
		if in.Assessment.Demo {
			demos++
		}
		if in.Assessment.Summary.Unknown > 0 {
			gaps++
		}
	}
	require.Positive(t, demos)
	require.Positive(t, gaps)
}

// TestChangesOfARealComparison compares generated assessments and holds what is
// said against the comparison.
func TestChangesOfARealComparison(t *testing.T) {
	side := func(d export.Document) drift.Side {
		return drift.Side{Assessment: d.Assessment, Checks: d.Checks, Findings: d.Findings(), Paths: export.Listed(exporttest.Paths(&d))}
	}
	lists := 0
	for seed := range uint64(12) {
		before, after := exporttest.Document(seed), exporttest.Document(seed+1)
		d, err := drift.Compare(side(before), side(after), nil)
		require.NoError(t, err)
		in := input(after)
		in.Drift = &d
		s := summary(t, in)
		doc := readWebhook(t, build(t, "webhook", s))["changes"].(map[string]any)
		for key, n := range map[string]int{"new": len(d.New), "regressed": len(d.Regressed), "resolved": len(d.Resolved),
			"improved": len(d.Improved), "changed": len(d.Changed), "unknown": len(d.Unknown),
			"pathsAppeared": len(d.Paths.Appeared), "pathsDisappeared": len(d.Paths.Disappeared), "pathsUnknown": len(d.Paths.Unknown)} {
			require.EqualValues(t, n, doc[key], key)
			lists += n
		}
		if before.Assessment.Score.Grade == nil || after.Assessment.Score.Grade == nil {
			require.Nil(t, doc["scoreDelta"], "what could not be read counts as failed")
		} else {
			require.EqualValues(t, after.Assessment.Score.Value-before.Assessment.Score.Value, doc["scoreDelta"])
		}
		require.Len(t, doc["worst"], min(5, len(d.New)+len(d.Regressed)))
		line := fmt.Sprintf("%d new, %d regressed, %d resolved, %d improved, %d changed.", len(d.New), len(d.Regressed), len(d.Resolved),
			len(d.Improved), len(d.Changed))
		for _, name := range []string{"chat_a", "chat_b"} {
			body := build(t, name, s)
			valid(t, name, body)
			require.Contains(t, string(body), line)
			require.Equal(t, len(d.Unknown)+len(d.Paths.Unknown) > 0, strings.Contains(string(body), "Became unreadable:"))
		}
	}
	require.Greater(t, lists, 100, "the comparisons must have something to say")
}

// TestNothingIsCalledGoodThatWasNotRead looks at an assessment without any open
// finding because nothing could be read.
func TestNothingIsCalledGoodThatWasNotRead(t *testing.T) {
	in := of(finding(posture.Critical, posture.Unknown))
	in.Assessment.Status = posture.CompletedWithGaps
	in.Assessment.Coverage = posture.Coverage{Percent: 99.99, Evaluated: 9999, Unknown: 1,
		MissingPermissions: []posture.MissingPermission{{Permission: "Zone Read", CheckIDs: []string{"CFL-X-001"}}}}
	s := summary(t, in)
	for _, name := range []string{"chat_a", "chat_b"} {
		said := string(build(t, name, s))
		for _, want := range []string{"Not everything could be read.", "1 finding is UNKNOWN", "The token lacks 1 permission.", "Zone Read",
			"none open in what could be judged", "99.9 %"} {
			require.Contains(t, said, want, name)
		}
		require.NotContains(t, said, "100.0 %", "coverage is never rounded up")
	}
	d := readWebhook(t, build(t, "webhook", s))
	require.EqualValues(t, 1, d["results"].(map[string]any)["unknown"])
	require.Equal(t, "completed_with_gaps", d["status"])
}

// BenchmarkSummary reads 50,000 findings and makes all messages.
func BenchmarkSummary(b *testing.B) {
	d := exporttest.Large(50_000)
	findings := d.Findings(posture.Fail, posture.Warning)
	for b.Loop() {
		s := summary(b, notify.Input{Assessment: d.Assessment, Findings: findings})
		for _, c := range notify.Channels() {
			build(b, c.Name, s)
		}
	}
}
