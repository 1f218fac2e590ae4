package ticket

import (
	"cmp"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

// Shown is how many resources a ticket names. With the other bounds its text stays below 32,767 characters, which Jira takes of a
// description; GitHub takes 65,536.
const Shown = 50

// Bounds of parts of a text, in bytes.
const (
	mostTitle = 240
	mostName  = 100
	mostText  = 800
	mostSeen  = 100
	mostCode  = 2500
)

// Text is what a ticket says. Names and messages may be a stranger's: who renders it makes them inert.
type Text struct {
	Title string
	Body  []Block
}

// Block is a part of a text. What it is called is in our own words.
type Block struct {
	Head string // a heading above
	Name string // what the text is
	Text string
	Code string // to copy
	List []Item
	Link string // an address of ours, called Name
}

// Item is a resource and what was seen of it.
type Item struct{ Name, Zone, Seen string }

// New says what an issue is, by its findings, the worst one first; link is the issue in the dashboard, "" when nobody knows its address.
func New(i issue.Issue, findings []posture.Finding, link string) Text {
	t := Text{Title: posture.Clip(export.Visible(i.Title), mostTitle)}
	if link != "" {
		t.Body = append(t.Body, Block{Name: "Open it in Edgeposture", Link: link})
	}
	fact := func(head, name, text, code string) {
		if text != "" || code != "" {
			t.Body = append(t.Body, Block{Head: head, Name: name, Text: posture.Clip(text, mostText), Code: short(code)})
		}
	}
	fact("What", "Check", i.CheckID+", "+string(i.Severity), "")
	if len(findings) == 0 {
		fact("", "Reason", i.Reason, "")
		return t
	}
	f := findings[0]
	fact("", "What was seen", cmp.Or(f.Message, f.Reason), "")
	fact("", "Why it matters", f.Why, "")
	fact("", "Impact", f.Impact, "")
	fact("How to fix", "What to do", f.Fix, "")
	for _, s := range f.Steps {
		fact("", map[posture.Place]string{posture.ByAPI: "By API", posture.ByTerraform: "In Terraform"}[s.Where], s.Text, s.Code)
	}
	fact("", "What it may break", f.Breaks, "")
	hits := Block{Head: "What it hits: " + english.Plural(i.Resources, "resource", "")}
	for _, f := range findings[:min(len(findings), Shown)] {
		item := Item{Name: posture.Clip(cmp.Or(f.Resource.Name, f.Resource.ID), mostName),
			Seen: posture.Clip(cmp.Or(f.Message, f.Reason), mostSeen)}
		if f.Resource.Zone != f.Resource.Name {
			item.Zone = posture.Clip(f.Resource.Zone, mostName)
		}
		hits.List = append(hits.List, item)
	}
	t.Body = append(t.Body, hits)
	if more := i.Resources - len(hits.List); more > 0 {
		t.Body = append(t.Body, Block{Name: "More", Text: fmt.Sprintf("%s that Edgeposture lists.", english.Plural(more, "other", ""))})
	}
	return t
}

// short leaves out code that a ticket has no room for: a half of it must not be copied.
func short(code string) string {
	if len(code) > mostCode {
		return "# too long for a ticket; Edgeposture shows it"
	}
	return code
}

// named calls a step in the dashboard by its place.
func (b Block) named() string { return cmp.Or(b.Name, "In the dashboard") }

// note is what is said when an issue has got to a state.
func note(to issue.State, closes bool) string {
	switch {
	case to != issue.Resolved:
		return "A run found the issue again."
	case closes:
		return "A run found nothing of the issue any more, so this ticket is closed."
	}
	return "A run found nothing of the issue any more."
}
