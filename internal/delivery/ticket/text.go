package ticket

import (
	"cmp"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

// Shown is how many resources a ticket lists. With the other bounds, the text stays below the 32,767
// characters that Jira accepts in a description; GitHub accepts 65,536.
const Shown = 50

// Bounds of parts of a text, in bytes.
const (
	mostTitle = 240
	mostName  = 100
	mostText  = 800
	mostSeen  = 100
	mostCode  = 2500
)

// Text is the content of a ticket. Names and messages may be of foreign origin: the renderer makes them
// inert.
type Text struct {
	Title string
	Body  []Block
}

// Block is a part of a text. Head and Name are our own words.
type Block struct {
	Head string // a heading above it
	Name string // the label of the text
	Text string
	Code string // for copying
	List []Item
	Link string // an address of ours, with Name as the link text
}

// Item is a resource and what was seen at it.
type Item struct{ Name, Zone, Seen string }

// New describes an issue of a named account by its findings, the worst one first; link is the issue in the dashboard, ""
// when the dashboard's address is unknown.
func New(i issue.Issue, account string, findings []posture.Finding, link string) Text {
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
	fact("", "Account", account, "")
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

// short omits code that is too long for a ticket: half of it must not be copied.
func short(code string) string {
	if len(code) > mostCode {
		return "# too long for a ticket; Edgeposture shows it"
	}
	return code
}

// named is the label of a block; without a name it is a step in the dashboard.
func (b Block) named() string { return cmp.Or(b.Name, "In the dashboard") }

// note is the comment for a new state of the issue.
func note(to issue.State, closes bool) string {
	switch {
	case to != issue.Resolved:
		return "A run found the issue again."
	case closes:
		return "A run found nothing of the issue any more, so this ticket is closed."
	}
	return "A run found nothing of the issue any more."
}
