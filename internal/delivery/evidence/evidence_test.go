package evidence_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const account = "9a7806061c88ada191ed06f989cc3dac"

// signer is the one the bundle in testdata was signed with.
func signer(t testing.TB) evidence.Signer {
	t.Helper()
	key, err := secret.NewKey(bytes.NewReader(bytes.Repeat([]byte{7}, 32)))
	require.NoError(t, err)
	return evidence.NewSigner(key.Mac("evidence", binary.BigEndian.AppendUint64(nil, 1)))
}

func stranger() evidence.Signer { return evidence.NewSigner(make([]byte, evidence.SeedSize)) }

// source is a small assessment of n findings that holds together.
func source(n int) evidence.Source {
	at := time.Date(2026, 3, 4, 12, 0, 0, 123456000, time.UTC)
	grade := "A"
	sections := []snapshot.Section{
		{Source: "account/list", Scope: account, Status: snapshot.OK, ReadAt: at.Add(-time.Hour),
			Value: json.RawMessage(`[{"id":"` + account + `","name":"Main <&> \u2028"}]`)},
		{Source: "zone/list", Scope: account, Status: snapshot.Denied, Permission: "Zone: Zone Read", Code: 403, Reason: "no"},
		{Source: "zone/settings", Scope: "z1", Status: snapshot.OK,
			Value: json.RawMessage("[{\"value\":12345678901234567890, \"id\":\"\xff\"}]")},
	}
	drawn := graph.Graph{Nodes: []graph.Node{{ID: "internet", Type: "internet", FindingIDs: []string{}}}, Edges: []graph.Edge{}}
	s := evidence.Source{Version: "1.2.3", Saved: bytes.Repeat([]byte{1}, 32), Policy: json.RawMessage(`{"tokenFailDays":14}`),
		Request: json.RawMessage(`{}`), Graph: drawn,
		Modifications: []posture.Modification{}, Sections: each(sections), State: evidence.Included}
	s.Assessment = posture.Assessment{AssessmentSummary: posture.AssessmentSummary{ID: "01890000-0000-7000-8000-000000000001",
		JobID: "01890000-0000-7000-8000-000000000002", Account: posture.AccountRef{ID: account, Name: "Main <&>"}, Status: posture.Completed,
		StartedAt: at, CompletedAt: at.Add(time.Minute), CatalogueVersion: "1",
		Zones: []posture.ZoneRef{{ID: "z1", Name: "one.example"}}, Score: posture.Score{Mark: posture.Mark{Value: 91, Grade: &grade}},
		AttackPaths: 1,
		Summary:     posture.Summary{Total: n, BySeverity: map[posture.Severity]int{posture.High: 0, posture.Low: 0}}},
		Checks: []posture.CheckTally{{CheckID: "CFL-X-001", Category: "dns", Severity: posture.High}}}
	path := posture.AttackPath{ID: "ap:1", Kind: "open_port", Severity: posture.High}
	fit(&s)
	tally := &s.Assessment.Checks[0]
	for i := range n {
		s.Assessment.Summary.Count(finding(i).Result, finding(i).Severity)
	}
	sum := s.Assessment.Summary
	tally.Pass, tally.Fail, tally.Warning, tally.Unknown, tally.NotApplicable = sum.Pass, sum.Fail, sum.Warning, sum.Unknown, sum.NotApplicable
	if n > 0 {
		path.FindingIDs, drawn.Nodes[0].FindingIDs = []string{finding(0).ID}, []string{finding(0).ID}
	}
	s.Paths = each([]posture.AttackPath{path})
	s.Findings = findings(n, nil)
	return s
}

func each[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func collect[T any](all iter.Seq2[T, error]) (out []T) {
	if all != nil {
		for v, err := range all {
			if err != nil {
				panic(err) // it is a list
			}
			out = append(out, v)
		}
	}
	return out
}

func findings(n int, change func(i int, f *posture.Finding)) func() iter.Seq2[posture.Finding, error] {
	return func() iter.Seq2[posture.Finding, error] {
		return func(yield func(posture.Finding, error) bool) {
			for i := range n {
				f := finding(i)
				if change != nil {
					change(i, &f)
				}
				if !yield(f, nil) {
					return
				}
			}
		}
	}
}

func finding(i int) posture.Finding {
	id := fmt.Sprintf("record-%06d", i)
	f := posture.Finding{ID: posture.FindingID(account, "CFL-X-001", posture.ResourceDNSRecord, id), CheckID: "CFL-X-001",
		Title: "Records are proxied", Category: "dns", Severity: posture.High, Risk: 7.25, Result: posture.Results()[i%5],
		Resource: posture.Resource{Type: posture.ResourceDNSRecord, ID: id, Name: id + ".one.example", ZoneID: "z1", Zone: "one.example"},
		Message:  "The record " + id + " answers with its origin.", Evidence: []posture.Evidence{{Source: "zone/dns_records", Pointer: "/0",
			Observed: "false", Expected: "true"}},
		Why: strings.Repeat("Because. ", 40), Fix: strings.Repeat("Do it. ", 30), Controls: posture.Controls{CIS: []string{"4.1"}},
		AttackPathIDs: []string{}, Status: posture.StatusOpen}
	if i == 0 {
		f.AttackPathIDs = []string{"ap:1"}
	}
	return f
}

// file is the whole bundle of a source.
func file(t testing.TB, s evidence.Source, by evidence.Signer) []byte {
	t.Helper()
	b, err := evidence.Make(s, by)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, b.Write(&out))
	require.EqualValues(t, b.Size(), out.Len())
	return out.Bytes()
}

func verify(b []byte, o evidence.Options) (evidence.Report, error) {
	return evidence.Verify(bytes.NewReader(b), o)
}

