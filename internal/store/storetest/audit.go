package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Raw also opens a database without the store, like somebody who wants to change what the audit log
// says.
type Raw interface {
	Opener
	Raw(t testing.TB, place string) *sql.DB
}

// Audit tests what the audit log guarantees beyond one store, with a number of changes made without the
// store.
func Audit(t *testing.T, o Raw, changes int) {
	t.Run("two stores number one log without a gap", func(t *testing.T) { auditRace(t, o) })
	t.Run("entries that arrive together share a transaction", func(t *testing.T) { auditTogether(t, o) })
	t.Run("an entry that cannot be written fails alone", func(t *testing.T) { auditAlone(t, o) })
	t.Run("changes of what is stored are found", func(t *testing.T) { auditTampered(t, o, changes) })
}

func auditCases() []testCase {
	return []testCase{
		{"audit entries are numbered, chained and kept as they are", auditChain},
		{"audit log is filtered and paged, newest first", auditList},
		{"audit log is cut at a checkpoint, and its chain holds from there", auditCut},
		{"audit log is not cut when nothing is old enough", auditNotCut},
	}
}

func entryOf(i int) audit.Entry {
	return audit.Entry{At: noon().Add(time.Duration(i) * time.Minute), Actor: "key:0123abcd", Address: "2001:db8::1",
		Action: "accounts.create", Method: "POST", Target: audit.Target{Type: "accounts", ID: fmt.Sprintf("id-%d \u2028'\"", i)},
		Outcome: audit.Outcomes()[i%4], Status: 200 + i, Code: "code", RequestID: "request", JobID: fmt.Sprintf("job-%d", i%3), Count: 1 + i}
}

func appended(t testing.TB, s store.Store, n int) []audit.Entry {
	t.Helper()
	var out []audit.Entry
	for i := range n {
		e, err := s.AppendAudit(t.Context(), entryOf(i))
		require.NoError(t, err)
		out = append(out, e)
	}
	return out
}

