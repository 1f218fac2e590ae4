package export_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
)

type asffLine struct {
	Findings []struct {
		ID           string `json:"Id"`
		ProductArn   string
		AwsAccountID string `json:"AwsAccountId"`
		Region       string
		CreatedAt    string
		UpdatedAt    string
		Severity     struct{ Label string }
		Compliance   struct{ Status string }
		RecordState  string
	}
}

// lines parts NDJSON; the last line ends with a newline too.
func lines(t *testing.T, file []byte) [][]byte {
	t.Helper()
	if len(file) == 0 {
		return nil
	}
	require.True(t, bytes.HasSuffix(file, []byte("\n")))
	return bytes.Split(bytes.TrimSuffix(file, []byte("\n")), []byte("\n"))
}

func requests(t *testing.T, file []byte) []asffLine {
	t.Helper()
	var out []asffLine
	for _, line := range lines(t, file) {
		require.LessOrEqual(t, len(line), 6_000_000)
		var l asffLine
		require.NoError(t, json.Unmarshal(line, &l))
		require.LessOrEqual(t, len(l.Findings), 100)
		out = append(out, l)
		var raw struct{ Findings []json.RawMessage }
		require.NoError(t, json.Unmarshal(line, &raw))
		for _, f := range raw.Findings {
			require.LessOrEqual(t, len(f), 240_000)
		}
	}
	return out
}

func validASFF(schema *jsonschema.Schema) func(*testing.T, export.Document, []byte) {
	return func(t *testing.T, d export.Document, file []byte) {
		for _, line := range lines(t, file) {
			conforms(t, schema, line)
		}
		n := 0
		for _, r := range requests(t, file) {
			n += len(r.Findings)
		}
		require.Len(t, all(t, d, posture.Fail, posture.Warning, posture.Unknown, posture.Pass), n)
	}
}

func TestASFFVerdicts(t *testing.T) {
	one := all(t, exporttest.Large(1))[0]
	one.Severity = posture.High
	for _, c := range []struct {
		result               posture.Result
		status               posture.FindingStatus
		verdict, label, kept string
	}{
		{posture.Fail, posture.StatusOpen, "FAILED", "HIGH", "ACTIVE"}, {posture.Fail, posture.StatusReopened, "FAILED", "HIGH", "ACTIVE"},
		{posture.Warning, posture.StatusOpen, "WARNING", "HIGH", "ACTIVE"},
		{posture.Unknown, posture.StatusOpen, "NOT_AVAILABLE", "HIGH", "ACTIVE"}, {posture.Unknown, posture.StatusResolved, "NOT_AVAILABLE",
			"HIGH", "ARCHIVED"},
		{posture.Pass, posture.StatusResolved, "PASSED", "INFORMATIONAL", "ARCHIVED"}, {posture.NotApplicable, posture.StatusResolved, "", "",
			""},
	} {
		t.Run(string(c.result)+" "+string(c.status), func(t *testing.T) {
			f := one
			f.Result, f.Status = c.result, c.status
			d := exporttest.Large(1)
			d.Findings = exporttest.Of([]posture.Finding{f})
			got := requests(t, write(t, format(t, "asff"), d))
			if c.verdict == "" {
				require.Empty(t, got)
				return
			}
			out := got[0].Findings[0]
			require.Equal(t, []string{c.verdict, c.label, c.kept}, []string{out.Compliance.Status, out.Severity.Label, out.RecordState})
			require.Equal(t, "2026-11-20T09:00:00.123Z", out.CreatedAt)
			require.Equal(t, d.Assessment.CompletedAt.UTC().Format("2006-01-02T15:04:05.000Z"), out.UpdatedAt, "it moves with each run")
			require.Equal(t, "000000000000", out.AwsAccountID)
		})
	}
}

