package export

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Bounds of the report, so that memory and pages grow with the checks and not with the account. It
// shows the worst resources of an issue; the CSV and JSON exports have all of them.
const (
	mostHits     = 50
	fewestHits   = 5
	hitsInAll    = 1200 // over all issues together, as long as each may have fewestHits
	issuesInFull = 60   // with more issues, only critical and high ones are in full
	shownPaths   = 30
	shownZones   = 200
)

// hit is a resource of an issue.
type hit struct {
	resource posture.Resource
	severity posture.Severity
	result   posture.Result
	message  string
	since    string
	accepted string
}

// seen is what is kept of a check: its worst finding, with its texts, and the resources that are shown.
type seen struct {
	worst  posture.Finding
	title  string
	counts map[posture.Result]int
	hits   []hit
}

// reading is the result of one pass over the findings and one over the paths.
type reading struct {
	doc     Document
	byCheck map[string]*seen
	issues  []issue.Issue
	unseen  []unseen
	ways    []posture.AttackPath // those shown
	cover   []attackpath.ChokePoint
	all     int // number of attack paths
	nodes   map[string]pathNode
	// accepted is the number of open findings whose risk is accepted.
	accepted int
}

// unseen is a reason why findings are UNKNOWN.
type unseen struct {
	why    string
	n      int
	checks []string
}

func read(d Document) (*reading, error) {
	if d.Findings == nil {
		return nil, errNoSource
	}
	r := &reading{doc: d, byCheck: map[string]*seen{}}
	var sum issue.Sum
	reasons := map[string]*unseen{}
	var results []posture.Result
	if d.Summary { // what passed is counted in the appendix only
		results = []posture.Result{posture.Fail, posture.Warning, posture.Unknown}
	}
	for f, err := range d.Findings(results...) {
		if err != nil {
			return nil, fmt.Errorf("read findings: %w", err)
		}
		sum.Add(d.Assessment.Account.ID, f)
		r.add(f)
		if f.Result == posture.Unknown {
			why := whyUnseen(f)
			u := reasons[why]
			if u == nil {
				u = &unseen{why: why}
				reasons[why] = u
			}
			u.n++
			if !slices.Contains(u.checks, f.CheckID) {
				u.checks = append(u.checks, f.CheckID)
			}
		}
	}
	r.issues = sum.Issues()
	for _, u := range reasons {
		slices.Sort(u.checks)
		r.unseen = append(r.unseen, *u)
	}
	slices.SortFunc(r.unseen, func(a, b unseen) int { return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.why, b.why)) })
	return r, r.readPaths()
}

// whyUnseen returns why a finding could not be judged.
func whyUnseen(f posture.Finding) string {
	switch {
	case strings.Contains(f.Reason, "may lack"): // or the plan does not include it
		return "The token may lack " + f.Permission + ", or the plan does not include it"
	case f.Permission != "":
		return "The token lacks " + f.Permission
	}
	return cmp.Or(strings.TrimSuffix(f.Reason, "."), "No reason was recorded")
}

// causes sums up reasons that differ only in what was read, the cause of most first.
func (r *reading) causes() (out []unseen) {
	source := regexp.MustCompile(`^\S+ could not be read: `)
	path := regexp.MustCompile(`^/\S+ got (no usable answer in \d+ tries: .*? to) /[^\s:]+`)
	for _, u := range r.unseen {
		why := cmp.Or(path.ReplaceAllString(source.ReplaceAllString(u.why, ""), "$1 a read"), u.why)
		first, size := utf8.DecodeRuneInString(why)
		why = string(unicode.ToUpper(first)) + why[size:]
		if at := slices.IndexFunc(out, func(o unseen) bool { return o.why == why }); at >= 0 {
			out[at].n += u.n
		} else {
			out = append(out, unseen{why: why, n: u.n})
		}
	}
	slices.SortStableFunc(out, func(a, b unseen) int { return cmp.Compare(b.n, a.n) })
	return out
}

func (r *reading) add(f posture.Finding) {
	c := r.byCheck[f.CheckID]
	if c == nil {
		c = &seen{title: cmp.Or(f.CheckTitle, f.Title), counts: map[posture.Result]int{}}
		r.byCheck[f.CheckID] = c
	}
	c.counts[f.Result]++
	if !issue.Counts(f.Result) {
		return
	}
	if f.Exception != nil {
		r.accepted++
	}
	if len(c.hits) == 0 || issue.Worse(&f, &c.worst) {
		c.worst, c.title = f, cmp.Or(f.CheckTitle, f.Title)
	}
	if len(c.hits) < mostHits {
		h := hit{resource: f.Resource, severity: f.Severity, result: f.Result, message: said(f), since: day(f.FirstSeen)}
		if f.Exception != nil {
			h.accepted = "Accepted risk: " + f.Accepted()
		}
		c.hits = append(c.hits, h)
	}
}

// said is what was seen at a resource.
func said(f posture.Finding) string {
	if f.Titled() {
		return cmp.Or(f.Message, f.Title)
	}
	return cmp.Or(f.Message, f.CheckTitle)
}

// readPaths keeps the paths that are shown, critical ones first, and of all paths the changes that
// break them.
func (r *reading) readPaths() error {
	var light, rest []posture.AttackPath
	for p, err := range r.doc.paths() {
		if err != nil {
			return fmt.Errorf("read attack paths: %w", err)
		}
		r.all++
		light = append(light, posture.AttackPath{ID: p.ID, Severity: p.Severity, Breaks: p.Breaks})
		switch {
		case p.Severity == posture.Critical && len(r.ways) < shownPaths:
			r.ways = append(r.ways, p)
		case p.Severity != posture.Critical && len(rest) < shownPaths:
			rest = append(rest, p)
		}
	}
	r.ways = append(r.ways, rest[:min(len(rest), shownPaths-len(r.ways))]...)
	r.cover = attackpath.Cover(light, len(light))
	var err error
	if r.nodes, err = pathNodes(Document{Paths: Listed(r.ways), Graph: r.doc.Graph}); err != nil {
		return fmt.Errorf("read the graph: %w", err)
	}
	return nil
}