func auditChain(t *testing.T, s store.Store) {
	head, err := s.AuditHead(t.Context())
	require.NoError(t, err)
	require.Equal(t, audit.Head{}, head)
	_, err = store.VerifyAudit(t.Context(), s, audit.Head{})
	require.NoError(t, err, "an empty log")
	wrote := appended(t, s, 5)
	before := audit.Genesis
	for i, e := range wrote {
		require.Equal(t, int64(i+1), e.Seq)
		require.Equal(t, before, e.Previous)
		require.Equal(t, audit.Sum(e), e.Hash)
		before = e.Hash
	}
	slices.Reverse(wrote)
	got, next, err := s.Audit(t.Context(), store.AuditFilter{}, store.Page{})
	require.NoError(t, err)
	require.Empty(t, next)
	require.Equal(t, wrote, got)
	head, err = store.VerifyAudit(t.Context(), s, audit.Head{Seq: wrote[3].Seq, Hash: wrote[3].Hash})
	require.NoError(t, err)
	require.Equal(t, audit.Head{Seq: 5, Hash: wrote[0].Hash}, head)
	hostile, err := s.AppendAudit(t.Context(), audit.Entry{At: noon(), Actor: "a\x00\xff" + strings.Repeat("é", 400),
		Target: audit.Target{ID: "\n"}})
	require.NoError(t, err)
	got, _, err = s.Audit(t.Context(), store.AuditFilter{}, store.Page{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, []audit.Entry{hostile}, got)
	_, err = store.VerifyAudit(t.Context(), s, head)
	require.NoError(t, err)
}

func auditList(t *testing.T, s store.Store) {
	all := appended(t, s, 12)
	for name, c := range map[string]struct {
		f    store.AuditFilter
		want func(e audit.Entry) bool
	}{
		"outcomes": {store.AuditFilter{Outcomes: []audit.Ending{audit.Refused, audit.Failed}},
			func(e audit.Entry) bool { return e.Outcome == audit.Refused || e.Outcome == audit.Failed }},
		"job":          {store.AuditFilter{Job: "job-1"}, func(e audit.Entry) bool { return e.JobID == "job-1" }},
		"since":        {store.AuditFilter{Since: all[4].At}, func(e audit.Entry) bool { return !e.At.Before(all[4].At) }},
		"until":        {store.AuditFilter{Until: all[4].At}, func(e audit.Entry) bool { return e.At.Before(all[4].At) }},
		"other action": {store.AuditFilter{Actions: []string{"x\x00"}}, func(audit.Entry) bool { return false }},
		"action, actor": {store.AuditFilter{Actions: []string{"accounts.create"}, Actors: []string{"key:0123abcd"}},
			func(audit.Entry) bool { return true }},
	} {
		var want, got []audit.Entry
		for _, e := range slices.Backward(all) {
			if c.want(e) {
				want = append(want, e)
			}
		}
		for page := (store.Page{Limit: 2}); ; {
			rows, next, err := s.Audit(t.Context(), c.f, page)
			require.NoError(t, err, name)
			require.LessOrEqual(t, len(rows), 2)
			got = append(got, rows...)
			if page.Cursor = next; next == "" {
				break
			}
		}
		require.Equal(t, want, got, name)
	}
}

func auditCut(t *testing.T, s store.Store) {
	all := appended(t, s, 10)
	n, err := s.CutAudit(t.Context(), all[4].At, audit.Entry{At: noon().Add(time.Hour), Actor: "worker:a:1"})
	require.NoError(t, err)
	require.Equal(t, 4, n)
	got, _, err := s.Audit(t.Context(), store.AuditFilter{}, store.Page{})
	require.NoError(t, err)
	require.Len(t, got, 7)
	require.Equal(t, audit.Cut, got[0].Action)
	require.Equal(t, fmt.Sprintf("4:%s", all[3].Hash), got[0].Target.ID)
	head, err := store.VerifyAudit(t.Context(), s, audit.Head{Seq: 6, Hash: all[5].Hash})
	require.NoError(t, err)
	require.EqualValues(t, 11, head.Seq)
	n, err = s.CutAudit(t.Context(), noon().Add(1000*time.Hour), audit.Entry{At: noon().Add(1000 * time.Hour)})
	require.NoError(t, err)
	require.Equal(t, 6, n, "the newest stays, whatever its age")
	_, err = store.VerifyAudit(t.Context(), s, head)
	require.NoError(t, err)
	require.Len(t, appended(t, s, 2), 2)
	_, err = store.VerifyAudit(t.Context(), s, head)
	require.NoError(t, err)
}

func auditNotCut(t *testing.T, s store.Store) {
	n, err := s.CutAudit(t.Context(), noon(), entryOf(0))
	require.NoError(t, err)
	require.Zero(t, n)
	appended(t, s, 3)
	n, err = s.CutAudit(t.Context(), noon(), entryOf(0))
	require.NoError(t, err)
	require.Zero(t, n)
	head, err := s.AuditHead(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, head.Seq)
}

// auditRace has two stores on one database append from many goroutines, and one of them cut the log
// meanwhile.
func auditRace(t *testing.T, o Raw) {
	place := o.Place(t)
	var stores []store.Store
	for range 2 {
		s, err := o.Open(t.Context(), place)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		stores = append(stores, s)
	}
	const writers, each = 16, 10
	wrote, errs := together(writers, func(i int) ([]int64, error) {
		var seqs []int64
		for range each {
			e, err := stores[i%2].AppendAudit(t.Context(), entryOf(i))
			if err != nil {
				return nil, err
			}
			seqs = append(seqs, e.Seq)
		}
		if i == 7 {
			_, err := stores[0].CutAudit(t.Context(), noon().Add(time.Nanosecond), entryOf(i))
			return seqs, err
		}
		return seqs, nil
	})
	require.Equal(t, writers, tally(t, errs, nil))
	seen := map[int64]bool{}
	for _, seqs := range wrote {
		for _, n := range seqs {
			require.False(t, seen[n], "number %d was given twice", n)
			seen[n] = true
		}
	}
	for _, s := range stores {
		head, err := store.VerifyAudit(t.Context(), s, audit.Head{})
		require.NoError(t, err)
		require.GreaterOrEqual(t, head.Seq, int64(writers*each))
		require.LessOrEqual(t, head.Seq, int64(writers*each+1), "a number was lost")
	}
}

const auditColumns = "seq, at, actor, address, action, method, target_type, target_id, outcome, status, code, request_id, job_id, number," +
	" previous, hash"

// auditTampered changes the stored log in random ways and expects each change to be detected, and no
// detection without a change.
func auditTampered(t *testing.T, o Raw, changes int) {
	place := o.Place(t)
	s, err := o.Open(t.Context(), place)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	entries := appended(t, s, 12)
	anchor := audit.Head{Seq: 12, Hash: entries[11].Hash}
	raw := o.Raw(t, place)
	good := rawRows(t, raw)
	require.Len(t, good, 12)
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range changes {
		how, rows := tampered(random, good)
		rawWrite(t, raw, rows, anchor)
		_, err := store.VerifyAudit(t.Context(), s, anchor)
		var broken *audit.BrokenError
		require.ErrorAs(t, err, &broken, "change %d, seed %d: %s was not found", i, seed, how)
	}
	rawWrite(t, raw, good, anchor)
	_, err = store.VerifyAudit(t.Context(), s, anchor)
	require.NoError(t, err)
	// Cutting off the end and adjusting the head row is only detected with a head noted before.
	rawWrite(t, raw, good[:9], audit.Head{Seq: 9, Hash: entries[8].Hash})
	_, err = store.VerifyAudit(t.Context(), s, audit.Head{})
	require.NoError(t, err)
	_, err = store.VerifyAudit(t.Context(), s, anchor)
	require.ErrorContains(t, err, "noted")
}

// tampered returns manipulated rows: a byte of a value changed, a row removed, copied or moved, the end
// or the beginning cut off.
func tampered(random *rand.Rand, good [][]any) (how string, rows [][]any) {
	rows = make([][]any, len(good))
	for i := range good {
		rows[i] = slices.Clone(good[i])
	}
	at := random.IntN(len(rows))
	switch kind := random.IntN(20); kind {
	case 0:
		return fmt.Sprintf("removing row %d", at), slices.Delete(rows, at, at+1)
	case 1:
		return "cutting the end off", rows[:at]
	case 2:
		return "cutting the beginning off", rows[at+1:]
	case 3:
		other := (at + 1 + random.IntN(len(rows)-1)) % len(rows)
		rows[at][0], rows[other][0] = rows[other][0], rows[at][0]
		return fmt.Sprintf("swapping %d and %d", at, other), rows
	case 4:
		again := slices.Clone(rows[at])
		again[0] = int64(len(rows) + 1)
		rows[at][2] = "local"
		return "adding a copy and changing the original", slices.Concat(rows, [][]any{again})
	default:
		column := random.IntN(len(rows[at]))
		switch v := rows[at][column].(type) {
		case int64:
			v ^= 1 << random.IntN(12)
			if column == 0 { // a duplicate number is refused by the database
				v += 1 << 13
			}
			rows[at][column] = v
		case string:
			rows[at][column] = altered(random, v)
		}
		return fmt.Sprintf("changing column %d of row %d to %v", column, at, rows[at][column]), rows
	}
}

// altered changes, adds or removes one byte of a text.
func altered(random *rand.Rand, s string) string {
	letter := string(rune('!' + random.IntN(90)))
	if s == "" || random.IntN(4) == 0 {
		return s + letter
	}
	i := random.IntN(len(s))
	for s[i] >= 0x80 { // keep the text valid UTF-8
		i = random.IntN(len(s))
	}
	if random.IntN(4) == 0 {
		return s[:i] + s[i+1:]
	}
	if s[i:i+1] == letter {
		letter = "~"
	}
	return s[:i] + letter + s[i+1:]
}

func rawRows(t testing.TB, db *sql.DB) [][]any {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT "+auditColumns+" FROM audit ORDER BY seq")
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	var out [][]any
	for rows.Next() {
		ints, texts := map[int]*int64{}, map[int]*string{}
		into := make([]any, strings.Count(auditColumns, ",")+1)
		for i := range into {
			if slices.Contains([]int{0, 1, 9, 13}, i) {
				ints[i] = new(int64)
				into[i] = ints[i]
				continue
			}
			texts[i] = new(string)
			into[i] = texts[i]
		}
		require.NoError(t, rows.Scan(into...))
		values := make([]any, len(into))
		for i, v := range ints {
			values[i] = *v
		}
		for i, v := range texts {
			values[i] = *v
		}
		out = append(out, values)
	}
	require.NoError(t, rows.Err())
	return out
}

func rawWrite(t testing.TB, db *sql.DB, rows [][]any, head audit.Head) {
	t.Helper()
	statements := []string{"BEGIN", "DELETE FROM audit", fmt.Sprintf("UPDATE audit_head SET seq = %d, hash = '%s'", head.Seq, head.Hash)}
	for _, row := range rows {
		var values []string
		for _, v := range row {
			if text, ok := v.(string); ok {
				v = "'" + strings.ReplaceAll(text, "'", "''") + "'"
			}
			values = append(values, fmt.Sprint(v))
		}
		statements = append(statements, "INSERT INTO audit ("+auditColumns+") VALUES ("+strings.Join(values, ", ")+")")
	}
	_, err := db.ExecContext(context.WithoutCancel(t.Context()), strings.Join(append(statements, "COMMIT"), "; "))
	require.NoError(t, err)
}
