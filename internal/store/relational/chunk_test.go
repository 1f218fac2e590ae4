package relational

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
	"github.com/edgeposture/edgeposture/internal/store"
)

// arbitrary makes findings with everything there or not, in any mixture.
func arbitrary(random *rand.Rand, n int) []posture.Finding {
	text := func() string {
		return []string{"", "a", "\x00", "\x1f", "<&>\u2028", "\xff", "é" + fmt.Sprint(random.IntN(1000)),
			"long text of a finding"}[random.IntN(8)]
	}
	at := func() time.Time {
		return []time.Time{{}, time.UnixMicro(7), time.UnixMicro(1_700_000_000_000_000), time.UnixMicro(-5)}[random.IntN(4)]
	}
	out := make([]posture.Finding, n)
	for i := range out {
		f := posture.Finding{ID: fmt.Sprint(i, text()), CheckID: fmt.Sprint("check-", random.IntN(5)),
			Severity: posture.Severities()[random.IntN(5)], Message: text(), NodeID: text(),
			Result: posture.Results()[random.IntN(5)], Resource: posture.Resource{Type: posture.ResourceType(text()), ID: text(), Name: text(),
				ZoneID: text(), Zone: text()},
			FirstSeen: at(), LastSeen: at(), Status: []posture.FindingStatus{"", posture.StatusOpen, posture.StatusResolved}[random.IntN(3)],
			ExceptionNote: text(), Reason: text(), Permission: text(), Judged: random.IntN(2), Risk: float64(random.IntN(3)) / 2}
		if random.IntN(2) == 0 {
			why := text()
			f.Exception, f.AttackPathIDs = &why, []string{text()}
			f.Evidence = []posture.Evidence{{Source: text(), Pointer: text(), Observed: text(), Expected: text()}}
		}
		out[i] = f
	}
	return out
}

func rowsOf(t testing.TB, findings []posture.Finding) ([]findingRow, *catalogue) {
	t.Helper()
	builder, rows := newCatalogueBuilder(), make([]findingRow, len(findings))
	for i := range findings {
		var err error
		rows[i], err = newFindingRow(&findings[i], i, builder)
		require.NoError(t, err)
	}
	return rows, &builder.catalogue
}

// TestSweepChunksGiveTheRows: what a run stores gives back the very rows its digest is over, and the
// body of a row is what versions before chunks wrote.
func TestSweepChunksGiveTheRows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		findings := arbitrary(random, random.IntN(300))
		rows, c := rowsOf(t, findings)
		for i := range findings {
			f := &findings[i]
			want, err := json.Marshal(findingBody{bodyHead: bodyHead{Type: string(f.Resource.Type), Name: f.Resource.Name, Message: f.Message,
				Evidence: f.Evidence, NodeID: f.NodeID, Paths: f.AttackPathIDs}, FirstSeen: micros(f.FirstSeen), LastSeen: micros(f.LastSeen),
				bodyTail: bodyTail{Status: string(f.Status), Exception: f.Exception, Note: f.ExceptionNote, Reason: f.Reason,
					Permission: f.Permission, Judged: f.Judged, Risk: f.Risk}})
			require.NoError(t, err)
			require.Equal(t, string(want), string(rows[i].Body))
		}
		w, err := writeRun(&store.SaveAssessment{Assessment: posture.Assessment{Findings: findings}})
		require.NoError(t, err)
		require.Equal(t, *c, w.catalogue.catalogue)
		nos := make([]int64, len(w.pieces))
		for i := range nos {
			nos[i] = int64(random.IntN(1 << 40))
			w.pieces[i].No = nos[i]
		}
		a := openAssessment{catalogue: c}
		a.run, err = openRun(assessmentRow{Pieces: w.places()}, c)
		require.NoError(t, err)
		require.True(t, slices.Equal(nos, a.run.chunks))
		for seq := range rows {
			i, at, ok := a.run.place(seq)
			require.True(t, ok)
			chunk, err := decodeChunk(w.pieces[i])
			require.NoError(t, err)
			faces, zones, err := a.run.lists(chunk.facts)
			require.NoError(t, err)
			got := chunk.row(at, a.run, faces, zones)
			fact := chunk.facts.rows[at]
			require.Equal(t, findings[seq].Exception != nil, fact.accepted)
			require.EqualValues(t, slices.Index(statuses(), findings[seq].Status), fact.status)
			require.Equal(t, rows[seq].ResourceKey, fact.key)
			got.Seq = seq
			got.body, rows[seq].body = bodyParts{}, bodyParts{}
			require.Equal(t, rows[seq], got, "round %d", round)
		}
		_, _, ok := a.run.place(len(rows))
		require.False(t, ok)
	}
}

