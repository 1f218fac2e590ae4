package storetest

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// record is the evidence the cases save with an assessment.
func record() store.Evidence {
	return store.Evidence{Version: "1.2.3", Policy: json.RawMessage(`{"tokenFailDays":14}`), Request: json.RawMessage(`{"zones":["a"]}`),
		Outline: snapshot.Outline{Read: map[string][]string{"zone/list": {providerAccount}},
			Rest: []snapshot.Section{section("zone/dnssec", "z", snapshot.Denied, "")}}}
}

func evidenceCases() []testCase {
	return []testCase{
		{"evidence comes back with the digest of the rows", evidenceComesBack},
		{"evidence of an unknown assessment is not found", func(t *testing.T, s store.Store) {
			for _, id := range []string{newID(t), "", "\x00", "'; --"} {
				_, err := s.Evidence(t.Context(), id)
				require.ErrorIs(t, err, store.ErrNotFound)
			}
		}},
		{"keys of evidence are added one after the other", keysAreAdded},
	}
}

func evidenceComesBack(t *testing.T, s store.Store) {
	digests := map[string]bool{}
	for _, n := range []int{0, 1, 999, 1001} {
		report := saved(t, s, n, func(in *store.SaveAssessment) { in.Evidence = record() })
		got, err := s.Evidence(t.Context(), report.ID)
		require.NoError(t, err)
		require.Len(t, got.Digest, 32)
		require.False(t, digests[string(got.Digest)])
		digests[string(got.Digest)] = true
		got.Digest = nil
		require.Equal(t, record(), got)
	}
}

func keysAreAdded(t *testing.T, s store.Store) {
	ctx := t.Context()
	keys, err := s.EvidenceKeys(ctx)
	require.NoError(t, err)
	require.Empty(t, keys)
	key := func(no int64) store.EvidenceKey {
		return store.EvidenceKey{ID: "key-" + strconv.FormatInt(no, 10), No: no, Generation: no + 5, Public: []byte{byte(no)},
			CreatedAt: kept(noon())}
	}
	require.ErrorIs(t, s.KeepEvidenceKey(ctx, key(2)), store.ErrChanged, "not the next")
	_, errs := together(16, func(int) (struct{}, error) { return struct{}{}, s.KeepEvidenceKey(ctx, key(1)) })
	require.Equal(t, 1, tally(t, errs, store.ErrChanged), "the first writer wins")
	require.ErrorIs(t, s.KeepEvidenceKey(ctx, key(1)), store.ErrChanged)
	require.NoError(t, s.KeepEvidenceKey(ctx, key(2)))
	keys, err = s.EvidenceKeys(ctx)
	require.NoError(t, err)
	require.Equal(t, []store.EvidenceKey{key(2), key(1)}, keys)
}

// Surgeon is an Opener that can change a database without the store.
type Surgeon interface {
	Raw
	// Literal formats bytes as an SQL literal for a text or a binary column.
	Literal(b []byte, text bool) string
}

// tampering is a database that is being tampered with.
type tampering struct {
	Surgeon
	t  *testing.T
	db *sql.DB
	s  store.Store
	id string
}

