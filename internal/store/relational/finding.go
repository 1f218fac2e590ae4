package relational

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// findingsAtOnce bounds the rows of one insert: enough to make the round trip
// small, few enough to keep the statement under a few megabytes.
const findingsAtOnce = 1000

// searchGap parts the searched texts; nobody types it, so a search never
// matches across two of them.
const searchGap = "\x1f"

// findingBody is what varies from finding to finding and is not filtered by.
// Its names are short because they are stored 50,000 times.
type findingBody struct {
	Type       string             `json:"t,omitempty"`
	Name       string             `json:"n,omitempty"`
	Message    string             `json:"m,omitempty"`
	Evidence   []posture.Evidence `json:"e"`
	NodeID     string             `json:"g,omitempty"`
	Paths      []string           `json:"a"`
	FirstSeen  int64              `json:"f,omitempty"`
	LastSeen   int64              `json:"l,omitempty"`
	Status     string             `json:"s,omitempty"`
	Exception  *string            `json:"x,omitempty"`
	Reason     string             `json:"r,omitempty"`
	Permission string             `json:"p,omitempty"`
	Judged     int                `json:"j,omitempty"`
	Risk       float64            `json:"k,omitempty"`
}

// newFindingRow makes the row of the finding at seq. Lower case for the search
// is made here, because the databases disagree about letters beyond ASCII.
func newFindingRow(f *posture.Finding, seq int, cat *catalogueBuilder) (findingRow, error) {
	body, err := json.Marshal(findingBody{Type: string(f.Resource.Type), Name: f.Resource.Name, Message: f.Message,
		Evidence: f.Evidence, NodeID: f.NodeID, Paths: f.AttackPathIDs, FirstSeen: micros(f.FirstSeen),
		LastSeen: micros(f.LastSeen), Status: string(f.Status), Exception: f.Exception, Reason: f.Reason,
		Permission: f.Permission, Judged: f.Judged, Risk: f.Risk})
	if err != nil {
		return findingRow{}, fmt.Errorf("encode finding %s: %w", f.ID, err)
	}
	search := clean(strings.ToLower(f.Message + searchGap + f.Resource.Name + searchGap + f.CheckID))
	return findingRow{Seq: seq, CheckNo: cat.face(f), ZoneNo: cat.zone(f.Resource),
		Result: string(f.Result), FindingID: clean(f.ID), ResourceID: clean(f.Resource.ID),
		ResourceKey: resourceKey(clean(f.Resource.ID)), Search: search, Body: body}, nil
}

func (r findingRow) finding(cat *catalogue) (posture.Finding, error) {
	if r.CheckNo >= len(cat.Faces) || r.ZoneNo >= len(cat.Zones) {
		return posture.Finding{}, fmt.Errorf("finding %s points outside of the catalogue of its assessment", r.FindingID)
	}
	var b findingBody
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return posture.Finding{}, fmt.Errorf("decode finding %s: %w", r.FindingID, err)
	}
	c, z := cat.Faces[r.CheckNo], cat.Zones[r.ZoneNo]
	return posture.Finding{ID: r.FindingID, CheckID: c.CheckID, Title: c.Title, Category: c.Category, Severity: c.Severity,
		Result: posture.Result(r.Result), Message: b.Message, Evidence: b.Evidence, Why: c.Why, Fix: c.Fix,
		Resource:   posture.Resource{Type: posture.ResourceType(b.Type), ID: r.ResourceID, Name: b.Name, ZoneID: z.ID, Zone: z.Name},
		Remediable: c.Remediable, Controls: cloneControls(c.Controls), NodeID: b.NodeID, AttackPathIDs: b.Paths,
		FirstSeen: instant(b.FirstSeen), LastSeen: instant(b.LastSeen), Status: posture.FindingStatus(b.Status),
		Exception: b.Exception, Reason: b.Reason, Permission: b.Permission, Judged: b.Judged, Risk: b.Risk}, nil
}

// resourceKey is what the index of resources holds. Ids come from the provider
// and may be longer than PostgreSQL indexes; a hash never is.
func resourceKey(id string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int32(h.Sum32())
}

// cloneControls keeps a caller that changes a finding away from the shared catalogue.
func cloneControls(c posture.Controls) posture.Controls {
	return posture.Controls{CIS: slices.Clone(c.CIS), SOC2: slices.Clone(c.SOC2), PCI: slices.Clone(c.PCI), NIST: slices.Clone(c.NIST)}
}

