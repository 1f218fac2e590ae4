package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/auditlog"
)

// shelf is a store of one assessment, which it hands out in pages of three findings.
type shelf struct {
	store.Store
	a     posture.Assessment
	graph graph.Graph
	paths []posture.AttackPath
	pages atomic.Int64
	fail  int64 // that page does not come
	gone  bool
}

const shelved = "01890000-0000-7000-8000-000000000001"

func newShelf(t *testing.T, seed uint64) *shelf {
	t.Helper()
	d := exporttest.Document(seed)
	s := &shelf{a: posture.Assessment{AssessmentSummary: d.Assessment, Checks: d.Checks}, paths: notNil(exporttest.Paths(&d)), fail: -1}
	s.a.ID = shelved
	for f, err := range d.Findings() {
		require.NoError(t, err)
		s.a.Findings = append(s.a.Findings, f)
	}
	g, err := graph.Collect(d.Graph)
	require.NoError(t, err)
	s.graph = g
	return s
}

func (s *shelf) Pick(context.Context, string, string) (store.AssessmentRef, error) {
	if s.gone {
		return store.AssessmentRef{}, store.ErrNotFound
	}
	return store.AssessmentRef{ID: shelved}, nil
}

func (s *shelf) Assessment(context.Context, string) (posture.Assessment, error) {
	a := s.a
	a.Findings = nil
	return a, nil
}

func (s *shelf) Line(context.Context, store.TrendFilter) (store.Line, error) {
	return store.Line{}, store.ErrNotFound
}

func (s *shelf) LatestAssessment(ctx context.Context, _ string) (posture.Assessment, error) {
	return s.Assessment(ctx, shelved)
}

func (s *shelf) NewestWhole(context.Context, string) (string, error) { return shelved, nil }

func (s *shelf) Findings(_ context.Context, _ string, f store.FindingFilter, p store.Page) ([]posture.Finding, string, error) {
	if s.pages.Add(1) == s.fail {
		return nil, "", errors.New("the database went away")
	}
	rows := s.with(f.Results)
	at, _ := strconv.Atoi(p.Cursor)
	if end := at + 3; end < len(rows) {
		return rows[at:end], itoa(end), nil
	}
	return rows[at:], "", nil
}

func (s *shelf) Outcomes(context.Context, string) iter.Seq2[posture.Finding, error] {
	return func(yield func(posture.Finding, error) bool) {
		if s.pages.Add(1) == s.fail {
			yield(posture.Finding{}, errors.New("the database went away"))
			return
		}
		for _, f := range s.a.Findings {
			if !yield(f, nil) {
				return
			}
		}
	}
}

func (s *shelf) LatestFindings(context.Context, store.LatestFilter, store.Page) ([]store.LatestFinding, string, error) {
	return nil, "", nil
}

func (s *shelf) with(results []posture.Result) []posture.Finding {
	return slices.DeleteFunc(slices.Clone(s.a.Findings), func(f posture.Finding) bool {
		return len(results) > 0 &&
			!slices.Contains(results, f.Result)
	})
}

func (s *shelf) RunFindings(ctx context.Context, id string, f store.RunFilter, p store.Page) ([]posture.Finding, string, error) {
	return s.Findings(ctx, id, f.FindingFilter, p)
}

func (s *shelf) CountFindings(_ context.Context, _ string, f store.FindingFilter) (map[posture.Result]int, error) {
	out := map[posture.Result]int{}
	for _, v := range s.with(f.Results) {
		out[v.Result]++
	}
	return out, nil
}

func (s *shelf) RunGroups(_ context.Context, _ string, f store.RunFilter, by store.Grouping,
	_ store.Page) ([]store.FindingGroup, int, string, error) {
	s.pages.Add(1)
	return []store.FindingGroup{{Value: string(by), Findings: len(s.with(f.Results))}}, 1, "", nil
}

func (s *shelf) Graph(context.Context, string) (graph.Source, error) { return s.graph, nil }

func (s *shelf) Paths(context.Context, string) (iter.Seq2[posture.AttackPath, error], error) {
	return export.Listed(s.paths), nil
}

func (s *shelf) Forgotten(context.Context, string) (at time.Time, err error) {
	return at, store.ErrNotFound
}

func (s *shelf) AppendAudit(_ context.Context, e audit.Entry) (audit.Entry, error) {
	e.Seq = 1
	return e, nil
}

func whole(t *testing.T, body any) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, huma.DefaultJSONFormat.Marshal(&b, body))
	return b.String()
}

func onShelf(t *testing.T, of *shelf) *Server {
	t.Helper()
	s := bare()
	s.o.Store = of
	s.o.AuditLog = auditlog.New(auditlog.Options{Store: of, Now: time.Now, Log: s.o.Log}, false)
	t.Cleanup(func() {
		s.o.AuditLog.Close()
		s.close()
		require.NoError(t, errors.Join(s.documents.Close(), s.pages.Close()))
	})
	return s
}

