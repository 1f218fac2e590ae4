package relational

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// stateRow is the current state of one finding; the migration documents the columns.
type stateRow struct {
	bun.BaseModel `bun:"table:finding_state"`

	No                int64  `bun:"no,pk,autoincrement"`
	ProviderAccountID string `bun:"provider_account_id"`
	FindingID         string `bun:"finding_id"`
	Result            string `bun:"result"`
	Status            string `bun:"status"`
	Resolution        string `bun:"resolution"`
	Opened            bool   `bun:"opened"`
	FirstSeen         int64  `bun:"first_seen"`
	LastSeen          int64  `bun:"last_seen"`
	JudgedAt          int64  `bun:"judged_at"`
	Class             int    `bun:"class"`
	Place             int64  `bun:"place"`
	AssessmentNo      int64  `bun:"assessment_no"`
	Seq               int    `bun:"seq"`
	CheckID           string `bun:"check_id"`
	Category          string `bun:"category"`
	Severity          string `bun:"severity"`
	ResourceType      string `bun:"resource_type"`
	ResourceID        string `bun:"resource_id"`
	ResourceKey       int32  `bun:"resource_key"`
	ResourceName      string `bun:"resource_name"`
	ZoneID            string `bun:"zone_id"`
	Zone              string `bun:"zone"`
	ExceptionID       string `bun:"exception_id"`
	ExceptedUntil     int64  `bun:"excepted_until"`

	Search string `bun:"search,nullzero"` // what a search looks at; also in finding_text
}

// The classes of states. Every index for lists begins with one column and the class.
const (
	classOpen = iota
	classResolved
	classQuiet
)

func (r *stateRow) class() int {
	switch {
	case r.Status == string(posture.StatusOpen) || r.Status == string(posture.StatusReopened):
		return classOpen
	case r.Opened:
		return classResolved
	default:
		return classQuiet
	}
}

// placeBits is enough for an instant in microseconds until the year 2112.
const placeBits = 52

// placeFrom is the first place of a severity rank.
func placeFrom(rank int) int64 { return int64(posture.Critical.Rank()-rank) << placeBits }

// setOrder computes the columns that follow from the rest of the row.
func (r *stateRow) setOrder() {
	const newest = int64(1)<<placeBits - 1
	r.Class = r.class()
	r.Place = placeFrom(posture.Severity(r.Severity).Rank()) + newest - min(max(r.FirstSeen, 0), newest)
}

// describe fills the columns that come from the finding.
func (r *stateRow) describe(f *posture.Finding, seq int) {
	r.Seq, r.CheckID, r.Category, r.Severity = seq, clean(f.CheckID), clean(string(f.Category)), string(f.Severity)
	r.ResourceType, r.ResourceID, r.ResourceName = clean(string(f.Resource.Type)), clean(f.Resource.ID), clean(f.Resource.Name)
	r.ResourceKey, r.ZoneID, r.Zone = resourceKey(r.ResourceID), clean(f.Resource.ZoneID), clean(f.Resource.Zone)
	r.Search = searchOf(f)
}

// stateOf pairs a state with the finding of the assessment it belongs to, both by index.
type stateOf struct {
	state, seq int
	id         string
}

// statesInOrder gives the states of the assessment's findings sorted by id, so that concurrent saves
// for one account lock the rows in the same order. Of two states of one finding the later wins.
func statesInOrder(in store.SaveAssessment) []stateOf {
	order := make([]stateOf, 0, max(len(in.Verdicts), len(in.States)))
	for i := range slices.Backward(in.Verdicts) {
		order = append(order, stateOf{i, i, clean(in.Verdicts[i].ID)})
	}
	seqs := make(map[string]int, len(in.Assessment.Findings))
	for seq := range in.Assessment.Findings {
		seqs[in.Assessment.Findings[seq].ID] = seq
	}
	for i := range slices.Backward(in.States) {
		if seq, held := seqs[in.States[i].FindingID]; held {
			order = append(order, stateOf{i, seq, clean(in.States[i].FindingID)})
		}
	}
	slices.SortStableFunc(order, func(a, b stateOf) int { return cmp.Compare(a.id, b.id) })
	return slices.CompactFunc(order, func(a, b stateOf) bool { return a.id == b.id })
}

