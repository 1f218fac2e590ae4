package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

const shownOfActivity = 10

// describeFinding prints one finding for a person: what is wrong, why that matters and how to close it.
func describeFinding(w io.Writer, raw json.RawMessage) error {
	var f posture.Finding
	if err := json.Unmarshal(raw, &f); err != nil {
		return fmt.Errorf("read the finding: %w", err)
	}
	line(w, "%s", f.Title)
	labelled(w, "severity", string(f.Severity))
	labelled(w, "result", string(f.Result))
	labelled(w, "status", string(f.Status))
	labelled(w, "check", f.CheckID)
	labelled(w, "resource", f.Resource.Name)
	labelled(w, "zone", f.Resource.Zone)
	labelled(w, "first seen", instant(f.FirstSeen))
	labelled(w, "last seen", instant(f.LastSeen))
	labelled(w, "accepted", f.Accepted())
	labelled(w, "found", f.Message)
	labelled(w, "reason", f.Reason)
	labelled(w, "permission", f.Permission)
	describeFix(w, f)
	for i, e := range f.Evidence {
		if i == 0 {
			line(w, "evidence:")
		}
		below(w, "  ", fmt.Sprintf("%s %s: %s, expected %s", e.Source, e.Pointer, e.Observed, e.Expected))
	}
	labelled(w, "attack paths", strings.Join(f.AttackPathIDs, ", "))
	labelled(w, "id", f.ID)
	return nil
}

// describeIssue prints one issue: what is wrong, how to close it, what it hits and where the work stands.
func describeIssue(w io.Writer, raw json.RawMessage) error {
	var one struct {
		issue.Issue
		Tickets  []issue.Ticket    `json:"tickets"`
		Findings []posture.Finding `json:"findings"`
		Activity []struct {
			At                    time.Time
			Actor, Kind, To, Text string
		} `json:"activity"`
	}
	if err := json.Unmarshal(raw, &one); err != nil {
		return fmt.Errorf("read the issue: %w", err)
	}
	line(w, "%s", one.Title)
	labelled(w, "rank", fmt.Sprintf("%d (%s)", one.Rank, one.Reason))
	labelled(w, "severity", string(one.Severity))
	labelled(w, "state", string(one.State))
	labelled(w, "owner", one.Owner)
	labelled(w, "assignee", one.Assignee)
	if one.Overdue {
		one.Due += " (overdue)"
	}
	labelled(w, "due", one.Due)
	for _, t := range one.Tickets {
		labelled(w, "ticket", t.URL)
	}
	labelled(w, "check", one.CheckID)
	labelled(w, "effort", string(one.Effort))
	if len(one.Findings) > 0 {
		describeFix(w, one.Findings[0])
		line(w, "resources: %d", one.Resources)
		rows := [][]string{{"RESULT", "RESOURCE", "ZONE", "FINDING"}}
		for _, f := range one.Findings {
			rows = append(rows, []string{string(f.Result), f.Resource.Name, f.Resource.Zone, f.ID})
		}
		table(w, rows)
	}
	for i, e := range one.Activity[:min(len(one.Activity), shownOfActivity)] {
		if i == 0 {
			line(w, "activity:")
		}
		below(w, "  ", fmt.Sprintf("%s %s: %s %s", instant(e.At), e.Actor, e.Kind, cmp.Or(e.Text, e.To, "none")))
	}
	labelled(w, "id", one.ID)
	return nil
}

// describeFix prints why a finding matters and the ways to close it, with what is to be copied as it stands.
func describeFix(w io.Writer, f posture.Finding) {
	labelled(w, "why", f.Why)
	labelled(w, "impact", f.Impact)
	labelled(w, "may break", f.Breaks)
	labelled(w, "fix", f.Fix)
	for _, s := range f.Steps {
		below(w, "  ", string(s.Where)+": "+s.Text)
		for code := range strings.Lines(s.Code) {
			below(w, "    ", strings.TrimSuffix(code, "\n"))
		}
	}
}

// labelled prints a value with its name, unless it is empty.
func labelled(w io.Writer, name, value string) {
	if value != "" {
		line(w, "%s: %s", name, value)
	}
}

// below prints a line as it stands, indented.
func below(w io.Writer, indent, text string) { _, _ = fmt.Fprintln(w, indent+clean(text)) }
