package relational

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// catalogue holds, once per assessment, what its findings share: the texts of each check, and the
// zones. Finding rows refer to its entries by number.
type catalogue struct {
	Faces []*face   `json:"faces"`
	Zones []zoneRef `json:"zones"`
}

// face is the part of a finding that comes from its check. Two findings of one check may differ here (a
// severity changed by an override); the check then has two faces.
type face struct {
	CheckID    string           `json:"checkId"`
	Title      string           `json:"title"`
	Category   posture.Category `json:"category"`
	Severity   posture.Severity `json:"severity"`
	Why        string           `json:"why"`
	Fix        string           `json:"fix"`
	Words      posture.Words    `json:"words,omitzero"`
	Remediable bool             `json:"remediable"`
	Controls   posture.Controls `json:"controls"`
}

type zoneRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func faceOf(f *posture.Finding) face {
	var words posture.Words
	if f.Words != nil {
		words = *f.Words
	}
	return face{CheckID: f.CheckID, Title: cmp.Or(f.CheckTitle, f.Title), Category: f.Category, Severity: f.Severity, Why: f.Why,
		Fix: f.Fix, Words: words,
		Remediable: f.Remediable, Controls: f.Controls}
}

func (a *face) equal(b *face) bool {
	same := func(x, y []string) bool { return (x == nil) == (y == nil) && slices.Equal(x, y) }
	return a.CheckID == b.CheckID && a.Title == b.Title && a.Category == b.Category && a.Severity == b.Severity &&
		a.Why == b.Why && a.Fix == b.Fix && a.Words == b.Words && a.Remediable == b.Remediable && same(a.Controls.CIS, b.Controls.CIS) &&
		same(a.Controls.SOC2, b.Controls.SOC2) && same(a.Controls.PCI, b.Controls.PCI) && same(a.Controls.NIST, b.Controls.NIST)
}

// catalogueBuilder numbers faces and zones in order of first appearance.
type catalogueBuilder struct {
	catalogue
	names []string // one per face; see faceNames
	faces map[string][]int
	zones map[zoneRef]int
}

func newCatalogueBuilder() *catalogueBuilder {
	// Zone 0 means "in no zone".
	return &catalogueBuilder{catalogue: catalogue{Zones: []zoneRef{{}}}, faces: map[string][]int{}, zones: map[zoneRef]int{{}: 0}}
}

func (b *catalogueBuilder) face(f *posture.Finding) int {
	want := faceOf(f)
	for _, no := range b.faces[f.CheckID] {
		if b.Faces[no].equal(&want) {
			return no
		}
	}
	no := len(b.Faces)
	b.Faces = append(b.Faces, &want)
	b.names = append(b.names, faceName(f.CheckID, len(b.faces[f.CheckID])))
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

// chosen gives the numbers of the faces that match the filters; all is true when none of the three is
// set.
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

// named marks the faces whose check id contains part, which is in lower case.
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

// sieve returns a predicate for the check, zone and result parts of a filter.
func (c *catalogue) sieve(f store.FindingFilter) func(facetRow) bool {
	list := func(n int, nos []int, all bool) []bool {
		out := make([]bool, n)
		for no := range out {
			out[no] = all
		}
		for _, no := range nos {
			out[no] = true
		}
		return out
	}
	chosen, all := c.chosen(f.Severities, f.Categories, f.Checks)
	faces := list(len(c.Faces), chosen, all)
	zones := list(len(c.Zones), c.inZones(f.Zones), len(f.Zones) == 0)
	results := make([]bool, len(posture.Results()))
	for no, r := range posture.Results() {
		results[no] = allows(f.Results, r)
	}
	return func(x facetRow) bool { return faces[x.check] && zones[x.zone] && results[x.result] }
}

func allows[T comparable](filter []T, v T) bool {
	return len(filter) == 0 || slices.Contains(filter, v)
}

// A list over all accounts touches the newest assessment of each.
const (
	openKept  = 32 << 20 // bytes; an assessment of 100 zones and 200 checks takes some 40,000
	idsKept   = 10_000
	facesKept = 4096 // most accounts share the same faces; one takes 2,000 bytes
)

// openAssessment is what reading findings needs to know about their assessment.
type openAssessment struct {
	no        int64
	id        string
	account   string // the provider's id
	catalogue *catalogue
	run       *run // nil when the findings are stored as rows
}

func (a openAssessment) size() int {
	n := 500 + 100*len(a.catalogue.Faces)
	for _, z := range a.catalogue.Zones {
		n += 150 + len(z.ID) + len(z.Name)
	}
	if a.run != nil {
		n += 16 * len(a.run.chunks)
	}
	return n
}

// opens caches recently used assessments. A saved one never changes, so an entry is never stale.
type opens struct {
	nos   *lru.Cache[string, int64] // by id
	kept  *recent[int64, openAssessment]
	faces *lru.Cache[string, *face] // by their JSON, shared between catalogues
}

func newOpens() opens {
	return opens{nos: must(lru.New[string, int64](idsKept)), kept: newRecent[int64, openAssessment](openKept),
		faces: must(lru.New[string, *face](facesKept))}
}

func (o opens) byID(id string) (openAssessment, bool) {
	no, ok := o.nos.Get(id)
	if !ok {
		return openAssessment{}, false
	}
	return o.kept.get(no)
}

func (o opens) put(a openAssessment) {
	o.nos.Add(a.id, a.no)
	o.kept.put(a.no, a)
}

// catalogue decodes a stored catalogue. Equal faces of different catalogues share memory.
func (o opens) catalogue(stored []byte) (*catalogue, error) {
	var read struct {
		Faces []json.RawMessage `json:"faces"`
		Zones []zoneRef         `json:"zones"`
	}
	if err := unpackJSON(stored, &read); err != nil {
		return nil, err
	}
	c := &catalogue{Faces: make([]*face, len(read.Faces)), Zones: read.Zones}
	for no, raw := range read.Faces {
		f, ok := o.faces.Get(string(raw))
		if !ok {
			f = &face{}
			if err := json.Unmarshal(raw, f); err != nil {
				return nil, fmt.Errorf("decode a stored check: %w", err)
			}
			o.faces.Add(string(raw), f)
		}
		c.Faces[no] = f
	}
	return c, nil
}
