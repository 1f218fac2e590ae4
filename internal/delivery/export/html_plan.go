package export

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// htmlFindingBytes is about what the frame around the texts of one finding takes.
const htmlFindingBytes = 900

// htmlPlan is what the first pass learns: how many findings each category has
// and what is said about checks, paths and single findings elsewhere.
type htmlPlan struct {
	categories []*htmlGroup // by their worst finding
	listed     int          // FAIL, WARNING and UNKNOWN
	limit      int          // of these, above which the report is cut
	shown      int          // of these, written in full
	full       bool         // all of them are
	names      map[posture.Category]string
	titles     map[string]string
	judged     map[string]bool // checks with a tally
	paths      map[string]htmlLink
	mentioned  map[string]htmlMention // findings that attack paths name
	broken     error                  // of paths that were read while they were written
}

// htmlGroup is one category. Rest counts by check what is not written in full
// when the report is cut.
type htmlGroup struct {
	id           posture.Category
	results      map[posture.Result]int
	shown        int
	weight       int // bytes, about
	severe       int // findings of medium severity and above
	severeWeight int // their weight, in bytes
	rest         map[string]*htmlRest
	order        []string // of rest
}

type htmlRest struct {
	severity posture.Severity
	results  map[posture.Result]int
}

// htmlMention is a finding an attack path leads to.
type htmlMention struct {
	label    string
	severity posture.Severity
	found    bool
}

func htmlListed() []posture.Result {
	return []posture.Result{posture.Fail, posture.Warning, posture.Unknown}
}

// htmlSevere tells what a cut report still writes in full.
func htmlSevere(s posture.Severity) bool { return s.Rank() >= posture.Medium.Rank() }

func newHTMLPlan(d Document, limit int) (*htmlPlan, error) {
	p := &htmlPlan{names: htmlCategoryNames(), titles: map[string]string{}, judged: map[string]bool{}, paths: map[string]htmlLink{},
		mentioned: map[string]htmlMention{}}
	for _, c := range d.Checks {
		p.judged[c.CheckID] = true
	}
	titles := map[string]string{} // thousands of paths share one
	for path, err := range d.paths() {
		if err != nil {
			return nil, fmt.Errorf("read attack paths for the HTML export: %w", err)
		}
		if titles[path.Title] == "" {
			titles[path.Title] = htmlText(path.Title)
		}
		p.paths[path.ID] = htmlLink{Anchor: htmlDigest(path.ID), Text: titles[path.Title]}
		for _, id := range path.FindingIDs {
			p.mentioned[id] = htmlMention{}
		}
	}
	groups := map[posture.Category]*htmlGroup{}
	for f, err := range d.Findings(htmlListed()...) {
		if err != nil {
			return nil, fmt.Errorf("read findings for the HTML export: %w", err)
		}
		g := groups[f.Category]
		if g == nil {
			g = &htmlGroup{id: f.Category, results: map[posture.Result]int{}, rest: map[string]*htmlRest{}}
			groups[f.Category] = g
			p.categories = append(p.categories, g)
		}
		g.count(f)
		p.note(f)
	}
	p.cut(limit)
	return p, p.passedTitles(d)
}

func (p *htmlPlan) note(f posture.Finding) {
	p.listed++
	if _, known := p.titles[f.CheckID]; !known {
		p.titles[f.CheckID] = f.Title
	}
	if _, named := p.mentioned[f.ID]; named {
		p.mentioned[f.ID] = htmlMention{label: htmlText(f.CheckID + " on " + htmlName(f.Resource)), severity: f.Severity, found: true}
	}
}

func (g *htmlGroup) count(f posture.Finding) {
	g.results[f.Result]++
	weight := htmlWeight(f)
	g.weight += weight
	if htmlSevere(f.Severity) {
		g.severe++
		g.severeWeight += weight
		return
	}
	r := g.rest[f.CheckID]
	if r == nil {
		r = &htmlRest{severity: f.Severity, results: map[posture.Result]int{}}
		g.rest[f.CheckID] = r
		g.order = append(g.order, f.CheckID)
	}
	r.results[f.Result]++
}

// cut decides what is written in full.
func (p *htmlPlan) cut(limit int) {
	p.limit, p.full = limit, p.listed <= limit
	for _, g := range p.categories {
		if p.full {
			g.shown, g.rest, g.order = g.total(), nil, nil
		} else {
			g.shown, g.weight = g.severe, g.severeWeight
		}
		p.shown += g.shown
	}
}

func (g *htmlGroup) total() int {
	n := 0
	for _, r := range htmlListed() {
		n += g.results[r]
	}
	return n
}

// inFull tells whether a finding of the severity has its own article.
func (p *htmlPlan) inFull(s posture.Severity) bool { return p.full || htmlSevere(s) }