// newStateRow makes the row of a state of a finding of the assessment.
func newStateRow(in store.SaveAssessment, of stateOf, f *posture.Finding) stateRow {
	var st posture.FindingState
	if in.Verdicts != nil {
		st = in.Verdicts[of.state].State()
	} else {
		st = in.States[of.state]
	}
	r := stateRow{ProviderAccountID: clean(in.Assessment.Account.ID), FindingID: clean(st.FindingID), Result: string(st.Result),
		Status: string(st.Status), Resolution: string(st.Resolution), Opened: st.Opened, FirstSeen: micros(st.FirstSeen),
		LastSeen: micros(st.LastSeen),
		JudgedAt: micros(in.Assessment.StartedAt)}
	r.describe(f, of.seq)
	return r
}

// over merges a row with the stored one. The verdict of the run that began later stays; the first and
// last seen times combine both.
func (r *stateRow) over(old *stateRow) {
	first, last := min(r.FirstSeen, old.FirstSeen), max(r.LastSeen, old.LastSeen)
	switch {
	case r.Opened && !old.Opened:
		first, last = r.FirstSeen, r.LastSeen
	case old.Opened && !r.Opened:
		first, last = old.FirstSeen, old.LastSeen
	}
	opened := r.Opened || old.Opened
	if r.JudgedAt < old.JudgedAt {
		search, exception, until := r.Search, r.ExceptionID, r.ExceptedUntil
		*r = *old
		r.Search, r.ExceptionID, r.ExceptedUntil = search, exception, until
	}
	r.No, r.FirstSeen, r.LastSeen, r.Opened = old.No, first, last, opened
	if opened && r.class() == classResolved {
		r.Resolution = cmp.Or(r.Resolution, string(posture.ResolutionFixed))
	}
}

// atRisk reports whether a state is an open finding that failed when it was read last, with a risk that nobody accepts.
func (r *stateRow) atRisk(now int64) bool {
	return r.Class == classOpen && r.Opened && r.ExceptedUntil <= now
}

// atRiskChanges says by check what a run changed about the findings at risk: how many more there are, and whether one of
// those that came fails.
type atRiskChanges map[string]struct {
	more int
	came bool
}

// note counts a state that was at risk before a run or is after it.
func (c atRiskChanges) note(r *stateRow, before, after bool) {
	of := c[r.CheckID]
	switch {
	case before == after:
		return
	case before:
		of.more--
	default:
		of.more++
		of.came = of.came || issue.Counts(posture.Result(r.Result))
	}
	c[r.CheckID] = of
}

// putStates updates the states of an account with what a run found, in the transaction that saves the
// run, and returns what that changed by check.
func (s *Store) putStates(ctx context.Context, tx bun.Tx, assessment int64, in store.SaveAssessment) (atRiskChanges, error) {
	accepted, err := s.accepted(ctx, tx, in)
	if err != nil {
		return nil, err
	}
	changed := atRiskChanges{}
	zones := map[zoneRow]bool{}
	var f posture.Finding
	for chunk := range slices.Chunk(statesInOrder(in), findingsAtOnce) {
		rows := make([]stateRow, len(chunk))
		for i, of := range chunk {
			f = in.Finding(of.seq)
			rows[i] = newStateRow(in, of, &f)
			rows[i].AssessmentNo = assessment
			rows[i].except(accepted.Of(&f))
			rows[i].noteZone(zones)
		}
		if err := s.mergeStates(ctx, tx, rows, micros(in.Now), changed); err != nil {
			return nil, err
		}
	}
	if err := putZones(ctx, tx, zones); err != nil {
		return nil, err
	}
	return changed, closeStates(ctx, tx, in, changed)
}

// mergeStates merges states with the stored ones. When another transaction inserts one of them in
// between, the unique key makes this transaction run again.
func (s *Store) mergeStates(ctx context.Context, tx queries, rows []stateRow, now int64, changed atRiskChanges) error {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].FindingID
	}
	var there []stateRow
	if err := tx.NewRaw("SELECT * FROM finding_state WHERE finding_id IN (?) AND provider_account_id = ? ORDER BY finding_id"+s.engine.Lock,
		bun.List(ids), rows[0].ProviderAccountID).Scan(ctx, &there); err != nil {
		return err
	}
	known := make(map[string]*stateRow, len(there))
	for i := range there {
		known[there[i].FindingID] = &there[i]
	}
	var fresh, old, again []stateRow
	for i := range rows {
		was := known[rows[i].FindingID]
		if was != nil {
			rows[i].over(was)
		}
		rows[i].setOrder()
		changed.note(&rows[i], was != nil && was.atRisk(now), rows[i].atRisk(now))
		switch {
		case was == nil:
			fresh = append(fresh, rows[i])
		case rows[i].onlySeenAgain(*was):
			again = append(again, rows[i])
		default:
			old = append(old, rows[i])
		}
	}
	if len(fresh) > 0 {
		if err := addAll(ctx, s.engine, tx, fresh, ""); err != nil {
			return err
		}
		if err := addTexts(ctx, tx, fresh, isSearched); err != nil {
			return err
		}
	}
	if err := seeAgain(ctx, tx, again); err != nil {
		return err
	}
	if len(old) == 0 {
		return nil
	}
	if _, err := tx.NewInsert().Model(&old).On("CONFLICT (no) DO UPDATE").Set(assignAll).Exec(ctx); err != nil {
		return err
	}
	return changeTexts(ctx, tx, old)
}

