package relational

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// rareText is the largest number of matching texts for which a search is answered from the text index;
// a more common text is found quickly by reading the list itself.
const rareText = 1000

// latestColumns are the columns that a list shows.
const latestColumns = `s.place, s.finding_id, s.provider_account_id, s.result, s.status, s.resolution, s.first_seen, s.last_seen,
	s.assessment_no, s.seq,
	s.resource_id, s.exception_id, s.excepted_until`

// LatestFindings implements store.Assessments.
func (s *Store) LatestFindings(ctx context.Context, f store.LatestFilter, p store.Page) ([]store.LatestFinding, string, error) {
	order, err := latestOrderOf(f.Order)
	if err != nil {
		return nil, "", err
	}
	mark := filterMark(f)
	after, paged, err := latestPlace(mark, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	of := func(r *orderedState) []string { return []string{r.ProviderAccountID} }
	rows, err := within(s, f.Accounts, after, paged, ask(p.Limit), of, order.spot,
		func(accounts []string, after sortKey, paged bool, limit int64) ([]orderedState, error) {
			f.Accounts = accounts
			return s.latestPage(ctx, f, order, after, paged, limit)
		})
	if err != nil {
		return nil, "", err
	}
	rows, next := cut(listLatest, rows, p.Limit, func(r orderedState) sortKey { return order.place(mark, r) })
	states := make([]stateRow, len(rows))
	for i := range rows {
		states[i] = rows[i].stateRow
	}
	out, err := s.latestFindings(ctx, states, f.Now)
	return out, next, err
}

// latestPage reads up to limit rows after a sort key.
func (s *Store) latestPage(ctx context.Context, f store.LatestFilter, order latestOrder, after sortKey, paged bool,
	limit int64) (rows []orderedState, err error) {
	err = s.read(ctx, "list the newest findings", func(db bun.IDB) error {
		rows = nil
		l, none, err := s.latest(ctx, db, f)
		if err != nil || none {
			return err
		}
		l.in(order)
		if paged {
			if err := l.after(after); err != nil {
				return err
			}
		}
		read := func() error {
			page, args := l.page()
			return db.NewRaw(`SELECT `+latestColumns+order.told()+` FROM (`+page+`) AS p JOIN finding_state AS s ON s.no = p.no
				ORDER BY `+order.outer("p.")+`s.place, s.finding_id`, args...).Scan(ctx, &rows)
		}
		l.limit, l.each = limit, limit
		if l.column == accountColumn && len(l.values) > wholeStreamsAtMost {
			l.each = min(limit, limit/int64(len(l.values))*3+5)
			if err := read(); err != nil || l.each == limit || !exhausted(rows, l.each) {
				return err
			}
			rows, l.each = nil, limit
		}
		return read()
	})
	return rows, err
}

// exhausted reports whether the page holds as many rows of one account as were read of it: more of them
// may belong on the page.
func exhausted(page []orderedState, each int64) bool {
	of := map[string]int64{}
	for i := range page {
		if of[page[i].ProviderAccountID]++; of[page[i].ProviderAccountID] == each {
			return true
		}
	}
	return false
}

// CountLatest implements store.Assessments.
func (s *Store) CountLatest(ctx context.Context, f store.LatestFilter) (n int, err error) {
	err = s.read(ctx, "count the newest findings", func(db bun.IDB) error {
		l, none, err := s.latest(ctx, db, f)
		if n = 0; err != nil || none {
			return err
		}
		page, args := l.page()
		return db.NewRaw("SELECT COUNT(*) FROM ("+page+") AS p", args...).Scan(ctx, &n)
	})
	return n, err
}

// filterMark identifies the filter that a cursor belongs to.
func filterMark(f store.LatestFilter) string {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%q %q %q %q %q %q %q %q %q %t %q%s", f.IDs, f.Results, f.Severities, f.Categories, f.Checks, f.Zones,
		f.Resources, f.Text, f.Statuses, f.Opened, f.Excepted, f.Order)
	if !f.JudgedAt.IsZero() {
		_, _ = fmt.Fprint(h, micros(f.JudgedAt))
	}
	for _, account := range f.Accounts { // some callers name hundreds
		_, _ = io.WriteString(h, account+" ")
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// latestPlace decodes a cursor and checks that it belongs to the filter.
func latestPlace(mark, cursor string) (sortKey, bool, error) {
	p, ok, err := decodeCursor(listLatest, cursor)
	if err != nil || !ok {
		return p, ok, err
	}
	of, id, _ := strings.Cut(p.id, ".")
	if of != mark {
		return p, false, posture.Invalid("query.cursor",
			"The cursor belongs to a list with other filters or in another order; leave it out to start from the beginning.", shorten(cursor))
	}
	p.id = id
	return p, true, nil
}

// latestList is a query of states in their order. Each stream is one range of an index, already sorted;
// a page takes as many rows as it needs from each.
type latestList struct {
	column  string // that the streams are split by; "" when there is one stream
	values  []string
	classes []int
	ranges  [][2]int64 // of finding_state.place; empty means all
	conds   []string
	args    []any
	limit   int64
	each    int64 // row limit of one stream
	order   latestOrder
}

// accountColumn splits the streams when a list is limited to some accounts.
const accountColumn = "provider_account_id"

func (l *latestList) where(condition string, args ...any) {
	l.conds, l.args = append(l.conds, condition), append(l.args, args...)
}

// Bounds on the streams of one query, each of which is searched on its own.
const (
	streamsAtMost      = 60
	textStreamsAtMost  = 8 // each stream of a text search takes longer
	wholeStreamsAtMost = 4 // with more accounts, first try a smaller limit per stream
)

// walked reports whether to read all findings in order and skip other accounts' rows, which the index
// identifies, instead of one stream per account. Skipping is cheap when few rows are skipped; up to a
// dozen streams are cheap however many rows others have.
func (s *Store) walked(accounts []string) bool {
	return len(accounts) > 12 && s.share(setOf(accounts)) >= 1.0/30
}

// latest turns a filter into a list; none is true when nothing can match.
func (s *Store) latest(ctx context.Context, db bun.IDB, f store.LatestFilter) (l *latestList, none bool, err error) {
	l = &latestList{}
	if none = l.standing(f); none {
		return l, true, nil
	}
	l.severities(f.Severities)
	if !slices.Equal(l.classes, []int{classOpen}) {
		l.where("assessment_no > 0 AND assessment_" + notDeleted) // an open finding keeps its assessment
	}
	if !f.JudgedAt.IsZero() {
		l.where("judged_at = ?", micros(f.JudgedAt))
	}
	switch f.Excepted {
	case store.ExceptedHidden:
		l.where("excepted_until <= ?", micros(f.Now))
	case store.ExceptedOnly:
		l.where("exception_id <> '' AND excepted_until > ?", micros(f.Now))
	}
	zones, err := zoneIDs(ctx, db, f.Zones)
	if err != nil || zones != nil && len(zones) == 0 {
		return l, true, err
	}
	results := cleanAll(f.Results)
	if l.everyResult(f.Results) {
		results = nil
	}
	most := streamsAtMost
	switch {
	case f.Excepted == store.ExceptedOnly:
		most = 0 // accepted findings have an index of their own
	case f.Text != "":
		most = textStreamsAtMost
	}
	for _, c := range []struct {
		column string
		values []string
	}{{"check_id", cleanAll(f.Checks)}, {"zone_id", zones}, {"category", cleanAll(f.Categories)},
		{accountColumn, cleanAll(f.Accounts)}, {"result", results}} {
		if len(c.values) == 0 {
			continue
		}
		few := len(c.values)*len(l.classes)*max(1, len(l.ranges)) <= most && len(f.Resources)+len(f.IDs) == 0
		if few && l.column == "" && (c.column != accountColumn || !s.walked(c.values)) {
			l.column, l.values = c.column, distinct(c.values)
			continue
		}
		l.where(c.column+" IN (?)", bun.List(c.values))
	}
	if len(f.IDs) > 0 {
		l.where("finding_id IN (?)", bun.List(cleanAll(f.IDs)))
	}
	if len(f.Resources) > 0 {
		ids := cleanAll(f.Resources)
		keys := make([]int32, len(ids))
		for i, id := range ids {
			keys[i] = resourceKey(id)
		}
		l.where("resource_key IN (?) AND resource_id IN (?)", bun.List(keys), bun.List(ids))
	}
	if f.Text == "" {
		return l, false, nil
	}
	return s.searched(ctx, db, l, clean(strings.ToLower(f.Text)))
}

// standing chooses the classes in which the filter can match; none is true when there are none.
func (l *latestList) standing(f store.LatestFilter) (none bool) {
	has := func(st posture.FindingStatus) bool { return allows(f.Statuses, st) }
	open, reopened := has(posture.StatusOpen), has(posture.StatusReopened)
	if open || reopened {
		l.classes = append(l.classes, classOpen)
	}
	if has(posture.StatusResolved) {
		l.classes = append(l.classes, classResolved)
		if !f.Opened {
			l.classes = append(l.classes, classQuiet)
		}
	}
	if open != reopened {
		l.where("status IN (?)", bun.List(cleanAll(f.Statuses)))
	}
	return len(l.classes) == 0
}

// everyResult reports whether the result filter excludes nothing in the chosen classes; open findings
// are FAIL, WARNING or UNKNOWN.
func (l *latestList) everyResult(results []posture.Result) bool {
	if len(results) == 0 {
		return true
	}
	needed := posture.Results()
	if slices.Equal(l.classes, []int{classOpen}) {
		needed = []posture.Result{posture.Fail, posture.Warning, posture.Unknown}
	}
	return !slices.ContainsFunc(needed, func(r posture.Result) bool { return !slices.Contains(results, r) })
}

// severities makes the ranges of places; adjacent severities share one range.
func (l *latestList) severities(chosen []posture.Severity) {
	if len(chosen) == 0 {
		return
	}
	for rank := posture.Critical.Rank(); rank >= 0; rank-- {
		if !slices.ContainsFunc(chosen, func(v posture.Severity) bool { return v.Rank() == rank }) {
			continue
		}
		from, to := placeFrom(rank), placeFrom(rank-1)
		if n := len(l.ranges); n > 0 && l.ranges[n-1][1] == from {
			l.ranges[n-1][1] = to
		} else {
			l.ranges = append(l.ranges, [2]int64{from, to})
		}
	}
}

// zoneIDs gives the ids of the zones that a filter names by id or name; nil when it names none.
func zoneIDs(ctx context.Context, db bun.IDB, words []string) ([]string, error) {
	if len(words) == 0 {
		return nil, nil
	}
	ids := slices.DeleteFunc(cleanAll(words), func(w string) bool { return w == "" })
	if len(ids) == 0 {
		return ids, nil
	}
	var named []string
	if err := db.NewRaw("SELECT zone_id FROM finding_zone WHERE zone IN (?)", bun.List(ids)).Scan(ctx, &named); err != nil {
		return nil, err
	}
	return append(ids, named...), nil
}

// searchOfState is the searched text of a state that is not in the text index.
const searchOfState = `COALESCE(search, (SELECT t.search FROM finding AS t WHERE t.assessment_no = finding_state.assessment_no AND t.seq ` +
	`= finding_state.seq), '')`

// searched adds the condition of a text search. A rare text is answered from the text index.
func (s *Store) searched(ctx context.Context, db bun.IDB, l *latestList, text string) (_ *latestList, none bool, err error) {
	if slices.Contains(l.classes, classQuiet) {
		// The text index does not hold these.
		l.where(s.engine.Find+"("+searchOfState+", ?) > 0", text)
		return l, false, nil
	}
	condition, argument := s.engine.Match(rarest(text))
	var nos []int64
	if err := db.NewRaw("SELECT rowid FROM finding_text WHERE "+condition+" AND "+s.engine.Find+"(search, ?) > 0 LIMIT ?", argument, text,
		rareText+1).Scan(ctx, &nos); err != nil {
		return l, false, err
	}
	switch {
	case len(nos) == 0:
		return l, true, nil
	case len(nos) > rareText:
		l.where("EXISTS (SELECT 1 FROM finding_text AS t WHERE t.rowid = finding_state.no AND "+s.engine.Find+"(t.search, ?) > 0)", text)
		return l, false, nil
	}
	l.flatten()
	l.where("no IN (?)", bun.List(nos))
	return l, false, nil
}

// flatten turns classes, values and ranges into conditions: one query remains, in no particular order.
func (l *latestList) flatten() {
	if len(l.classes) > 0 {
		l.where("class IN (?)", bun.List(l.classes))
	}
	l.classes = nil
	l.merge()
}

// merge turns values and ranges into conditions, so that one stream per class remains.
func (l *latestList) merge() {
	if l.column != "" {
		l.where(l.column+" IN (?)", bun.List(l.values))
	}
	var ranges []string
	for _, r := range l.ranges {
		ranges = append(ranges, fmt.Sprintf("place >= %d AND place < %d", r[0], r[1]))
	}
	if len(ranges) > 0 {
		l.where("(" + strings.Join(ranges, " OR ") + ")")
	}
	l.column, l.values, l.ranges = "", nil, nil
}

// page is the query of the state numbers of one page.
func (l *latestList) page() (string, []any) {
	values, classes, ranges := l.values, l.classes, l.ranges
	if l.column == "" {
		values = []string{""}
	}
	if len(classes) == 0 {
		classes = []int{-1}
	}
	if len(ranges) == 0 {
		ranges = [][2]int64{{-1, -1}}
	}
	var parts []string
	var args []any
	for _, class := range classes {
		for _, value := range values {
			for _, r := range ranges {
				part, of := l.stream(class, value, r)
				parts, args = append(parts, part), append(args, of...)
			}
		}
	}
	if len(parts) == 1 {
		return parts[0], args
	}
	q := "SELECT * FROM (" + strings.Join(parts, ") AS x UNION ALL SELECT * FROM (") + ") AS x ORDER BY " + l.order.outer("") +
		"place, finding_id" + limited(l.limit)
	return q, args
}

func limited(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" LIMIT %d", n)
}

func (l *latestList) stream(class int, value string, places [2]int64) (string, []any) {
	conds, args := slices.Clone(l.conds), slices.Clone(l.args)
	add := func(c string, a ...any) { conds, args = append(conds, c), append(args, a...) }
	if class >= 0 {
		add("class = ?", class)
	}
	if l.column != "" {
		add(l.column+" = ?", value)
	}
	if places[0] >= 0 {
		add("place >= ? AND place < ?", places[0], places[1])
	}
	if len(conds) == 0 {
		conds = []string{"1 = 1"}
	}
	return "SELECT no, place, finding_id" + l.order.column() + " FROM finding_state WHERE " + strings.Join(conds, " AND ") + " ORDER BY " +
		l.order.inner + "place, finding_id" + limited(l.each), args
}

func distinct(values []string) []string {
	out := slices.Clone(values)
	slices.Sort(out)
	return slices.Compact(out)
}

// latestFindings gives the findings that states refer to, without those that were forgotten meanwhile.
func (s *Store) latestFindings(ctx context.Context, states []stateRow, now time.Time) ([]store.LatestFinding, error) {
	nos, spots := make([]int64, len(states)), make([]spot, len(states))
	for i := range states {
		nos[i], spots[i] = states[i].AssessmentNo, spot{states[i].AssessmentNo, states[i].Seq}
	}
	of, err := s.openAll(ctx, nos)
	if err != nil {
		return nil, err
	}
	rows, err := s.rowsAt(ctx, of, spots)
	if err != nil {
		return nil, err
	}
	out := make([]store.LatestFinding, 0, len(states))
	for i := range states {
		row, there := rows[spots[i]]
		if !there {
			continue
		}
		latest, err := states[i].latest(row, of[states[i].AssessmentNo], now)
		if err != nil {
			return nil, err
		}
		out = append(out, latest)
	}
	return out, nil
}

// latest gives the finding as its last run saw it, with its current state.
func (r *stateRow) latest(row findingRow, a openAssessment, now time.Time) (store.LatestFinding, error) {
	row.Result, row.FindingID, row.ResourceID = r.Result, r.FindingID, r.ResourceID
	f, err := row.finding(a.catalogue)
	if err != nil {
		return store.LatestFinding{}, err
	}
	f.Status, f.FirstSeen, f.LastSeen = posture.FindingStatus(r.Status), instant(r.FirstSeen), instant(r.LastSeen)
	f.Exception, f.ExceptionNote = nil, ""
	if r.ExceptionID != "" && r.ExceptedUntil > micros(now) {
		f.Exception = &r.ExceptionID
	}
	return store.LatestFinding{Finding: f, AccountID: r.ProviderAccountID, AssessmentID: a.id, Resolution: posture.Resolution(r.Resolution)},
		nil
}

// LatestFinding implements store.Assessments.
func (s *Store) LatestFinding(ctx context.Context, findingID string, now time.Time) (store.LatestFinding, error) {
	rows, err := selected[[]stateRow](ctx, s, "read a finding", `SELECT `+latestColumns+
		` FROM finding_state AS s WHERE s.assessment_no > 0 AND s.finding_id = ? AND s.assessment_`+notDeleted+` LIMIT 1`, clean(findingID))
	if err != nil {
		return store.LatestFinding{}, err
	}
	out, err := s.latestFindings(ctx, rows, now)
	if err == nil && len(out) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.LatestFinding{}, err
	}
	return out[0], nil
}
