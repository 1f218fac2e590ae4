package relational

import (
	"slices"
	"strings"
	"sync"

	"github.com/edgeposture/edgeposture/internal/posture"
)

// catalogue holds once per assessment what its findings share: the text of each
// check and the zones. Finding rows point into it by number.
type catalogue struct {
	Faces []face    `json:"faces"`
	Zones []zoneRef `json:"zones"`
}

// face is the part of a finding that comes from its check. Two findings of one
// check may differ here (a severity changed by an override); then the check has
// two faces.
type face struct {
	CheckID    string           `json:"checkId"`
	Title      string           `json:"title"`
	Category   posture.Category `json:"category"`
	Severity   posture.Severity `json:"severity"`
	Why        string           `json:"why"`
	Fix        string           `json:"fix"`
	Remediable bool             `json:"remediable"`
	Controls   posture.Controls `json:"controls"`
}

type zoneRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func faceOf(f *posture.Finding) face {
	return face{CheckID: f.CheckID, Title: f.Title, Category: f.Category, Severity: f.Severity, Why: f.Why, Fix: f.Fix,
		Remediable: f.Remediable, Controls: f.Controls}
}

func (a face) equal(b face) bool {
	same := func(x, y []string) bool { return (x == nil) == (y == nil) && slices.Equal(x, y) }
	return a.CheckID == b.CheckID && a.Title == b.Title && a.Category == b.Category && a.Severity == b.Severity &&
		a.Why == b.Why && a.Fix == b.Fix && a.Remediable == b.Remediable && same(a.Controls.CIS, b.Controls.CIS) &&
		same(a.Controls.SOC2, b.Controls.SOC2) && same(a.Controls.PCI, b.Controls.PCI) && same(a.Controls.NIST, b.Controls.NIST)
}

// catalogueBuilder numbers faces and zones in the order they come.
type catalogueBuilder struct {
	catalogue
	faces map[string][]int
	zones map[zoneRef]int
}

func newCatalogueBuilder() *catalogueBuilder {
	// Zone 0 is "in no zone".
	return &catalogueBuilder{catalogue: catalogue{Zones: []zoneRef{{}}}, faces: map[string][]int{}, zones: map[zoneRef]int{{}: 0}}
}

func (b *catalogueBuilder) face(f *posture.Finding) int {
	want := faceOf(f)
	for _, no := range b.faces[f.CheckID] {
		if b.Faces[no].equal(want) {
			return no
		}
	}
	no := len(b.Faces)
	b.Faces = append(b.Faces, want)
	b.faces[f.CheckID] = append(b.faces[f.CheckID], no)
	return no
}

func (b *catalogueBuilder) zone(r posture.Resource) int {
	z := zoneRef{ID: r.ZoneID, Name: r.Zone}
	no, known := b.zones[z]
	if !known {
		no = len(b.Zones)
		b.Zones = append(b.Zones, z)
		b.zones[z] = no
	}
	return no
}

// chosen gives the numbers of the faces that fit; all is true when none of the
// three filters is set.
func (c *catalogue) chosen(severities []posture.Severity, categories []posture.Category, checks []string) (nos []int, all bool) {
	if len(severities) == 0 && len(categories) == 0 && len(checks) == 0 {
		return nil, true
	}
	for no, f := range c.Faces {
		if allows(severities, f.Severity) && allows(categories, f.Category) && allows(checks, f.CheckID) {
			nos = append(nos, no)
		}
	}
	return nos, false
}

// named marks the faces of checks whose id holds a part, in lower case.
func (c *catalogue) named(part string) []bool {
	out := make([]bool, len(c.Faces))
	for no, f := range c.Faces {
		out[no] = strings.Contains(strings.ToLower(f.CheckID), part)
	}
	return out
}

// inZones gives the numbers of the zones whose id or name is in words.
func (c *catalogue) inZones(words []string) []int {
	var nos []int
	for no, z := range c.Zones {
		if no > 0 && (slices.Contains(words, z.ID) || slices.Contains(words, z.Name)) {
			nos = append(nos, no)
		}
	}
	return nos
}

func allows[T comparable](filter []T, v T) bool {
	return len(filter) == 0 || slices.Contains(filter, v)
}

// cachedCatalogues is how many assessments keep their catalogue in memory. A
// catalogue is some hundred kilobytes. A list over all accounts touches the newest of
// each.
const cachedCatalogues = 64

// openAssessment is what reading findings needs to know of their assessment.
type openAssessment struct {
	no        int64
	id        string
	catalogue *catalogue
	tallies   []tally // nil: count the rows
}

// catalogueCache remembers the catalogues used last. A saved assessment never
// changes, so an entry is never stale.
type catalogueCache struct {
	mu      sync.Mutex
	entries map[string]openAssessment
	ids     map[int64]string
	recent  []string // least recently used first
}

func (c *catalogueCache) get(id string) (openAssessment, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.entries[id]
	if ok {
		c.touch(id)
	}
	return a, ok
}

// numbered is get by number.
func (c *catalogueCache) numbered(no int64) (openAssessment, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := c.ids[no]
	if !ok {
		return openAssessment{}, false
	}
	c.touch(id)
	return c.entries[id], true
}

func (c *catalogueCache) put(id string, a openAssessment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries, c.ids = map[string]openAssessment{}, map[int64]string{}
	}
	c.entries[id], c.ids[a.no] = a, id
	c.touch(id)
	if len(c.recent) > cachedCatalogues {
		delete(c.ids, c.entries[c.recent[0]].no)
		delete(c.entries, c.recent[0])
		c.recent = slices.Delete(c.recent, 0, 1)
	}
}

func (c *catalogueCache) touch(id string) {
	if i := slices.Index(c.recent, id); i >= 0 {
		c.recent = slices.Delete(c.recent, i, i+1)
	}
	c.recent = append(c.recent, id)
}