// open finds the number and the catalogue of an assessment.
func (s *Store) open(ctx context.Context, assessmentID string) (openAssessment, error) {
	id := clean(assessmentID)
	if a, ok := s.catalogues.get(id); ok {
		return a, nil
	}
	var row assessmentRow
	err := s.read(ctx, "read the catalogue of an assessment", func(db bun.IDB) error {
		return orNotFound(db.NewSelect().Model(&row).Column("no", "catalogue").Where("id = ?", id).Scan(ctx))
	})
	if err != nil {
		return openAssessment{}, err
	}
	a := openAssessment{no: row.No, catalogue: &catalogue{}}
	if err := unpackJSON(row.Catalogue, a.catalogue); err != nil {
		return openAssessment{}, err
	}
	s.catalogues.put(id, a)
	return a, nil
}

// narrow adds a filter to a query of findings; none is true when nothing can
// fit and no query is needed.
func (s *Store) narrow(q *bun.SelectQuery, a openAssessment, f store.FindingFilter) (_ *bun.SelectQuery, none bool) {
	q = q.Where("assessment_no = ?", a.no)
	faces, all := a.catalogue.chosen(f.Severities, f.Categories, f.Checks)
	if !all {
		if len(faces) == 0 {
			return q, true
		}
		q = q.Where("check_no IN (?)", bun.List(faces))
	}
	if len(f.Zones) > 0 {
		zones := a.catalogue.inZones(f.Zones)
		if len(zones) == 0 {
			return q, true
		}
		q = q.Where("zone_no IN (?)", bun.List(zones))
	}
	if len(f.Results) > 0 {
		q = q.Where("result IN (?)", bun.List(cleanAll(f.Results)))
	}
	if len(f.Resources) > 0 {
		ids := cleanAll(f.Resources)
		keys := make([]int32, len(ids))
		for i, id := range ids {
			keys[i] = resourceKey(id)
		}
		q = q.Where("resource_key IN (?) AND resource_id IN (?)", bun.List(keys), bun.List(ids))
	}
	if f.Text != "" {
		q = q.Where(s.engine.Find+"(search, ?) > 0", clean(strings.ToLower(f.Text)))
	}
	return q, false
}

// Findings implements store.Assessments.
func (s *Store) Findings(ctx context.Context, assessmentID string, f store.FindingFilter, p store.Page) ([]posture.Finding, string, error) {
	after, paged, err := placeOf(listFindings, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	a, err := s.open(ctx, assessmentID)
	if err != nil {
		return nil, "", err
	}
	var rows []findingRow
	err = s.read(ctx, "list findings", func(db bun.IDB) error {
		rows = nil
		q, none := s.narrow(db.NewSelect().Model(&rows).ExcludeColumn("assessment_no", "search"), a, f)
		if none {
			return nil
		}
		if paged {
			q = q.Where("seq > ?", after.at)
		}
		return q.Order("seq").Limit(ask(p.Limit)).Scan(ctx)
	})
	if err != nil {
		return nil, "", err
	}
	rows, more := cut(rows, p.Limit)
	out := make([]posture.Finding, 0, len(rows))
	for _, r := range rows {
		finding, err := r.finding(a.catalogue)
		if err != nil {
			return nil, "", err
		}
		out = append(out, finding)
	}
	if !more {
		return out, "", nil
	}
	return out, cursorAt(listFindings, place{at: int64(rows[len(rows)-1].Seq)}), nil
}

// CountFindings implements store.Assessments. Results without a finding are absent.
func (s *Store) CountFindings(ctx context.Context, assessmentID string, f store.FindingFilter) (map[posture.Result]int, error) {
	a, err := s.open(ctx, assessmentID)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Result string
		N      int
	}
	err = s.read(ctx, "count findings", func(db bun.IDB) error {
		rows = nil
		q, none := s.narrow(db.NewSelect().Model((*findingRow)(nil)), a, f)
		if none {
			return nil
		}
		return q.ColumnExpr("result, COUNT(*) AS n").GroupExpr("result").Scan(ctx, &rows)
	})
	if err != nil {
		return nil, err
	}
	out := make(map[posture.Result]int, len(rows))
	for _, r := range rows {
		out[posture.Result(r.Result)] = r.N
	}
	return out, nil
}