// onlySeenAgain reports whether a row differs from the stored one only in when, and by which run, the
// finding was seen.
func (r stateRow) onlySeenAgain(was stateRow) bool {
	was.LastSeen, was.JudgedAt, was.AssessmentNo, was.Seq = r.LastSeen, r.JudgedAt, r.AssessmentNo, r.Seq
	return r == was
}

// seeAgain updates only those columns. Most findings of a run need no more, and the columns are in no
// index.
func seeAgain(ctx context.Context, tx queries, rows []stateRow) error {
	if len(rows) == 0 {
		return nil
	}
	seen := make([]string, len(rows))
	for i, r := range rows {
		seen[i] = fmt.Sprintf("(%d, %d, %d, %d, %d)", r.No, r.LastSeen, r.JudgedAt, r.AssessmentNo, r.Seq)
	}
	return ran(tx.NewRaw(`WITH seen (no, last_seen, judged_at, assessment_no, seq) AS (VALUES ` + strings.Join(seen, ", ") + `)
		UPDATE finding_state SET last_seen = seen.last_seen, judged_at = seen.judged_at, assessment_no = seen.assessment_no, seq = seen.seq
		FROM seen WHERE finding_state.no = seen.no`).Exec(ctx))
}

// assignAll assigns every column that can change from the new row.
const assignAll = `result = EXCLUDED.result, status = EXCLUDED.status, resolution = EXCLUDED.resolution, opened = EXCLUDED.opened,
	first_seen = EXCLUDED.first_seen, last_seen = EXCLUDED.last_seen, judged_at = EXCLUDED.judged_at, class = EXCLUDED.class, place =
	EXCLUDED.place,
	assessment_no = EXCLUDED.assessment_no, seq = EXCLUDED.seq, check_id = EXCLUDED.check_id, category = EXCLUDED.category, severity =
	EXCLUDED.severity,
	resource_type = EXCLUDED.resource_type, resource_name = EXCLUDED.resource_name, zone_id = EXCLUDED.zone_id, zone = EXCLUDED.zone,
	exception_id = EXCLUDED.exception_id, excepted_until = EXCLUDED.excepted_until, search = EXCLUDED.search`

// isSearched reports whether the text index holds a row. Most findings pass from the first run on; they
// are rarely searched for across accounts, and indexing them takes longer than saving everything else.
func isSearched(r *stateRow) bool { return r.Class != classQuiet }

