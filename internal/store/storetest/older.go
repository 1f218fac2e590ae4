package storetest

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// version12 is a database as a release with schema 12 left it: three runs of one account with 60, 1,100
// and 30 findings, and one run of another.
//
//go:embed testdata/version12.json.gz
var version12 []byte

// older is a database of an older release and the results that release returned.
type older struct {
	Tables   []table
	Reports  []string
	Latest   []store.LatestFinding
	Findings [][]posture.Finding // the first 60 of each report
	Digests  [][]byte
}

// table has the rows of one table, in an order in which they can be inserted.
type table struct {
	Name, Columns string
	Rows          [][]cellValue
}

// cellValue is NULL or, depending on Kind, bytes (b), text (t), a number (n), true (y) or false (f).
type cellValue struct {
	Kind   string `json:"k,omitempty"`
	Bytes  []byte `json:"b,omitempty"`
	Text   string `json:"t,omitempty"`
	Number int64  `json:"n,omitempty"`
}

func (c cellValue) literal(o Surgeon) string {
	switch c.Kind {
	case "b":
		return o.Literal(c.Bytes, false)
	case "t":
		return o.Literal([]byte(c.Text), true)
	case "n":
		return strconv.FormatInt(c.Number, 10)
	case "y":
		return "TRUE"
	case "f":
		return "FALSE"
	default:
		return "NULL"
	}
}

// OldSurgeon is a Surgeon that can also migrate to an older schema.
type OldSurgeon interface {
	Surgeon
	Migrator
}

// Older checks that the database of an older release returns the same results, byte for byte, and
// accepts new runs.
func Older(t *testing.T, o OldSurgeon) {
	var was older
	gz, err := gzip.NewReader(bytes.NewReader(version12))
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(gz).Decode(&was))
	place := o.Place(t)
	require.NoError(t, o.MigrateTo(t.Context(), place, 12))
	db := o.Raw(t, place)
	for _, table := range was.Tables {
		for _, row := range table.Rows {
			values := make([]string, len(row))
			for i, c := range row {
				values[i] = c.literal(o)
			}
			_, err := db.ExecContext(t.Context(), "INSERT INTO "+table.Name+" ("+table.Columns+") VALUES ("+strings.Join(values, ", ")+")")
			require.NoError(t, err)
		}
	}
	_, err = db.ExecContext(t.Context(), `INSERT INTO finding_state (provider_account_id, finding_id, result, status, first_seen, last_seen)
		VALUES ('`+providerAccount+`', 'of no assessment', 'FAIL', 'open', 5, 7)`)
	require.NoError(t, err)
	session(t, o, place, func(s store.Store) {
		got := latest(t, s, store.LatestFilter{})
		require.Len(t, got, len(was.Latest))
		for i, want := range was.Latest {
			if want.AccountID == "elsewhere" {
				// No stored finding records that these passes were once failures.
				want.Resolution, got[i].Resolution = "", ""
			}
			want.Finding = worded(want.Finding)
			require.Equal(t, want, got[i])
		}
		for text, n := range map[string]int{"host-1034.": 1, "no such text": 0} {
			require.Len(t, latest(t, s, store.LatestFilter{FindingFilter: store.FindingFilter{Text: text}}), n)
		}
		require.NotEmpty(t, latest(t, s, store.LatestFilter{FindingFilter: store.FindingFilter{Zones: []string{"zone01.example"}}}))
		for i, id := range was.Reports {
			all := findings(t, s, id, store.FindingFilter{})
			for n := range was.Findings[i] {
				was.Findings[i][n] = worded(was.Findings[i][n])
			}
			require.Equal(t, was.Findings[i], all[:min(60, len(all))])
			require.Equal(t, outcomesOf(all), outcomes(t, s, id))
			evidence, err := s.Evidence(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, was.Digests[i], evidence.Digest)
		}
		change := func(statement string) {
			_, err := db.ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		change("UPDATE finding SET result = 'pass' WHERE assessment_no = 1 AND seq = 0")
		_, err := s.Evidence(t.Context(), was.Reports[0])
		require.ErrorIs(t, err, store.ErrTampered)
		change("UPDATE finding SET result = '" + string(was.Findings[0][0].Result) + "' WHERE assessment_no = 1 AND seq = 0")
		known := knownStates(t, s, providerAccount)
		require.Len(t, known, 1101)
		require.EqualValues(t, 5, known["of no assessment"].FirstSeen.UnixMicro(), "history that nothing else tells is kept")
		counts, err := s.CountFindings(t.Context(), was.Reports[2], store.FindingFilter{Text: "record"})
		require.NoError(t, err)
		require.Equal(t, 6, counts[posture.Fail], "an older assessment is counted and searched by its rows")
		// New runs follow, and the history of a finding has both.
		report := saved(t, s, 100, func(in *store.SaveAssessment) {
			in.Assessment.CompletedAt = in.Assessment.CompletedAt.AddDate(1, 0, 0)
			otherAccount(providerAccount, 0)(in)
		})
		sightings, err := s.Sightings(t.Context(), was.Findings[0][3].ID, 100)
		require.NoError(t, err)
		require.Len(t, sightings, 4)
		require.Equal(t, report.ID, sightings[0].AssessmentID)
		require.Equal(t, was.Reports[0], sightings[3].AssessmentID)
	})
	o.Check(t, place)
}

// worded returns a finding of a release that only knew its check's title, as it is read today.
func worded(f posture.Finding) posture.Finding {
	f.CheckTitle = f.Title
	return f.Worded()
}