// TestBundle makes bundles of several sizes and states, reads them back, and finds the
// same bytes each time.
func TestBundle(t *testing.T) {
	for name, change := range map[string]func(*evidence.Source){
		"whole": func(*evidence.Source) {}, "sections are no longer kept": func(s *evidence.Source) {
			s.State, s.Sections = evidence.NotKept,
				nil
		},
		"of an older version": func(s *evidence.Source) {
			s.Saved, s.Policy, s.Request, s.Version, s.State, s.Sections = nil, nil, nil, "", evidence.NotRecorded, nil
		},
		"demo": func(s *evidence.Source) { s.Assessment.Demo = true },
	} {
		for _, n := range []int{0, 1, 1000, 2001} {
			s := source(n)
			if n == 0 {
				s.Paths = each([]posture.AttackPath{{ID: "ap:1", Kind: "open_port", Severity: posture.High, FindingIDs: []string{}}})
			}
			change(&s)
			b := file(t, s, signer(t))
			require.Equal(t, b, file(t, s, signer(t)), name)
			var seen []posture.Finding
			var sections []snapshot.Section
			got, err := verify(b, evidence.Options{Fingerprint: signer(t).Key().Fingerprint(),
				Finding: func(f posture.Finding) { seen = append(seen, f) }, Section: func(s snapshot.Section) { sections = append(sections, s) }})
			require.NoError(t, err, name)
			require.True(t, got.Trusted)
			require.EqualValues(t, len(b), got.Bytes)
			require.Equal(t, n, got.Manifest.Findings)
			require.Len(t, seen, n)
			require.Equal(t, collect(s.Sections), sections, "byte for byte, whatever they are")
			require.Equal(t, s.Assessment.Demo, got.Manifest.Assessment.Demo)
			require.Equal(t, s.State, got.Manifest.Sections)
			require.Equal(t, s.Assessment.CompletedAt, got.Manifest.CreatedAt)
		}
	}
}

// TestOpensAnywhere: the container is a ZIP file to everybody else.
func TestOpensAnywhere(t *testing.T) {
	b := file(t, source(1500), signer(t))
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.Equal(t, "manifest.json", z.File[0].Name)
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		raw, err := io.ReadAll(r) // checks the checksum too
		require.NoError(t, err)
		require.True(t, json.Valid(raw), f.Name)
	}
}

var update = flag.Bool("update", false, "rewrite golden files")

// mapped is the catalogue that reports were made by.
func mapped(reports []compliance.Report) []compliance.CheckControls {
	of := map[string][]posture.Mapping{}
	for _, r := range reports {
		for _, c := range r.Controls {
			for _, m := range c.Checks {
				of[m.CheckID] = append(of[m.CheckID], posture.Mapping{Framework: r.Framework.ID, Control: c.ID, Strength: m.Strength, Reason: m.Reason})
			}
		}
	}
	var out []compliance.CheckControls
	for id, controls := range of {
		out = append(out, compliance.CheckControls{CheckID: id, Controls: controls})
	}
	return out
}

const demoKey = "SHA256:2e6c8136f9340a92a582b13591e29205a4e0079181db9aa763d826989e45d4e2"

// TestEarlierForm: a bundle of a version whose controls had no strengths and reasons is still valid.
func TestEarlierForm(t *testing.T) {
	b, err := os.ReadFile("testdata/demo-without-reasons.zip")
	require.NoError(t, err)
	got, err := verify(b, evidence.Options{Fingerprint: demoKey})
	require.NoError(t, err)
	require.True(t, got.Manifest.Assessment.Demo)
}

// TestGolden: a bundle of the demo account that an earlier version made is still valid,
// and this version makes the same bytes of what is in it. With -update it makes them by
// what the checks are mapped to today.
func TestGolden(t *testing.T) {
	b, err := os.ReadFile("testdata/demo.zip")
	require.NoError(t, err)
	s := evidence.Source{State: evidence.Included}
	var all []posture.Finding
	var sections []snapshot.Section
	var paths []posture.AttackPath
	got, err := verify(b, evidence.Options{Fingerprint: demoKey,
		Assessment: func(a posture.Assessment) { s.Assessment = a }, Policy: func(p json.RawMessage) { s.Policy = p },
		Section: func(x snapshot.Section) { sections = append(sections, x) }, Finding: func(f posture.Finding) { all = append(all, f) }})
	require.NoError(t, err)
	require.True(t, got.Manifest.Assessment.Demo)
	require.NotEmpty(t, all)
	s.Version, s.Saved = got.Manifest.ServiceVersion, unhex(t, got.Manifest.Saved.Digest)
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	var drawn graph.Graph
	var reports []compliance.Report
	for name, into := range map[string]any{"controls.json": &reports, "request.json": &s.Request,
		"attack-paths.json": &paths, "graph.json": &drawn, "modifications.json": &s.Modifications} {
		r, err := z.Open(name)
		require.NoError(t, err)
		require.NoError(t, json.NewDecoder(r).Decode(into))
	}
	s.Graph, s.Paths, s.Sections = drawn, each(paths), each(sections)
	s.Findings = func() iter.Seq2[posture.Finding, error] { return each(all) }
	s.Catalogue = mapped(reports)
	if *update {
		s.Catalogue = nil
		for _, c := range checks.All() {
			s.Catalogue = append(s.Catalogue, compliance.CheckControls{CheckID: c.ID, Controls: c.Controls})
		}
		b = file(t, s, signer(t))
		require.NoError(t, os.WriteFile("testdata/demo.zip", b, 0o644))
	}
	require.True(t, bytes.Equal(b, file(t, s, signer(t))), "the bytes of a bundle are part of the format: another form needs another name")
}
