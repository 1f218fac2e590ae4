package export

import (
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// sarifLimits bounds one file. Source: GitHub's page on SARIF support for code scanning, which refuses
// larger files.
type sarifLimits struct {
	results int // per run
	runs    int // per file
}

func githubLimits() sarifLimits { return sarifLimits{results: 25_000, runs: 20} }

// sarifSchema is the address of OASIS's schema of version 2.1.0, errata 01.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarifTime is the format of times in SARIF (section 3.9).
const sarifTime = "2006-01-02T15:04:05.000Z"

// writeSARIF writes SARIF 2.1.0 for code scanning: FAIL, WARNING and UNKNOWN findings as results, their
// checks as rules. Results beyond 20 runs of 25,000 are left out, and the file says how many.
func writeSARIF(w io.Writer, d Document) error { return writeSARIFWithin(w, d, githubLimits()) }

func writeSARIFWithin(w io.Writer, d Document, limits sarifLimits) error {
	s := newSink(w)
	rules := gatherRules(s, d)
	kept := min(rules.results, limits.results*limits.runs)
	runs := max(1, (kept+limits.results-1)/limits.results)
	s.put(`{"$schema":`, sarifSchema)
	s.text(`,"version":"2.1.0","runs":[`)
	n := 0
	sarifRun(s, d, rules, runInfo{number: 1, last: runs == 1, dropped: rules.results - kept})
	s.each(d, detailed(), func(f posture.Finding) {
		if n == kept {
			return
		}
		if n > 0 && n%limits.results == 0 {
			number := n/limits.results + 1
			s.text("]},")
			sarifRun(s, d, rules, runInfo{number: number, last: number == runs, dropped: rules.results - kept})
		}
		s.put(comma(n%limits.results)+"\n", sarifResult(d, f, rules))
		n++
	})
	if s.err == nil && n != kept {
		s.err = fmt.Errorf("the findings changed while they were read: %d, then %d", kept, n)
	}
	s.text("]}]}\n")
	return s.done("SARIF")
}

// runInfo describes one run of the file.
type runInfo struct {
	number  int // from 1
	last    bool
	dropped int // results that no run contains
}

// sarifRun writes a run up to the first of its results. Its automation id ends in the assessment; the
// part before the last slash is the category by which GitHub tells runs apart: a narrowed run has its
// own, so that it does not close alerts it did not look at.
func sarifRun(s *sink, d Document, rules ruleSet, run runInfo) {
	a := d.Assessment
	driver := map[string]any{"name": product, "rules": rules.list}
	if d.Version != "" {
		driver["version"] = d.Version
	}
	category := "edgeposture/" + url.PathEscape(a.Account.ID)
	if key := a.Scope.Key(); key != "" {
		category += "/scope-" + key
	}
	details := map[string]any{"id": category + "/part-" + strconv.Itoa(run.number) + "/" + url.PathEscape(a.ID)}
	if all := notices(a); len(all) > 0 {
		details["description"] = message(strings.Join(all, " "))
	}
	s.put("\n"+`{"tool":`, map[string]any{"driver": driver})
	s.put(`,"automationDetails":`, details)
	s.put(`,"columnKind":"utf16CodeUnits","invocations":`, []any{sarifInvocation(d, run)})
	s.put(`,"properties":{"accountId":`, a.Account.ID)
	s.put(`,"accountName":`, a.Account.Name)
	s.put(`,"assessmentId":`, a.ID)
	if run.number == 1 {
		s.text(`,"attackPaths":`)
		array(s, "", d.paths())
	}
	s.put(`,"catalogueVersion":`, a.CatalogueVersion)
	s.put(`,"coveragePercent":`, a.Coverage.Percent)
	s.put(`,"grade":`, a.Score.Grade)
	if n := a.Score.Note(); n != "" {
		s.put(`,"gradeNote":`, n)
	}
	s.put(`,"score":`, a.Score.Value)
	s.put(`,"simulatedAccount":`, a.Demo)
	s.text(`},"results":[`)
}

// sarifInvocation has the times of the run and the notices for readers.
func sarifInvocation(d Document, run runInfo) map[string]any {
	a := d.Assessment
	notes := []any{}
	note := func(level, text string) {
		notes = append(notes, map[string]any{"level": level, "message": message(text)})
	}
	for _, notice := range notices(a) {
		note("note", notice)
	}
	if a.Summary.Unknown > 0 {
		note("warning", "Something could not be read: "+english.Plural(a.Summary.Unknown, "result of kind open is unknown.",
			"results of kind open are unknown."))
	}
	if run.last && run.dropped > 0 {
		note("error", fmt.Sprintf("%d results are left out: the file would exceed what code scanning accepts. The JSON export has all of them.",
			run.dropped))
	}
	return map[string]any{"executionSuccessful": true, "startTimeUtc": a.StartedAt.UTC().Format(sarifTime),
		"endTimeUtc": a.CompletedAt.UTC().Format(sarifTime), "toolExecutionNotifications": notes}
}

func sarifResult(d Document, f posture.Finding, rules ruleSet) map[string]any {
	kind, level := verdict(f)
	properties := map[string]any{"nodeId": f.NodeID, "attackPathIds": orEmpty(f.AttackPathIDs), "risk": f.Risk, "result": f.Result,
		"severity": f.Severity, "status": f.Status, "evidence": orEmpty(f.Evidence)}
	if f.Reason != "" {
		properties["reason"] = f.Reason
	}
	if f.Permission != "" {
		properties["permission"] = f.Permission
	}
	out := map[string]any{
		"ruleId": f.CheckID, "kind": kind, "level": level, "message": message(worded(d, headlined(f))),
		"locations": []any{map[string]any{
			"physicalLocation": map[string]any{"artifactLocation": map[string]any{"uri": artifact(f.Resource)},
				"region": map[string]any{"startLine": 1}},
			"logicalLocations": []any{map[string]any{"name": orElse(f.Resource.Name, f.Resource.ID), "kind": string(f.Resource.Type),
				"fullyQualifiedName": strings.Join([]string{d.Assessment.Account.ID, f.Resource.ZoneID, string(f.Resource.Type), f.Resource.ID}, "/")}},
		}},
		"partialFingerprints": map[string]any{"primaryLocationLineHash": f.ID + ":1"},
		"properties":          properties,
	}
	if i, ok := rules.index[f.CheckID]; ok {
		out["ruleIndex"] = i
	}
	if f.Exception != nil {
		out["suppressions"] = []any{map[string]any{"kind": "external", "status": "accepted", "justification": escapedMessage(f.Accepted())}}
	}
	return out
}

// verdict gives kind and level: what could not be judged is open, without a level.
func verdict(f posture.Finding) (kind, level string) {
	if f.Result == posture.Unknown {
		return "open", "none"
	}
	if f.Result == posture.Warning && f.Severity.Rank() > posture.Low.Rank() {
		return "fail", "warning"
	}
	if f.Result == posture.Warning {
		return "fail", "note"
	}
	return "fail", failLevel(f.Severity)
}

// failLevel is the level of a failed check with a severity.
func failLevel(v posture.Severity) string {
	switch {
	case v.Rank() >= posture.High.Rank():
		return "error"
	case v.Rank() >= posture.Low.Rank():
		return "warning"
	default:
		return "note"
	}
}

// accountFile stands for the account among the files of a report.
const accountFile = "account.json"

// artifact names a file that stands for the zone or the account. It is the same in every run, because
// code scanning identifies alerts by it. A name is one path segment.
func artifact(r posture.Resource) string {
	zone := orElse(r.Zone, r.ZoneID)
	if zone == "" && r.Type == posture.ResourceZone {
		zone = orElse(r.Name, r.ID)
	}
	if zone == "" {
		return accountFile
	}
	return "zones/" + url.PathEscape(zone) + ".json"
}

// message makes a SARIF message from literal text.
func message(s string) map[string]any { return map[string]any{"text": escapedMessage(s)} }

// escapedMessage escapes what has a meaning in SARIF messages: braces would be
// placeholders (3.11.5), square brackets could be links (3.11.6).
func escapedMessage(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "{", "{{", "}", "}}").Replace(visible(s))
}

// orEmpty replaces nil by an empty list, which is not null in JSON.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