func ask(t *testing.T, s *Server, path, encoding string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	require.NoError(t, err)
	req.Host = "127.0.0.1"
	req.Header.Set("Accept-Encoding", encoding)
	resp, err := s.App().Test(req, -1)
	require.NoError(t, err)
	var body io.Reader = resp.Body
	if resp.Header.Get("Content-Encoding") == "gzip" {
		body, err = gzip.NewReader(resp.Body)
		require.NoError(t, err)
	}
	b, err := io.ReadAll(body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp, string(b)
}

// TestSweepKeptDocumentsAreTheSameBytes holds documents that are written part by part, and then
// kept, against what is encoded as a whole.
func TestSweepKeptDocumentsAreTheSameBytes(t *testing.T) {
	attention, err := parseResults("")
	require.NoError(t, err)
	for seed := range uint64(12) {
		of := newShelf(t, seed)
		s := onShelf(t, of)
		assessed := func(results []posture.Result) string {
			a := of.a
			a.Findings = notNil(of.with(results))
			return whole(t, a)
		}
		shown := of.graph
		for i := range shown.Edges {
			shown.Edges[i] = shown.Edges[i].WithID()
		}
		want := map[string]string{
			"/api/assessment": assessed(attention),
			"/api/assessments/" + shelved + "?result=all":                 assessed(posture.Results()),
			"/api/assessments/" + shelved + "?result=pass":                assessed([]posture.Result{posture.Pass}),
			"/api/assessments/" + shelved + "?result=not_applicable,pass": assessed([]posture.Result{posture.NotApplicable, posture.Pass}),
			"/api/posture/graph": whole(t, GraphAnswer{AssessmentID: shelved, Graph: shown, AttackPaths: of.paths}),
		}
		var b bytes.Buffer
		require.NoError(t, writeColumns(&b, shelved, of.graph, export.Listed(of.paths)))
		var columns ColumnsAnswer
		require.NoError(t, json.Unmarshal(b.Bytes(), &columns))
		require.Len(t, columns.Graph.Nodes.IDRest, len(of.graph.Nodes))
		require.Equal(t, whole(t, columns), b.String())
		for _, f := range export.Formats() {
			d, err := s.document(t.Context(), of.a, f)
			require.NoError(t, err)
			var b bytes.Buffer
			require.NoError(t, f.Write(&b, d))
			want["/api/download/"+f.Name] = b.String()
		}
		want["/report"] = want["/api/download/html"]
		for path, body := range want {
			for _, encoding := range []string{"gzip, deflate, br", "identity", "gzip"} {
				resp, got := ask(t, s, path, encoding)
				require.Equal(t, 200, resp.StatusCode, got)
				require.Equal(t, body, got, path)
				require.Equal(t, encoding != "identity", resp.Header.Get("Content-Encoding") == "gzip", path)
				require.Contains(t, resp.Header.Get("Vary"), "Accept-Encoding")
				require.GreaterOrEqual(t, resp.ContentLength, int64(0), "what breaks off must not pass for the whole")
			}
		}
		pages := of.pages.Load()
		for path := range want {
			ask(t, s, path, "gzip")
		}
		require.Equal(t, pages, of.pages.Load(), "nothing is made twice")
	}
}

// TestBrokenDocumentIsNotWhole: when the store fails half-way the answer is a problem, and
// the next one is whole. An assessment that is no longer kept is not answered from here.
func TestBrokenDocumentIsNotWhole(t *testing.T) {
	of := newShelf(t, 1)
	s := onShelf(t, of)
	of.fail = 2
	resp, got := ask(t, s, "/api/assessments/"+shelved+"?result=all", "gzip")
	require.Equal(t, 500, resp.StatusCode, got)
	require.Equal(t, "application/problem+json", resp.Header.Get("Content-Type"))
	resp, got = ask(t, s, "/api/assessments/"+shelved+"?result=all", "gzip")
	require.Equal(t, 200, resp.StatusCode, got)
	require.Equal(t, whole(t, of.a), got)
	of.gone = true
	for _, path := range []string{"/api/assessment", "/api/assessments/" + shelved + "?result=all", "/api/posture/graph?assessmentId=" +
		shelved} {
		resp, got = ask(t, s, path, "gzip")
		require.Equal(t, 404, resp.StatusCode, got)
	}
}

// TestPagesOfARunAreKept: what a query finds in a run is looked for once, and no query is
// answered with what another one found.
func TestPagesOfARunAreKept(t *testing.T) {
	of := newShelf(t, 1)
	s := onShelf(t, of)
	base := "/api/assessments/" + shelved + "/findings"
	answers := map[string]string{}
	for _, path := range []string{base, base + "?result=PASS", base + "?result=all", base + "?result=all&cursor=3",
		base + "/groups?by=check&result=all", base + "/groups?by=zone&result=all"} {
		resp, got := ask(t, s, path, "gzip")
		require.Equal(t, 200, resp.StatusCode, got)
		answers[path] = got
	}
	counts := map[string]int{}
	for _, r := range posture.Results() {
		counts[string(r)] = len(of.with([]posture.Result{r}))
	}
	require.Equal(t, whole(t, ListFindingsOutputBody{Items: of.a.Findings[3:6], NextCursor: "6", Counts: counts}),
		answers[base+"?result=all&cursor=3"])
	require.Contains(t, answers[base+"/groups?by=zone&result=all"], `"value":"zone"`)
	pages := of.pages.Load()
	require.EqualValues(t, len(answers), pages)
	for path, want := range answers {
		_, got := ask(t, s, path, "identity")
		require.Equal(t, want, got, path)
	}
	require.Equal(t, pages, of.pages.Load())
	of.gone = true
	resp, _ := ask(t, s, base, "gzip")
	require.Equal(t, 404, resp.StatusCode)
}
