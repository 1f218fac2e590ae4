package relational

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// findingsAtOnce bounds the rows of one insert: enough to amortize the round trip, few enough to keep
// the statement under a few megabytes.
const findingsAtOnce = 1000

// searchGap separates the searched texts. It cannot be typed, so a search never matches across two of
// them.
const searchGap = "\x1f"

// findingBody is the part of a finding that varies from finding to finding and is not filtered by. Its
// JSON names are short because they were once stored 50,000 times.
type findingBody struct {
	bodyHead
	FirstSeen int64 `json:"f,omitempty"`
	LastSeen  int64 `json:"l,omitempty"`
	bodyTail
}

type bodyHead struct {
	Type     string             `json:"t,omitempty"`
	Name     string             `json:"n,omitempty"`
	Message  string             `json:"m,omitempty"`
	Evidence []posture.Evidence `json:"e"`
	NodeID   string             `json:"g,omitempty"`
	Paths    []string           `json:"a"`
}

type bodyTail struct {
	Status     string  `json:"s,omitempty"`
	Exception  *string `json:"x,omitempty"`
	Note       string  `json:"y,omitempty"`
	Reason     string  `json:"r,omitempty"`
	Permission string  `json:"p,omitempty"`
	Judged     int     `json:"j,omitempty"`
	Risk       float64 `json:"k,omitempty"`
}

// bodyParts is a findingBody in JSON, without the instants: everything else stays the same from run to
// run.
type bodyParts struct {
	head, tail  string // objects
	first, last int64  // microseconds; 0 is none

	status   posture.FindingStatus // the encoded status
	accepted bool
}

// json gives the JSON encoding of the findingBody. The head is never empty.
func (b bodyParts) json() []byte {
	out := make([]byte, 0, len(b.head)+len(b.tail)+48)
	out = append(out, b.head[:max(0, len(b.head)-1)]...)
	if b.first != 0 {
		out = strconv.AppendInt(append(out, `,"f":`...), b.first, 10)
	}
	if b.last != 0 {
		out = strconv.AppendInt(append(out, `,"l":`...), b.last, 10)
	}
	if len(b.tail) > len("{}") {
		return append(append(out, ','), b.tail[1:]...)
	}
	return append(out, '}')
}

// newFindingRow makes the row of the finding at seq. The search text is lowercased here, because the
// databases disagree about letters beyond ASCII.
func newFindingRow(f *posture.Finding, seq int, cat *catalogueBuilder) (findingRow, error) {
	head, err := json.Marshal(bodyHead{Type: string(f.Resource.Type), Name: f.Resource.Name, Message: f.Message, Evidence: f.Evidence,
		NodeID: f.NodeID, Paths: f.AttackPathIDs})
	if err != nil {
		return findingRow{}, fmt.Errorf("encode finding %s: %w", f.ID, err)
	}
	tail, err := json.Marshal(bodyTail{Status: string(f.Status), Exception: f.Exception, Note: f.ExceptionNote, Reason: f.Reason,
		Permission: f.Permission, Judged: f.Judged, Risk: f.Risk})
	if err != nil {
		return findingRow{}, fmt.Errorf("encode finding %s: %w", f.ID, err)
	}
	body := bodyParts{head: string(head), tail: string(tail), first: micros(f.FirstSeen), last: micros(f.LastSeen),
		status: f.Status, accepted: f.Exception != nil}
	return findingRow{Seq: seq, CheckNo: cat.face(f), ZoneNo: cat.zone(f.Resource),
		Result: string(f.Result), FindingID: clean(f.ID), ResourceID: clean(f.Resource.ID),
		ResourceKey: resourceKey(clean(f.Resource.ID)), Search: searchOf(f), Body: body.json(), body: body}, nil
}

// wordsOf gives the text that a search in a run looks at: the searched text without what is known
// otherwise, that is, the id of the check, and the resource name where the message contains it.
func wordsOf(search string) string {
	text := search[:max(0, strings.LastIndex(search, searchGap))]
	at := max(0, strings.LastIndex(text, searchGap))
	if message, name := text[:at], text[min(len(text), at+len(searchGap)):]; strings.Contains(message, name) {
		return message
	}
	return text
}

// searchOf gives the searched text of a finding, in lower case.
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
	// The ids of a row are substrings of its chunk's text; without a copy, keeping one would keep the
	// whole text alive.
	return posture.Finding{ID: strings.Clone(r.FindingID), CheckID: c.CheckID, CheckTitle: c.Title, Words: c.Words.Shared(),
		Category: c.Category, Severity: c.Severity,
		Result: posture.Result(r.Result), Message: b.Message, Evidence: b.Evidence, Why: c.Why, Fix: c.Fix,
		Resource: posture.Resource{Type: posture.ResourceType(b.Type), ID: strings.Clone(r.ResourceID), Name: b.Name, ZoneID: z.ID,
			Zone: z.Name},
		Remediable: c.Remediable, Controls: cloneControls(c.Controls), NodeID: b.NodeID, AttackPathIDs: b.Paths,
		FirstSeen: instant(b.FirstSeen), LastSeen: instant(b.LastSeen), Status: posture.FindingStatus(b.Status),
		Exception: b.Exception, ExceptionNote: b.Note, Reason: b.Reason, Permission: b.Permission, Judged: b.Judged, Risk: b.Risk}.Worded(), nil
}