// TestChunksStay: a finding that comes or changes, a new zone or a later run make a few new
// pieces, whatever the size of the run.
func TestChunksStay(t *testing.T) {
	findings := make([]posture.Finding, 10_000)
	for i := range findings {
		findings[i] = posture.Finding{ID: posture.FindingID("a", "c", "r", fmt.Sprint(i)), CheckID: fmt.Sprint("check-", i%100),
			Result: posture.Pass, Message: fmt.Sprint("message ", i), Resource: posture.Resource{ID: fmt.Sprint(i), ZoneID: fmt.Sprint("z", i%20),
				Zone: fmt.Sprint("zone", i%20)}, FirstSeen: time.UnixMicro(5), LastSeen: time.UnixMicro(5)}
	}
	hashes := func(findings []posture.Finding) map[string]bool {
		w, err := writeRun(&store.SaveAssessment{Assessment: posture.Assessment{Findings: findings}})
		require.NoError(t, err)
		out := map[string]bool{}
		for _, p := range w.pieces {
			out[string(p.Hash)] = true
		}
		return out
	}
	before := hashes(findings)
	require.Greater(t, len(before), 150)
	for what, change := range map[string]func([]posture.Finding) []posture.Finding{
		"later": func(f []posture.Finding) []posture.Finding {
			for i := range f {
				f[i].LastSeen = time.UnixMicro(9)
			}
			return f
		},
		"one more at the front, of a new check in a new zone": func(f []posture.Finding) []posture.Finding {
			return slices.Insert(f, 0, posture.Finding{ID: "new", CheckID: "new", Resource: posture.Resource{ZoneID: "new"},
				LastSeen: time.UnixMicro(5)})
		},
		"one less":  func(f []posture.Finding) []posture.Finding { return slices.Delete(f, 5000, 5001) },
		"a verdict": func(f []posture.Finding) []posture.Finding { f[7].Result = posture.Fail; return f },
	} {
		fresh := 0
		for hash := range hashes(change(slices.Clone(findings))) {
			if !before[hash] {
				fresh++
			}
		}
		require.LessOrEqual(t, fresh, 3, what)
	}
}

// FuzzChunk: whatever lies in the database is read or refused.
func FuzzChunk(f *testing.F) {
	rows, c := rowsOf(f, arbitrary(rand.New(rand.NewPCG(5, 6)), 20))
	f.Add(encodeFacts(rows, faceNames(c), c), encodeBodies(rows, 7), encodeTexts(rows))
	f.Fuzz(func(t *testing.T, facts, bodies, texts []byte) {
		defer fuzztest.Bound(t)()
		of := &run{faces: map[string]int{}, zones: map[zoneRef]int{}}
		if chunk, err := decodeChunk(&pieceRow{Facts: seal(facts), Value: squeezed(bodies), Texts: squeezed(texts)}); err == nil {
			for no, name := range chunk.facts.faces {
				of.faces[name] = no
			}
			for no, z := range chunk.facts.zones {
				of.zones[z] = no
			}
			if faces, zones, err := of.lists(chunk.facts); err == nil {
				for i := range chunk.rows {
					_ = chunk.row(i, of, faces, zones)
				}
			}
		}
		if r, err := decodeRun(facts); err == nil {
			_, _, _ = r.place(3)
		}
	})
}
