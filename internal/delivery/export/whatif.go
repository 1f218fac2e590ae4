package export

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/assessment/whatif"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// WriteWhatIf writes the consequences of planned changes as a comment for a pull request: what they
// open first, with the change behind each finding, then what they close, and what is not known.
func WriteWhatIf(w io.Writer, e whatif.WhatIf) error {
	s := newSink(w)
	opened := slices.Concat(e.Findings.Appear, e.Findings.Worsen)
	s.text("### Edgeposture: ", english.Plural(len(e.Applied), "change", ""), ", ", fmt.Sprint(len(opened)), " opened, ",
		fmt.Sprint(len(e.Findings.Resolve)), " closed\n\nScore ", fmt.Sprint(e.Score.Before.Value), " now, ", fmt.Sprint(e.Score.After.Value),
		" after.\n")
	if len(opened) > 0 {
		s.text("\n**These changes open**\n", table("Severity", "Finding", "On", "By", "Check"))
		for _, d := range opened[:min(len(opened), driftRows)] {
			s.text(row(string(d.Severity), prose(d.Message), prose(orElse(d.Resource.Name, d.Resource.ID)), code(causeOf(e, d)), code(d.CheckID)))
		}
		more(s, len(opened))
	}
	pathList(s, "New attack paths", e.Paths.Appear, pathName)
	driftTable(s, "They close", e.Findings.Resolve)
	driftTable(s, "They improve", e.Findings.Improve)
	pathList(s, "Attack paths that they break", e.Paths.Break, pathName)
	if n := len(e.Undecided); n > 0 {
		s.text("\n**Not known**\n\n")
		for _, u := range e.Undecided[:min(n, driftRows)] {
			s.text("- ", prose(u.What+": "+u.Why), "\n")
		}
		more(s, n)
	}
	if n := len(e.NotJudged); n > 0 {
		s.text("\n**Not judged**\n\n")
		for _, r := range e.NotJudged[:min(n, driftRows)] {
			s.text("- ", code(r.Address), ": ", prose(r.Why), "\n")
		}
		more(s, n)
	}
	return s.done("what-if")
}

// causeOf names the change behind a finding: the address of its resource in Terraform, or the API call.
func causeOf(e whatif.WhatIf, d drift.Difference) string {
	of := e.Causes[d.ID]
	if len(of) == 0 {
		return ""
	}
	c := e.Applied[of[0]].Change
	name := orElse(c.Address, c.Method+" "+c.Path)
	if len(of) > 1 {
		name += fmt.Sprintf(" and %d more", len(of)-1)
	}
	return name
}

// Declared is where a Terraform resource is declared; Line counts from 1.
type Declared struct {
	File string
	Line int
}

// WriteWhatIfSARIF writes what planned changes open as SARIF 2.1.0. declared returns where the resource
// with an address is declared.
func WriteWhatIfSARIF(w io.Writer, e whatif.WhatIf, declared func(address string) Declared) error {
	s := newSink(w)
	opened := slices.Concat(e.Findings.Appear, e.Findings.Worsen)
	opened = opened[:min(len(opened), githubLimits().results)]
	var rules []any
	index := map[string]int{}
	results := []any{}
	for _, d := range opened {
		if _, known := index[d.CheckID]; !known {
			index[d.CheckID] = len(rules)
			rules = append(rules, map[string]any{"id": d.CheckID, "shortDescription": map[string]any{"text": visible(d.Title)},
				"properties": map[string]any{"security-severity": securitySeverity(d.Severity), "tags": []any{"security"}}})
		}
		address := ""
		if of := e.Causes[d.ID]; len(of) > 0 {
			address = e.Applied[of[0]].Change.Address
		}
		at := declared(address)
		kind, level := verdict(posture.Finding{Result: d.After, Severity: d.Severity})
		result := map[string]any{"ruleId": d.CheckID, "ruleIndex": index[d.CheckID], "kind": kind, "level": level, "message": message(d.Message),
			"locations": []any{map[string]any{
				"physicalLocation": map[string]any{"artifactLocation": map[string]any{"uri": at.File}, "region": map[string]any{"startLine": at.Line}},
				"logicalLocations": []any{map[string]any{"name": orElse(d.Resource.Name, d.Resource.ID), "kind": "resource",
					"fullyQualifiedName": orElse(address, strings.Trim(d.Resource.ZoneID+"/"+d.Resource.ID, "/"))}}}},
			"partialFingerprints": map[string]any{"primaryLocationLineHash": d.ID + ":1"}}
		if d.Exception != "" {
			result["suppressions"] = []any{map[string]any{"kind": "external", "status": "accepted"}}
		}
		results = append(results, result)
	}
	s.json(map[string]any{"$schema": sarifSchema, "version": "2.1.0", "runs": []any{map[string]any{
		"tool":              map[string]any{"driver": map[string]any{"name": product, "rules": orEmpty(rules)}},
		"automationDetails": map[string]any{"id": "edgeposture/what-if/" + e.AssessmentID}, "columnKind": "utf16CodeUnits", "results": results}}})
	s.text("\n")
	return s.done("SARIF")
}