// passedTitles finds the titles of checks that have nothing open. It reads no
// further than it must.
func (p *htmlPlan) passedTitles(d Document) error {
	missing := map[string]bool{}
	for id := range p.judged {
		if _, known := p.titles[id]; !known {
			missing[id] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	for f, err := range d.Findings(posture.Pass, posture.NotApplicable) {
		if err != nil {
			return fmt.Errorf("read passed findings for the HTML export: %w", err)
		}
		if missing[f.CheckID] {
			p.titles[f.CheckID] = f.Title
			delete(missing, f.CheckID)
		}
		if len(missing) == 0 {
			break
		}
	}
	return nil
}

// htmlWeight is about how many bytes a finding takes in the document.
func htmlWeight(f posture.Finding) int {
	n := htmlFindingBytes + len(f.Message) + len(f.Title) + len(f.Why) + len(f.Fix) + len(f.Reason) + 2*len(f.Resource.Name) +
		len(f.Resource.ID)
	for _, e := range f.Evidence {
		n += 160 + len(e.Source) + len(e.Pointer) + len(e.Observed) + len(e.Expected)
	}
	return n
}

// batches parts the categories into passes. The first of a batch goes straight
// to the output; the others wait for it, at most limit bytes together.
func (p *htmlPlan) batches(limit int) [][]*htmlGroup {
	var out [][]*htmlGroup
	waiting := 0
	for _, g := range p.categories {
		if len(out) == 0 || waiting+g.weight > limit {
			out, waiting = append(out, nil), 0
		} else {
			waiting += g.weight
		}
		out[len(out)-1] = append(out[len(out)-1], g)
	}
	return out
}

// batch writes some categories with one pass over the findings.
func (h *htmlWriter) batch(groups []*htmlGroup) error {
	if err := h.render(h.out, "category", newHTMLCategory(h, groups[0])); err != nil {
		return err
	}
	texts, err := h.articles(groups)
	if err != nil {
		return err
	}
	for i, g := range groups {
		if i > 0 {
			if err := h.render(h.out, "category", newHTMLCategory(h, g)); err != nil {
				return err
			}
			if err := texts[i].writeTo(h.out); err != nil {
				return fmt.Errorf("write the HTML export: %w", err)
			}
		}
		if err := h.render(h.out, "category-end", newHTMLRest(g, h.plan)); err != nil {
			return err
		}
	}
	return nil
}

// articles writes the findings of the first category to the output and those of
// the others into a text each.
func (h *htmlWriter) articles(groups []*htmlGroup) ([]htmlWaiting, error) {
	texts := make([]htmlWaiting, len(groups))
	places := map[posture.Category]int{}
	written := make([]int, len(groups))
	shown := 0
	for i, g := range groups {
		places[g.id] = i
		shown += g.shown
	}
	if shown == 0 {
		return texts, nil
	}
	for f, err := range h.doc.Findings(htmlListed()...) {
		if err != nil {
			return nil, fmt.Errorf("read findings for the HTML export: %w", err)
		}
		i, mine := places[f.Category]
		if !mine || !h.plan.inFull(f.Severity) {
			continue
		}
		var w io.Writer = h.out
		if i > 0 {
			w = texts[i].writer()
		}
		view, err := h.finding(f)
		if err != nil {
			return nil, err
		}
		if err := h.render(w, "finding", view); err != nil {
			return nil, err
		}
		written[i]++
	}
	for i, g := range groups {
		if written[i] != g.shown {
			return nil, fmt.Errorf("write the HTML export: category %s had %d findings when counted and %d when written", g.id, g.shown, written[i])
		}
	}
	return texts, nil
}

// htmlWaiting is text that waits for its place, packed: articles are much alike.
type htmlWaiting struct {
	packed *bytes.Buffer // nil as long as there is no text
	open   *s2.Writer
}

// htmlBlock is how much text is packed at once; one is held for each category.
const htmlBlock = 32 << 10

func (t *htmlWaiting) writer() io.Writer {
	if t.packed == nil {
		t.packed = &bytes.Buffer{}
		t.open = s2.NewWriter(t.packed, s2.WriterConcurrency(1), s2.WriterBlockSize(htmlBlock))
	}
	return t.open
}

// writeTo writes the text and forgets it.
func (t *htmlWaiting) writeTo(w io.Writer) error {
	if t.packed == nil {
		return nil
	}
	if err := t.open.Close(); err != nil {
		return err
	}
	_, err := io.Copy(w, s2.NewReader(t.packed, s2.ReaderMaxBlockSize(htmlBlock)))
	*t = htmlWaiting{}
	return err
}

// category is what people call a category.
func (p *htmlPlan) category(c posture.Category) string {
	return cmp.Or(p.names[c], htmlText(string(c)))
}

// tallies sorts the tallies by category and check.
func (p *htmlPlan) tallies(in []posture.CheckTally) []posture.CheckTally {
	out := slices.Clone(in)
	slices.SortStableFunc(out, func(a, b posture.CheckTally) int {
		return cmp.Or(cmp.Compare(strings.ToLower(p.category(a.Category)), strings.ToLower(p.category(b.Category))),
			cmp.Compare(a.CheckID, b.CheckID))
	})
	return out
}