// Tampering checks that changes made to the rows of an assessment without the store are detected:
// single flipped bits, and rows that were removed, moved or added.
func Tampering(t *testing.T, o Surgeon, flips int) {
	place := o.Place(t)
	session(t, o, place, func(s store.Store) {
		db := o.Raw(t, place)
		saved(t, s, 3, nil) // another assessment, which must not matter
		report := saved(t, s, 40, func(in *store.SaveAssessment) { in.Evidence = record() })
		x := &tampering{Surgeon: o, t: t, db: db, s: s, id: report.ID}
		x.expect(nil, "untouched")
		// One part of each run; the second run also contains the parts of the first.
		other := string(x.value("piece", "no", "no = (SELECT MIN(no) FROM piece WHERE length(facts) > 0)"))
		part := string(x.value("piece", "no", "no = (SELECT MAX(no) FROM piece WHERE length(facts) > 0)"))
		good, list := x.Literal(x.value("piece", "value", "no = "+part), false), x.Literal(x.value("assessment", "pieces", "no = 2"), false)
		for what, c := range map[string][2]string{
			"a part is gone": {"UPDATE piece SET no = -no WHERE no = " + part, "UPDATE piece SET no = -no WHERE no = -" + part},
			"it is another": {"UPDATE piece SET value = (SELECT value FROM piece AS p WHERE p.no = " + other + ") WHERE no = " + part,
				"UPDATE piece SET value = " + good + " WHERE no = " + part},
			"the list is of another": {"UPDATE assessment SET pieces = (SELECT a.pieces FROM assessment AS a WHERE a.no = 1) WHERE no = 2",
				"UPDATE assessment SET pieces = " + list + " WHERE no = 2"},
			"there is no list at all": {"UPDATE assessment SET pieces = NULL WHERE no = 2", "UPDATE assessment SET pieces = " + list +
				" WHERE no = 2"},
		} {
			x.do(c[0])
			x.expect(store.ErrTampered, what)
			x.do(c[1])
			x.expect(nil, what)
		}
		x.flips(flips)
		x.expect(nil, "all flipped back")
		x.do("DELETE FROM assessment_evidence WHERE assessment_no = 2")
		got, err := s.Evidence(t.Context(), report.ID)
		require.NoError(t, err)
		require.Nil(t, got.Digest, "as if an older version had saved it: the digest is no seal")
	})
}

func (x *tampering) do(statement string) {
	x.t.Helper()
	_, err := x.db.ExecContext(x.t.Context(), statement)
	require.NoError(x.t, err, statement)
}

func (x *tampering) value(table, column, where string) (v []byte) {
	x.t.Helper()
	require.NoError(x.t, x.db.QueryRowContext(x.t.Context(), "SELECT "+column+" FROM "+table+" WHERE "+where).Scan(&v))
	return v
}

func (x *tampering) expect(want error, what string) {
	x.t.Helper()
	_, err := x.s.Evidence(x.t.Context(), x.id)
	require.ErrorIs(x.t, err, want, what)
}

// flips flips one bit of a column at a time, at seeded random places, and restores it.
func (x *tampering) flips(n int) {
	x.t.Helper()
	const seed = 19
	random := rand.New(rand.NewPCG(seed, seed))
	columns := []struct {
		table, column string
		text          bool
	}{{"piece AS catalogue", "value", false}, {"piece AS counts", "value", false}, {"assessment", "summary", false},
		{"piece", "value", false}, {"piece", "facts", false}, {"assessment", "checks", false}, {"assessment", "pieces", false},
		{"assessment", "catalogue", false},
		{"assessment", "job_id", true}, {"piece", "texts", false}, {"assessment", "account_id", true}, {"assessment", "provider_account_id",
			true}, {"assessment", "status", true}, {"assessment_graph", "graph", false}, {"assessment_graph", "paths", false},
		{"assessment_graph", "modifications", false}, {"assessment_evidence", "record", false}, {"assessment_evidence", "digest", false}}
	for i := range n {
		c := columns[i%len(columns)]
		where := "assessment_no = 2"
		switch c.table {
		case "assessment":
			where = "no = 2"
		case "piece":
			where = "no = (SELECT MAX(no) FROM piece WHERE length(facts) > 0)"
		case "piece AS catalogue", "piece AS counts": // the value refers to a piece
			where = fmt.Sprint("no = ", x.value("assessment", strings.TrimPrefix(c.table, "piece AS "), "no = 2")[1])
		}
		was := x.value(c.table, c.column, where)
		now := slices.Clone(was)
		now[random.IntN(len(now))] ^= 1 << random.IntN(5) // a text stays valid: no zero byte, only ASCII
		set := "UPDATE " + c.table + " SET " + c.column + " = "
		what := fmt.Sprintf("seed %d, flip %d: %s.%s", seed, i, c.table, c.column)
		x.do(set + x.Literal(now, c.text) + " WHERE " + where)
		x.expect(store.ErrTampered, what)
		x.do(set + x.Literal(was, c.text) + " WHERE " + where)
	}
}
