// Package insight holds the checks of issues that the provider itself reports.
package insight

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// The severities of the provider; there are no others.
const (
	severityCritical = "Critical"
	severityModerate = "Moderate"
	severityLow      = "Low"
)

// exposed divides the issues between checks: CFL-ASM-001 counts those it matches, the checks by
// kind count the rest. It matches whole words, because "wordpress" contains the letters of one.
func exposed(i snapshot.Insight) bool {
	return dangling(i) || names(i, "rdp") || names(i, "remote_desktop")
}

func dangling(i snapshot.Insight) bool { return names(i, "dangling") }

// names reports whether the class of an insight has the words in it.
func names(i snapshot.Insight, words string) bool {
	class := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(i.Class))
	return strings.Contains("_"+class+"_", "_"+words+"_")
}

// issues returns the issues of a list that meet every condition.
func issues(all []snapshot.Insight, conditions ...func(snapshot.Insight) bool) []snapshot.Insight {
	var out []snapshot.Insight
	for _, i := range all {
		if !slices.ContainsFunc(conditions, func(meets func(snapshot.Insight) bool) bool { return !meets(i) }) {
			out = append(out, i)
		}
	}
	return out
}

func not(is func(snapshot.Insight) bool) func(snapshot.Insight) bool {
	return func(i snapshot.Insight) bool { return !is(i) }
}

func severity(s ...string) func(snapshot.Insight) bool {
	return func(i snapshot.Insight) bool { return slices.Contains(s, i.Severity) }
}

// odd selects severities that are none of the provider's, or that it did not return.
func odd(i snapshot.Insight) bool {
	return !severity(severityCritical, severityModerate, severityLow)(i)
}

func kind(t string) func(snapshot.Insight) bool {
	return func(i snapshot.Insight) bool { return strings.EqualFold(i.Type, t) }
}

// openFor selects issues that have been open for more than the given number of days.
func openFor(v *check.View, days int) func(snapshot.Insight) bool {
	return func(i snapshot.Insight) bool {
		return !i.Since.IsZero() && v.Now().Sub(i.Since.Time) > time.Duration(days)*24*time.Hour
	}
}

func undated(i snapshot.Insight) bool { return i.Since.IsZero() }

// place is a zone, or the account, with its issues.
type place struct {
	resource posture.Resource
	issues   []snapshot.Insight
}

// byZone groups issues by zone: those of the account first, then the zones by name. Issues of a
// zone that is not in the list of zones count for the account; those of a zone outside of the run are
// left out.
func byZone(v *check.View, all []snapshot.Insight) []place {
	zones := slices.SortedFunc(slices.Values(v.EveryZone()), func(a, b snapshot.Zone) int { return strings.Compare(a.Name, b.Name) })
	listed, of := check.Read(v, snapshot.ZoneList), map[string][]snapshot.Insight{}
	for _, i := range all {
		if !slices.ContainsFunc(listed, func(z snapshot.Zone) bool { return z.ID == i.ZoneID }) {
			i.ZoneID = ""
		}
		of[i.ZoneID] = append(of[i.ZoneID], i)
	}
	var out []place
	if of[""] != nil {
		out = append(out, place{v.Resource(), of[""]})
	}
	for _, z := range zones {
		if of[z.ID] != nil {
			out = append(out, place{posture.Resource{Type: posture.ResourceZone, ID: z.ID, Name: z.Name, ZoneID: z.ID, Zone: z.Name}, of[z.ID]})
		}
	}
	return out
}

// told describes issues for people, the first five by name.
func reported(is []snapshot.Insight) string {
	var out []string
	for n, i := range is {
		if n == 5 {
			out = append(out, fmt.Sprintf("%d more", len(is)-n))
			break
		}
		out = append(out, i.Class+" on "+i.Subject)
	}
	return strings.Join(out, ", ")
}

// rows returns the evidence for issues, at most twenty.
func rows(is []snapshot.Insight, expected string) []posture.Evidence {
	var out []posture.Evidence
	for _, i := range is[:min(len(is), 20)] {
		out = append(out, check.Evidence(snapshot.AccountInsights, "/"+i.ID, fmt.Sprintf("%s, %s, severity %s, status %s", i.Subject, i.Class,
			i.Severity, i.Status), expected))
	}
	return out
}

// add is an example edit that adds a two-day-old open issue with the given change.
func add(change func(*snapshot.Insight)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccountInsights, goodtest.Account, func(is *[]snapshot.Insight) {
			i := snapshot.Insight{ID: fmt.Sprintf("x%d", len(*is)), Type: "some_type", Class: "some_class", Severity: severityModerate,
				Since: daysAgo(2), Status: "active", Subject: goodtest.Domain}
			change(&i)
			*is = append(*is, i)
		})
	}
}

func daysAgo(n int) snapshot.Time { return snapshot.At(goodtest.Now().AddDate(0, 0, -n)) }

// notEntitled is an example edit: the account is not entitled to the endpoint.
func notEntitled(b *snapshot.Builder) {
	b.Mark(snapshot.AccountInsights.Source(), snapshot.NotEntitled, "", "")
}

// references of the provider's pages on insights.
func references() []string {
	return []string{"https://developers.cloudflare.com/security-center/security-insights/",
		"https://developers.cloudflare.com/security-center/security-insights/review-insights/"}
}
