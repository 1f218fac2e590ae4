package export

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/paper"
)

func anchorOf(checkID string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(checkID) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			b.WriteRune(c)
		} else {
			b.WriteString("-" + strconv.FormatInt(int64(c), 16) + "-")
		}
	}
	return "c-" + strings.ReplaceAll(b.String(), "-2d-", "-")
}

// issueList is a table with one line per issue.
func (r *reading) issueList() []paper.Block {
	out := []paper.Block{title("issues", "Issues")}
	if len(r.issues) == 0 {
		return append(out, words("No check failed or warned."))
	}
	t := paper.Table{Name: "All issues", Dense: true,
		Caption: "In the order of what to do first: what somebody gets, then what is easy, then what hits much.",
		Columns: []paper.Column{{Head: "Rank", Share: 6, Number: true}, {Head: "Severity", Share: 11}, {Head: "Issue", Share: 53},
			{Head: "Effort", Share: 14}, {Head: "Resources", Share: 9, Number: true}, {Head: "Paths", Share: 7, Number: true}}}
	for _, one := range r.issues {
		effort := effortWord(one.Effort)
		if one.State == issue.Accepted {
			effort = "accepted"
		}
		t.Rows = append(t.Rows, paper.Row{paper.Quiet(count(one.Rank)), paper.Signed(signOf(one.Severity)),
			paper.Text{{Text: one.Worst(), To: anchorOf(one.CheckID)}}, paper.Plain(effort),
			paper.Plain(count(one.Resources)), paper.Plain(count(one.Paths))})
	}
	return append(out, words("An issue is a check with everything it hits. Its name says what is wrong at the worst place."), t)
}

// inFull reports whether an issue is written in full: critical and high ones always, the others if
// there are few issues.
func (r *reading) inFull(one issue.Issue) bool {
	return one.Severity.Rank() >= posture.High.Rank() || len(r.issues) <= issuesInFull
}

// issueParts are the issues with their resources.
func (r *reading) issueParts() []paper.Block {
	var out []paper.Block
	short := paper.Table{Name: "The other issues", Dense: true, Columns: []paper.Column{{Head: "Severity", Share: 11}, {Head: "Issue",
		Share: 31},
		{Head: "What to do", Share: 29}, {Head: "Resources", Share: 29}}}
	for _, one := range r.issues {
		c := r.byCheck[one.CheckID]
		if !r.inFull(one) {
			short.Rows = append(short.Rows, paper.Row{paper.Signed(signOf(one.Severity)),
				paper.Text{{Text: one.Worst(), ID: anchorOf(one.CheckID)}, {Text: " " + one.CheckID, Quiet: true}},
				paper.Plain(c.worst.Fix), paper.Plain(c.names(one))})
			continue
		}
		out = append(out, issueHeading(one, anchorOf(one.CheckID)),
			paper.Paragraph{Lead: true, Text: paper.Quiet(one.CheckID + ". " + one.Reason)}, r.advice(one, c))
		if one.Resources > 1 {
			out = append(out, c.table(one, min(mostHits, max(fewestHits, hitsInAll/len(r.issues)))))
		}
	}
	if len(short.Rows) > 0 {
		out = append(out, paper.Heading{Level: 3, ID: "lesser", Text: "The other issues"},
			words("Medium and below. The CSV export says of each resource what was seen."), short)
	}
	return out
}

func issueHeading(one issue.Issue, id string) paper.Heading {
	return paper.Heading{Level: 3, ID: id, Sign: signOf(one.Severity), Text: one.Title}
}

// wayOut is what an issue lets somebody do, and what ends that.
func wayOut(one issue.Issue, f posture.Finding) paper.Facts {
	return paper.Facts{{Name: "What an attacker gets", Text: paper.Plain(cmp.Or(f.Impact, f.Why))},
		{Name: "What to do", Text: paper.Plain(f.Fix)}, {Name: "Effort", Text: paper.Plain(effortWord(one.Effort))}}
}

// advice is the impact of an issue and how to close it.
func (r *reading) advice(one issue.Issue, c *seen) paper.Facts {
	f := c.worst
	var facts paper.Facts
	if one.Resources == 1 {
		h := c.hits[0]
		if !strings.Contains(h.message, called(h.resource)) {
			facts = paper.Facts{{Name: "Where", Text: h.name()}}
		}
		facts = append(facts, paper.Fact{Name: "What was seen", Text: h.said().Also(paper.Quiet(" Since " + h.since + "."))})
	}
	facts = append(facts, wayOut(one, f)...)
	where := paper.Plain(f.Step(posture.InDashboard).Text)
	if address := r.doc.References[one.CheckID]; address != "" {
		where = where.Also(paper.Text{{Text: " "}, {Text: "Cloudflare's documentation", Address: address}})
	}
	if strings.TrimSpace(where.String()) != "" {
		facts = append(facts, paper.Fact{Name: "In the dashboard", Text: where})
	}
	if f.Breaks != "" {
		facts = append(facts, paper.Fact{Name: "What it may break", Text: paper.Plain(f.Breaks)})
	}
	return facts
}

// names lists the first resources of an issue in one line.
func (c *seen) names(one issue.Issue) string {
	named := c.hits[:min(fewestHits, len(c.hits))]
	out := count(one.Resources) + ": " + joined(named, ", ", func(h hit) string { return called(h.resource) })
	if more := one.Resources - len(named); more > 0 {
		out += " and " + count(more) + " more"
	}
	return out
}