// addTexts adds texts for the newly inserted states that are searched.
func addTexts(ctx context.Context, tx queries, fresh []stateRow, searched func(*stateRow) bool) error {
	ids, texts := make([]string, 0, len(fresh)), make(map[string]string, len(fresh))
	for i := range fresh {
		if searched(&fresh[i]) {
			ids = append(ids, fresh[i].FindingID)
			texts[fresh[i].FindingID] = fresh[i].Search
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var added []stateRow
	if err := tx.NewSelect().Model(&added).Column("no", "finding_id").Where("finding_id IN (?)", bun.List(ids)).
		Where("provider_account_id = ?", fresh[0].ProviderAccountID).OrderExpr("no").Scan(ctx); err != nil {
		return err
	}
	rows := make([]textRow, len(added))
	for i, a := range added {
		rows[i] = textRow{RowID: a.No, Search: texts[a.FindingID]}
	}
	return ran(tx.NewInsert().Model(&rows).Exec(ctx))
}

// textRow is the text that a search over the newest states looks at.
type textRow struct {
	bun.BaseModel `bun:"table:finding_text"`

	RowID  int64  `bun:"rowid"`
	Search string `bun:"search"`
}

// changeTexts writes the texts that differ from what is stored: updating the index costs more than
// reading it.
func changeTexts(ctx context.Context, tx queries, rows []stateRow) error {
	nos := make([]int64, len(rows))
	for i := range rows {
		nos[i] = rows[i].No
	}
	var there []textRow
	if err := tx.NewSelect().Model(&there).Column("rowid", "search").Where("rowid IN (?)", bun.List(nos)).Scan(ctx); err != nil {
		return err
	}
	have := make(map[int64]string, len(there))
	for _, t := range there {
		have[t.RowID] = t.Search
	}
	var changed []textRow
	var gone []int64
	for i := range rows {
		was, is := have[rows[i].No]
		if wanted := isSearched(&rows[i]); is == wanted && (!is || was == rows[i].Search) {
			continue
		} else if wanted {
			changed = append(changed, textRow{RowID: rows[i].No, Search: rows[i].Search})
		}
		if is {
			gone = append(gone, rows[i].No)
		}
	}
	if len(gone) > 0 {
		if _, err := tx.NewRaw("DELETE FROM finding_text WHERE rowid IN (?)", bun.List(gone)).Exec(ctx); err != nil {
			return err
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return ran(tx.NewInsert().Model(&changed).Exec(ctx))
}

type zoneRow struct {
	bun.BaseModel `bun:"table:finding_zone"`

	Zone   string `bun:"zone,pk"`
	ZoneID string `bun:"zone_id,pk"`
}

func (r *stateRow) noteZone(in map[zoneRow]bool) {
	if r.ZoneID != "" {
		in[zoneRow{Zone: r.Zone, ZoneID: r.ZoneID}] = true
	}
}

// putZones inserts zone names, sorted, so that concurrent writers do not deadlock.
func putZones(ctx context.Context, tx queries, names map[zoneRow]bool) error {
	all := slices.SortedFunc(maps.Keys(names), func(a, b zoneRow) int {
		return cmp.Or(cmp.Compare(a.Zone, b.Zone),
			cmp.Compare(a.ZoneID, b.ZoneID))
	})
	for chunk := range slices.Chunk(all, findingsAtOnce) {
		if _, err := tx.NewInsert().Model(&chunk).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// closeStates resolves findings that are gone, unless a run that began later has judged them.
func closeStates(ctx context.Context, tx queries, in store.SaveAssessment, changed atRiskChanges) error {
	by := map[posture.Resolution][]string{}
	for _, c := range in.Closed {
		by[c.Resolution] = append(by[c.Resolution], clean(c.FindingID))
	}
	at := micros(in.Assessment.StartedAt)
	for _, how := range []posture.Resolution{posture.ResolutionDeleted, posture.ResolutionFixed} {
		slices.Sort(by[how])
		for ids := range slices.Chunk(by[how], findingsAtOnce) {
			var closed []stateRow
			err := tx.NewRaw(`UPDATE finding_state SET status = 'resolved', resolution = ?, judged_at = ?, class = CASE WHEN opened THEN ? ELSE
				? END
				WHERE finding_id IN (?) AND provider_account_id = ? AND judged_at <= ? AND class = ? RETURNING check_id, opened, excepted_until`,
				string(how), at, classResolved, classQuiet, bun.List(ids), clean(in.Assessment.Account.ID), at, classOpen).Scan(ctx, &closed)
			if err != nil {
				return err
			}
			for i := range closed {
				closed[i].Class = classOpen // as it was
				changed.note(&closed[i], closed[i].atRisk(micros(in.Now)), false)
			}
		}
	}
	return nil
}

// FindingStates implements store.Assessments.
func (s *Store) FindingStates(ctx context.Context, providerAccountID string, tell func(posture.KnownState)) error {
	return s.read(ctx, "read the finding states of an account", func(db bun.IDB) error {
		rows, err := db.NewSelect().Model((*stateRow)(nil)).Column("finding_id", "result", "status", "resolution", "opened", "first_seen",
			"last_seen", "check_id", "severity", "resource_type", "resource_id", "zone_id").Where("provider_account_id = ?",
			clean(providerAccountID)).Rows(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // read only
		for rows.Next() {
			var st posture.KnownState
			var first, last int64
			if err := rows.Scan(&st.FindingID, &st.Result, &st.Status, &st.Resolution, &st.Opened, &first, &last, &st.CheckID, &st.Severity,
				&st.Resource.Type, &st.Resource.ID, &st.Resource.ZoneID); err != nil {
				return err
			}
			st.FirstSeen, st.LastSeen = instant(first), instant(last)
			tell(st)
		}
		return rows.Err()
	})
}