func TestASFFTarget(t *testing.T) {
	for _, c := range []struct{ account, region, arn, err string }{
		{"", "", "arn:aws:securityhub:us-east-1:000000000000:product/000000000000/default", ""},
		{"123456789012", "eu-central-1", "arn:aws:securityhub:eu-central-1:123456789012:product/123456789012/default", ""},
		{"123456789012", "cn-north-1", "arn:aws-cn:securityhub:cn-north-1:123456789012:product/123456789012/default", ""},
		{"123456789012", "us-gov-west-1", "arn:aws-us-gov:securityhub:us-gov-west-1:123456789012:product/123456789012/default", ""},
		{"12345", "", "", "is not 12 digits"}, {"123456789012\n", "", "", "is not 12 digits"}, {"", "mars/1", "", "is not a region name"},
	} {
		t.Run(c.account+c.region, func(t *testing.T) {
			d := exporttest.Large(1)
			d.ASFF = export.ASFF{AccountID: c.account, Region: c.region}
			var b bytes.Buffer
			err := format(t, "asff").Write(&b, d)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				require.Empty(t, b.String())
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.arn, requests(t, b.Bytes())[0].Findings[0].ProductArn)
		})
	}
}

// TestSweepASFFLimits holds the limits with the largest texts there can be: many runes
// of four bytes, and bytes that take six in JSON.
func TestSweepASFFLimits(t *testing.T) {
	schema := fileSchema(t, "testdata/asff.schema.json")
	for _, filler := range []string{"x", "😀", "\x01", "<", "\u2028", "\xff"} {
		long := strings.Repeat(filler, 30_000)
		f := all(t, exporttest.Large(1))[0]
		f.CheckID, f.Title, f.Message, f.Why, f.Fix, f.Reason, f.Permission, f.NodeID, f.Exception = long, long, long, long, long, long, long,
			long, &long
		f.Resource.Name, f.Resource.Zone, f.Resource.ID, f.Resource.ZoneID, f.AttackPathIDs = long, long, long, long, []string{long, long}
		f.Controls = posture.Controls{CIS: []string{long}, SOC2: make([]string, 60)}
		for range 50 {
			f.Evidence = append(f.Evidence, posture.Evidence{Source: long, Pointer: long, Observed: long, Expected: long})
		}
		d := exporttest.Large(1)
		d.Assessment.Account.Name = long
		many := make([]posture.Finding, 120)
		for i := range many {
			many[i] = f
		}
		d.Findings = exporttest.Of(many)
		file := write(t, format(t, "asff"), d)
		n, calls := 0, requests(t, file)
		if filler == "\x01" {
			require.Greater(t, len(calls), 2, "the bytes must part the calls here, not the count")
		}
		for i, r := range calls {
			conforms(t, schema, lines(t, file)[i])
			n += len(r.Findings)
		}
		require.Equal(t, 120, n)
	}
}

func TestASFFRequestsHold100(t *testing.T) {
	for _, c := range []struct{ findings, requests int }{{0, 0}, {1, 1}, {111, 1}, {112, 2}, {222, 2}, {223, 3}} {
		n := 0
		file := write(t, format(t, "asff"), exporttest.Large(c.findings)) // nine of ten are written
		for _, r := range requests(t, file) {
			n += len(r.Findings)
		}
		require.Len(t, all(t, exporttest.Large(c.findings), posture.Fail, posture.Warning, posture.Unknown, posture.Pass), n)
		require.Len(t, lines(t, file), (n+99)/100, "%d", c.findings)
	}
}

func TestCutKeepsRunes(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"😀😀😀😀", 2, "😀…"},
		{"a\xffb", 3, "a\uFFFDb"}} {
		got := export.Cut(c.in, c.limit)
		require.Equal(t, c.want, got)
		require.LessOrEqual(t, utf8.RuneCountInString(got), c.limit)
	}
}

func TestASFFOfAnEmptyAssessmentIsEmpty(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, format(t, "asff").Write(&b, exporttest.Document(0)))
	require.Empty(t, b.String(), "a request without findings would be refused")
}