// table lists resources of an issue. A severity and result that all of them share get no column.
func (c *seen) table(one issue.Issue, most int) paper.Table {
	hits := c.hits[:min(most, len(c.hits))]
	mixed := false
	for _, h := range hits {
		mixed = mixed || h.severity != hits[0].severity || h.result != hits[0].result
	}
	t := paper.Table{Name: "Resources of " + one.CheckID, Folded: true, Dense: true, Caption: plural(one.Resources, "resource"),
		Columns: []paper.Column{{Head: "Resource", Share: 32}}}
	if mixed {
		t.Columns = append(t.Columns, paper.Column{Head: "Severity", Share: 12})
	}
	t.Columns = append(t.Columns, paper.Column{Head: "What was seen", Share: 56}, paper.Column{Head: "Since", Share: 12})
	if more := one.Resources - len(hits); more > 0 {
		t.Caption += ": the worst " + count(len(hits)) + " of them, and " + count(more) + " more; the CSV and JSON exports have all"
	}
	for _, h := range hits {
		row := paper.Row{h.name()}
		if mixed {
			sign := paper.Signed(signOf(h.severity))
			if h.result == posture.Warning {
				sign = sign.Also(paper.Quiet("\nwarning"))
			}
			row = append(row, sign)
		}
		t.Rows = append(t.Rows, append(row, h.said(), paper.Plain(h.since)))
	}
	return t
}

// said is what was seen, and why its risk is accepted.
func (h hit) said() paper.Text {
	t := paper.Plain(h.message)
	if h.accepted != "" {
		t = t.Also(paper.Quiet(" " + h.accepted))
	}
	return t
}

func (h hit) name() paper.Text {
	t := paper.Plain(called(h.resource))
	if h.resource.Type == posture.ResourceZone || h.resource.Type == posture.ResourceAccount {
		return t
	}
	more := kindWord(string(h.resource.Type))
	if h.resource.Zone != "" && h.resource.Zone != h.resource.Name && !strings.HasSuffix(h.resource.Name, "."+h.resource.Zone) {
		more += " in " + h.resource.Zone
	}
	return t.Also(paper.Quiet(" " + more))
}

// covered says how many attack paths some changes break.
func (r *reading) covered(some []attackpath.ChokePoint) string {
	broken := 0
	for _, c := range some {
		broken += c.Paths
	}
	verb := "changes together break"
	if len(some) == 1 {
		verb = "change breaks"
	}
	return count(len(some)) + " " + verb + " " + count(broken) + " of " + plural(r.all, "attack path") + "."
}

func (r *reading) changes(some []attackpath.ChokePoint) paper.List {
	list := paper.List{Numbered: true}
	for i, c := range some {
		more := " Breaks " + count(c.Paths) + "."
		if i > 0 {
			more = " Breaks " + count(c.Paths) + " more."
		}
		if c.Remediable {
			more += " The service can do it."
		}
		list.Items = append(list.Items, paper.Bold(c.Change).Also(paper.Quiet(more)))
	}
	return list
}

// leastShown is how many changes of the smallest set are listed.
const leastShown = 15

// paths lists the attack paths, and the changes that break them.
func (r *reading) paths() []paper.Block {
	out := []paper.Block{title("paths", "Attack paths")}
	if r.all == 0 {
		return append(out, words(r.noPath()))
	}
	if r.doc.Assessment.Status == posture.CompletedWithGaps {
		out = append(out, words("Not everything could be read, so there may be paths that this report does not know."))
	}
	if least := r.cover[:min(leastShown, len(r.cover))]; len(least) > 0 {
		out = append(out, paper.Heading{Level: 3, Text: "The least set of changes"}, words(r.covered(least)), r.changes(least))
	}
	t := paper.Table{Name: "Attack paths", Dense: true, Columns: []paper.Column{{Head: "Severity", Share: 11}, {Head: "Path", Share: 45},
		{Head: "What breaks it", Share: 44}}}
	if more := r.all - len(r.ways); more > 0 {
		t.Caption = "The worst " + count(len(r.ways)) + ", and " + count(more) + " more; the JSON export has all of them"
	}
	for _, p := range r.ways {
		steps := joined(p.Nodes, " → ", func(id string) string { return nodeWord(id, r.nodes[id]) })
		breaks := joined(p.Breaks, "\n", func(b posture.Break) string { return b.Change })
		t.Rows = append(t.Rows, paper.Row{paper.Signed(signOf(p.Severity)),
			paper.Bold(p.Title).Also(paper.Quiet("\n" + steps)), paper.Plain(breaks)})
	}
	return append(out, paper.Heading{Level: 3, Text: "The paths"}, t)
}

// nodeWord is a node of a path with its kind. Without a label, its id is used, which begins with the
// kind.
func nodeWord(id string, n pathNode) string {
	kind, name, found := strings.Cut(id, ":")
	switch {
	case id == graph.Internet:
		return "internet"
	case n.Label != "":
		kind, name = n.Type, n.Label
	case !found:
		kind, name = "", id
	}
	return strings.TrimSpace(name + " (" + cmp.Or(kindWord(kind), "resource") + ")")
}