// resourceKey is the indexed hash of a resource id. Ids come from the provider and may be longer than
// PostgreSQL can index.
func resourceKey(id string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int32(h.Sum32())
}

// cloneControls keeps callers that change a finding from changing the shared catalogue.
func cloneControls(c posture.Controls) posture.Controls {
	return posture.Controls{CIS: slices.Clone(c.CIS), SOC2: slices.Clone(c.SOC2), PCI: slices.Clone(c.PCI), NIST: slices.Clone(c.NIST)}
}

// openColumns are the columns that openRow reads.
func openColumns() []string {
	return []string{"no", "id", "provider_account_id", "catalogue", "pieces"}
}

// open gives the number and the catalogue of an assessment.
func (s *Store) open(ctx context.Context, assessmentID string) (openAssessment, error) {
	id := clean(assessmentID)
	if a, ok := s.opens.byID(id); ok {
		return a, nil
	}
	var row assessmentRow
	err := s.read(ctx, "read the catalogue of an assessment", func(db bun.IDB) error {
		return orNotFound(db.NewSelect().Model(&row).Column(openColumns()...).Where("id = ?",
			id).Where(notDeleted).Scan(ctx))
	})
	if err != nil {
		return openAssessment{}, err
	}
	if err := s.resolve(ctx, &row.Catalogue); err != nil {
		return openAssessment{}, err
	}
	a, err := s.opened(row)
	return a, s.orGone(ctx, row.No, err)
}

// openAll is open for several assessments, by number.
func (s *Store) openAll(ctx context.Context, nos []int64) (map[int64]openAssessment, error) {
	out := make(map[int64]openAssessment, 1)
	var missing []int64
	for _, no := range nos {
		if _, have := out[no]; have {
			continue
		}
		a, ok := s.opens.kept.get(no)
		if out[no] = a; !ok {
			missing = append(missing, no)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	rows, err := readRows[assessmentRow](ctx, s, "read the catalogues of assessments", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Column(openColumns()...).Where("no IN (?)", bun.List(missing))
	})
	if err != nil {
		return nil, err
	}
	values := make([]*[]byte, len(rows))
	for i := range rows {
		values[i] = &rows[i].Catalogue
	}
	if err := s.resolve(ctx, values...); err != nil {
		return nil, err
	}
	for _, row := range rows {
		out[row.No], err = s.opened(row)
		if err = s.orGone(ctx, row.No, err); err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
	}
	return out, nil
}

// opened decodes what findings need of their assessment and caches it.
func (s *Store) opened(row assessmentRow) (openAssessment, error) {
	a, err := s.openRow(row)
	if err == nil {
		s.opens.put(a)
	}
	return a, err
}

func (s *Store) openRow(row assessmentRow) (a openAssessment, err error) {
	a = openAssessment{no: row.No, id: row.ID, account: row.ProviderAccountID}
	if a.catalogue, err = s.opens.catalogue(row.Catalogue); err != nil {
		return openAssessment{}, err
	}
	a.run, err = openRun(row, a.catalogue)
	return a, err
}

// Findings implements store.Assessments.
func (s *Store) Findings(ctx context.Context, assessmentID string, f store.FindingFilter, p store.Page) ([]posture.Finding, string, error) {
	after, paged, err := runPlace(store.OrderSeverity, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	a, err := s.open(ctx, assessmentID)
	if err != nil {
		return nil, "", err
	}
	every := len(f.Results)+len(f.Severities)+len(f.Categories)+len(f.Checks)+len(f.Zones)+len(f.Resources) == 0 && f.Text == ""
	if every && a.run != nil {
		from := 0
		if paged {
			from = int(after.at) + 1
		}
		return s.pageOf(ctx, a, store.OrderSeverity, p.Limit, func(limit int) []int { return upTo(from, a.run.findings(), limit) })
	}
	seqs, _, err := s.matching(ctx, a, f)
	if err != nil {
		return nil, "", err
	}
	return s.pageOf(ctx, a, store.OrderSeverity, p.Limit, func(limit int) []int { return following(seqs, after, paged, limit) })
}

// CountFindings implements store.Assessments. Results without findings are absent from the map.
func (s *Store) CountFindings(ctx context.Context, assessmentID string, f store.FindingFilter) (map[posture.Result]int, error) {
	a, err := s.open(ctx, assessmentID)
	if err != nil {
		return nil, err
	}
	if f.Text == "" && len(f.Resources) == 0 {
		of, err := s.talliesOf(ctx, a.no)
		if err != nil {
			return nil, s.orGone(ctx, a.no, err)
		}
		if of.all != nil {
			return a.catalogue.counted(of, f), s.stillThere(ctx, a.no)
		}
	}
	_, counts, err := s.matching(ctx, a, f)
	return counts, errors.Join(err, s.stillThere(ctx, a.no))
}
