package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/paper/papertest"
)

// validity says what a file must satisfy, by format.
type validity map[string]func(t *testing.T, d export.Document, file []byte)

// of gives the validator of a format; one without its own must be text that ends with a line.
func (v validity) of(format string) func(t *testing.T, d export.Document, file []byte) {
	if own := v[format]; own != nil {
		return own
	}
	return func(t *testing.T, _ export.Document, file []byte) {
		t.Helper()
		require.True(t, utf8.Valid(file))
		require.True(t, bytes.HasSuffix(file, []byte("\n")))
	}
}

// validators holds, for each format, what a file of it must satisfy.
func validators(t *testing.T) validity {
	t.Helper()
	return validity{
		"json": validJSON, "html": validHTML, "pdf": validPDF, "csv": validCSV, "markdown": validMarkdown, "sarif": validSARIF(sarifSchema(t)),
		"junit": validJUnit, "gitlab": validGitLab,
		"asff": validASFF(fileSchema(t, "testdata/asff.schema.json")), "ocsf": validOCSF(fileSchema(t, "testdata/ocsf.schema.json"),
			ocsfSchemas(t)),
	}
}

func write(t *testing.T, f export.Format, d export.Document) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, f.Write(&b, d))
	return b.Bytes()
}

func format(t *testing.T, name string) export.Format {
	t.Helper()
	for _, f := range export.Formats() {
		if f.Name == name {
			return f
		}
	}
	require.Fail(t, "no such format", name)
	return export.Format{}
}

func all(t *testing.T, d export.Document, results ...posture.Result) []posture.Finding {
	t.Helper()
	var out []posture.Finding
	for f, err := range d.Findings(results...) {
		require.NoError(t, err)
		out = append(out, f)
	}
	return out
}

func TestFormatsInOrder(t *testing.T) {
	var names []string
	for _, f := range export.Formats() {
		names = append(names, f.Name)
		require.NotEmpty(t, f.ContentType, f.Name)
		require.Regexp(t, `^[a-z]+$`, f.Extension, f.Name)
	}
	require.Equal(t, "json", names[0], "what is offered first")
	require.Subset(t, names, slices.Collect(maps.Keys(validators(t))))
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names))
}

func TestSweepGeneratedDocumentsAreValidInEveryFormat(t *testing.T) {
	valid := validators(t)
	seen := map[posture.ResourceType]bool{}
	seeds := uint64(50)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		d := exporttest.Document(seed)
		for _, f := range all(t, d) {
			seen[f.Resource.Type] = true
		}
		for _, f := range export.Formats() {
			t.Run(fmt.Sprintf("%s/%d", f.Name, seed), func(t *testing.T) {
				file := write(t, f, d)
				require.Equal(t, file, write(t, f, d), "the same document must give the same bytes")
				valid.of(f.Name)(t, d, file)
			})
		}
	}
	require.Len(t, seen, len(exporttest.ResourceTypes()), "the generator must cover every type of resource")
}

// wording is what a file says to people.
func wording(t *testing.T, f export.Format, file []byte) string {
	t.Helper()
	if f.Name == "pdf" {
		return papertest.Text(t, file)
	}
	return string(file)
}

func TestDemoSaysSoInEveryFormat(t *testing.T) {
	for _, f := range export.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			d := exporttest.Document(1)
			require.True(t, d.Assessment.Demo)
			said := strings.ToLower(wording(t, f, write(t, f, d)))
			require.Contains(t, said, "simulated account")
			require.Contains(t, said, "no real account was read")
			d.Assessment.Demo = false
			said = strings.ToLower(wording(t, f, write(t, f, d)))
			require.NotContains(t, said, "simulated account")
			require.NotContains(t, said, "no real account was read")
		})
	}
}

func TestInvalidTextBecomesValid(t *testing.T) {
	valid := validators(t)
	d := exporttest.Document(2)
	findings := all(t, d)
	for i := range findings {
		findings[i].Message, findings[i].Resource.Name, findings[i].Resource.Zone, findings[i].Title = "bad\xff\xfe", "\xc3\x28", "z\xf0\x9f",
			"\xed\xa0\x80"
	}
	d.Findings = exporttest.Of(findings)
	for _, f := range export.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			file := write(t, f, d)
			if !f.Binary {
				require.Equal(t, file, bytes.ToValidUTF8(file, []byte("?")))
			}
			if f.Name != "csv" && f.Name != "json" { // those compare with what was given
				valid.of(f.Name)(t, d, file)
			}
		})
	}
}

// TestGolden holds every format but the reports, whose golden files are those of the document the browser tests open.
func TestGolden(t *testing.T) {
	for _, f := range export.Formats() {
		if f.Report {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			path, got := filepath.Join("testdata", "golden-"+f.Name+"."+f.Extension), write(t, f, exporttest.Large(10))
			if *export.Update {
				require.NoError(t, os.WriteFile(path, got, 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), "run with -update when the change is meant")
		})
	}
}

func TestErrorOfTheSourceStopsTheWrite(t *testing.T) {
	broken := errors.New("the database went away")
	for _, f := range export.Formats() {
		for _, n := range []int{1, 7, 40} {
			t.Run(fmt.Sprintf("%s/%d", f.Name, n), func(t *testing.T) {
				d, calls := counted(exporttest.Failing(exporttest.Large(100), n, broken), nil)
				err := f.Write(io.Discard, d)
				require.ErrorIs(t, err, broken)
				require.ErrorContains(t, err, "export")
				require.Equal(t, n, *calls, "nothing may be read after the error")
			})
		}
	}
}

// full is a writer that takes some bytes and then no more.
type full struct{ left int }

func (w *full) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return 0, io.ErrShortWrite
	}
	w.left -= len(p)
	return len(p), nil
}

func TestErrorOfTheWriterStopsTheReading(t *testing.T) {
	for _, f := range export.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			const n = 5000
			d, calls := counted(exporttest.Large(n), nil)
			left := 100_000
			if f.Report {
				left = 1000 // it is never long
			}
			require.ErrorIs(t, f.Write(&full{left: left}, d), io.ErrShortWrite)
			require.Less(t, *calls, 2*n, "a reader that has gone must not make us read everything twice")
		})
	}
}

func TestNoSourceIsAnError(t *testing.T) {
	for _, f := range export.Formats() {
		d := exporttest.Document(1)
		d.Findings = nil
		require.ErrorContains(t, f.Write(io.Discard, d), "no findings to read", f.Name)
	}
}

// counted counts the findings handed out over all passes and calls at for each.
func counted(d export.Document, at func(pass, n int)) (export.Document, *int) {
	inner, calls, passes := d.Findings, new(int), 0
	d.Findings = func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
		return func(yield func(posture.Finding, error) bool) {
			passes++
			n := 0
			for f, err := range inner(results...) {
				*calls, n = *calls+1, n+1
				if at != nil {
					at(passes, n)
				}
				if !yield(f, err) {
					return
				}
			}
		}
	}
	return d, calls
}
