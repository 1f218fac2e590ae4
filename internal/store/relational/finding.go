package relational

import (
	"context"
	"encoding/json"
	"errors"
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
	Note       string             `json:"y,omitempty"`
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
		LastSeen: micros(f.LastSeen), Status: string(f.Status), Exception: f.Exception, Note: f.ExceptionNote, Reason: f.Reason,
		Permission: f.Permission, Judged: f.Judged, Risk: f.Risk})
	if err != nil {
		return findingRow{}, fmt.Errorf("encode finding %s: %w", f.ID, err)
	}
	return findingRow{Seq: seq, CheckNo: cat.face(f), ZoneNo: cat.zone(f.Resource),
		Result: string(f.Result), FindingID: clean(f.ID), ResourceID: clean(f.Resource.ID),
		ResourceKey: resourceKey(clean(f.Resource.ID)), Search: searchOf(f), Body: body, words: wordsOf(f)}, nil
}

// wordsOf is searchOf without what can be told otherwise: the id of the check, which
// the catalogue knows, and a name that the message holds.
func wordsOf(f *posture.Finding) string {
	message, name := clean(strings.ToLower(f.Message)), clean(strings.ToLower(f.Resource.Name))
	if strings.Contains(message, name) {
		return message
	}
	return message + searchGap + name
}

// searchOf is what a search looks at.
func searchOf(f *posture.Finding) string {
	return clean(strings.ToLower(f.Message + searchGap + f.Resource.Name + searchGap + f.CheckID))
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
		Exception: b.Exception, ExceptionNote: b.Note, Reason: b.Reason, Permission: b.Permission, Judged: b.Judged, Risk: b.Risk}, nil
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
	if a, ok := s.catalogues.byID.Get(id); ok {
		return a, nil
	}
	var row assessmentRow
	err := s.read(ctx, "read the catalogue of an assessment", func(db bun.IDB) error {
		return orNotFound(db.NewSelect().Model(&row).Column("no", "id", "catalogue", "counts").Where("id = ?", id).Where(inSight).Scan(ctx))
	})
	if err != nil {
		return openAssessment{}, err
	}
	return s.opened(row)
}

// openAll is open for assessments by their numbers.
func (s *Store) openAll(ctx context.Context, nos []int64) (map[int64]openAssessment, error) {
	out := make(map[int64]openAssessment, 1)
	var missing []int64
	for _, no := range nos {
		if _, have := out[no]; have {
			continue
		}
		a, ok := s.catalogues.byNo.Get(no)
		if out[no] = a; !ok {
			missing = append(missing, no)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	var rows []assessmentRow
	err := s.read(ctx, "read the catalogues of assessments", func(db bun.IDB) error {
		rows = nil
		return db.NewSelect().Model(&rows).Column("no", "id", "catalogue", "counts").Where("no IN (?)", bun.List(missing)).Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if out[row.No], err = s.opened(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// opened decodes what findings need of their assessment, and keeps it.
func (s *Store) opened(row assessmentRow) (openAssessment, error) {
	a := openAssessment{no: row.No, id: row.ID, catalogue: &catalogue{}}
	if err := unpackJSON(row.Catalogue, a.catalogue); err != nil {
		return openAssessment{}, err
	}
	if row.Counts != nil {
		if err := unpackJSON(row.Counts, &a.tallies); err != nil {
			return openAssessment{}, err
		}
	}
	s.catalogues.put(a)
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
	var seqs []int
	packed := f.Text != "" && len(f.Resources) == 0
	if packed {
		if seqs, _, packed, err = s.searching(ctx, a, f, clean(strings.ToLower(f.Text))); err != nil {
			return nil, "", err
		}
	}
	return s.pageAt(ctx, a, p.Limit, func(ctx context.Context, q *bun.SelectQuery) error {
		if packed {
			return atPositions(ctx, q, a, seqs, after, paged, p.Limit)
		}
		q, none := s.narrow(q, a, f)
		if none {
			return nil
		}
		if paged {
			q = q.Where("seq > ?", after.at)
		}
		return q.Order("seq").Limit(ask(p.Limit)).Scan(ctx)
	})
}

// pageAt reads one page of findings with a query that is completed and run by scan.
func (s *Store) pageAt(ctx context.Context, a openAssessment, limit int, scan func(context.Context, *bun.SelectQuery) error) ([]posture.Finding, string, error) {
	var rows []findingRow
	err := s.read(ctx, "list findings", func(db bun.IDB) error {
		rows = nil
		return scan(ctx, db.NewSelect().Model(&rows).ExcludeColumn("assessment_no", "search"))
	})
	if err != nil {
		return nil, "", err
	}
	if err := s.stillThere(ctx, a.no); err != nil {
		return nil, "", err
	}
	rows, next := cut(listFindings, rows, limit, func(r findingRow) place { return place{at: int64(r.Seq)} })
	out := make([]posture.Finding, 0, len(rows))
	for _, r := range rows {
		finding, err := r.finding(a.catalogue)
		if err != nil {
			return nil, "", err
		}
		out = append(out, finding)
	}
	return out, next, nil
}

// atPositions reads one page of the positions found.
func atPositions(ctx context.Context, q *bun.SelectQuery, a openAssessment, seqs []int, after place, paged bool, limit int) error {
	if paged {
		from, _ := slices.BinarySearch(seqs, int(after.at)+1)
		seqs = seqs[from:]
	}
	if n := int(ask(limit)); n > 0 {
		seqs = seqs[:min(n, len(seqs))]
	}
	if len(seqs) == 0 {
		return nil
	}
	return q.Where("assessment_no = ?", a.no).Where("seq IN (?)", bun.List(seqs)).Order("seq").Scan(ctx)
}

// CountFindings implements store.Assessments. Results without a finding are absent.
func (s *Store) CountFindings(ctx context.Context, assessmentID string, f store.FindingFilter) (map[posture.Result]int, error) {
	a, err := s.open(ctx, assessmentID)
	if err != nil {
		return nil, err
	}
	if a.tallies != nil && f.Text == "" && len(f.Resources) == 0 {
		return a.counted(f), s.stillThere(ctx, a.no)
	}
	if f.Text != "" && len(f.Resources) == 0 {
		if _, counts, packed, err := s.searching(ctx, a, f, clean(strings.ToLower(f.Text))); err != nil || packed {
			return counts, errors.Join(err, s.stillThere(ctx, a.no))
		}
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
	if err := s.stillThere(ctx, a.no); err != nil {
		return nil, err
	}
	out := make(map[posture.Result]int, len(rows))
	for _, r := range rows {
		out[posture.Result(r.Result)] = r.N
	}
	return out, nil
}
