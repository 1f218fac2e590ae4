package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// before00013 takes a database back to what the version before states told what lists
// filter by had kept.
func before00013() []string {
	return []string{
		`CREATE TABLE kept AS SELECT provider_account_id, finding_id, result, status, first_seen, last_seen FROM finding_state`,
		`DROP TABLE finding_state`, `DROP TABLE finding_text`, `DROP TABLE finding_zone`, `DROP TABLE assessment_text`, `DROP TABLE exception`, `DROP TABLE exception_guard`,
		`ALTER TABLE assessment DROP COLUMN counts`,
		`CREATE TABLE finding_state (provider_account_id TEXT NOT NULL, finding_id TEXT NOT NULL, result TEXT NOT NULL, status TEXT NOT NULL,
			first_seen BIGINT NOT NULL, last_seen BIGINT NOT NULL, PRIMARY KEY (provider_account_id, finding_id))`,
		`INSERT INTO finding_state SELECT * FROM kept`, `DROP TABLE kept`,
		`INSERT INTO finding_state VALUES ('` + providerAccount + `', 'of no assessment', 'FAIL', 'open', 5, 7)`,
	}
}

// Fill shows that the states of an older database get what their findings tell. migrate
// runs statements on the database at a place, and then migration 00013 once more.
func Fill(t *testing.T, o Opener, migrate func(t testing.TB, place string, statements ...string)) {
	place := o.Place(t)
	var want []store.LatestFinding
	var report posture.Assessment
	session(t, o, place, func(s store.Store) {
		for i, n := range []int{60, 1500, 30} {
			report = saved(t, s, n, func(in *store.SaveAssessment) {
				in.Assessment.CompletedAt = noon().Add(time.Duration(i) * time.Hour)
				in.Assessment.StartedAt = noon().Add(time.Duration(i) * time.Hour)
				otherAccount(providerAccount, 0)(in)
				for k := range in.States {
					// What passes now failed in the first run, if it was in that.
					passes := in.States[k].Status == posture.StatusResolved
					if passes && i == 0 {
						in.Assessment.Findings[k].Result, in.Assessment.Findings[k].Status = posture.Fail, posture.StatusOpen
						in.States[k].Result, in.States[k].Status = posture.Fail, posture.StatusOpen
					}
					in.States[k].Opened = in.States[k].Result == posture.Fail || in.States[k].Result == posture.Warning || passes && k < 60
					if passes && k < 60 && i > 0 {
						in.States[k].Resolution = posture.ResolutionFixed
					}
				}
			})
		}
		saved(t, s, 40, otherAccount("elsewhere", 0))
		want = latest(t, s, store.LatestFilter{})
		require.Len(t, want, 1540)
	})
	migrate(t, place, before00013()...)
	session(t, o, place, func(s store.Store) {
		got := latest(t, s, store.LatestFilter{})
		require.Len(t, got, len(want))
		for i := range want {
			if want[i].AccountID == "elsewhere" {
				// That passes were failures once is told by no finding that is kept.
				want[i].Resolution, got[i].Resolution = "", ""
			}
			require.Equal(t, want[i], got[i])
		}
		for text, n := range map[string]int{"host-1234.": 1, "no such text": 0} {
			require.Len(t, latest(t, s, store.LatestFilter{FindingFilter: store.FindingFilter{Text: text}}), n)
		}
		require.NotEmpty(t, latest(t, s, store.LatestFilter{FindingFilter: store.FindingFilter{Zones: []string{"zone01.example"}}}))
		known, err := s.FindingStates(t.Context(), providerAccount)
		require.NoError(t, err)
		require.Len(t, known, 1501)
		require.Equal(t, time.UnixMicro(5).UTC(), known["of no assessment"].FirstSeen, "history that nothing else tells is kept")
		counts, err := s.CountFindings(t.Context(), report.ID, store.FindingFilter{Text: "record"})
		require.NoError(t, err)
		require.Equal(t, 6, counts[posture.Fail], "an older assessment is counted and searched by its rows")
		saved(t, s, 100, nil)
	})
	o.Check(t, place)
}
