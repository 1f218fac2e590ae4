package export_test

import (
	"encoding/json"
	"encoding/xml"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
)

// validJUnit reads the file as CI systems do: every verdict is one test case, and the counts agree with them.
func validJUnit(t *testing.T, d export.Document, file []byte) {
	t.Helper()
	type counts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	var got struct {
		counts
		Attributes []xml.Attr `xml:",any,attr"`
		Suites     []struct {
			counts
			Cases []struct {
				Class   string    `xml:"classname,attr"`
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal(file, &got))
	require.Len(t, got.Suites, 1)
	var want counts
	for _, f := range all(t, d, posture.Fail, posture.Warning, posture.Unknown, posture.Pass) {
		c := got.Suites[0].Cases[want.Tests]
		want.Tests++
		require.NotEmpty(t, c.Class)
		require.NotEmpty(t, c.Name)
		bad := f.Result == posture.Fail || f.Result == posture.Warning
		require.Equal(t, bad && f.Exception == nil, c.Failure != nil)
		require.Equal(t, f.Result == posture.Unknown || bad && f.Exception != nil, c.Skipped != nil)
		if c.Failure != nil {
			want.Failures++
		}
		if c.Skipped != nil {
			want.Skipped++
		}
	}
	require.Len(t, got.Suites[0].Cases, want.Tests)
	require.Equal(t, want, got.Suites[0].counts)
	want.Skipped = 0 // junit-10.xsd of Jenkins has no such attribute here, and its plugin refuses a file that has
	require.Equal(t, want, got.counts)
	for _, a := range got.Attributes {
		require.Contains(t, []string{"name", "time", "errors", "disabled"}, a.Name.Local)
	}
}

// TestNamesakesStayApart: CI systems know what was found by class and name, or by check and file. Two
// records or rules of one name are two for them.
func TestNamesakesStayApart(t *testing.T) {
	d := exporttest.Document(1)
	account := d.Assessment.Account.ID
	of := func(r posture.Resource) posture.Finding {
		f := all(t, d, posture.Fail, posture.Warning)[0]
		f.Resource, f.Exception = r, nil
		f.ID = posture.FindingID(account, f.CheckID, r.Type, r.ID)
		return f
	}
	findings := []posture.Finding{
		of(posture.Resource{Type: posture.ResourceDNSRecord, ID: "a", Name: "www.shop.example", ZoneID: "z", Zone: "shop.example"}),
		of(posture.Resource{Type: posture.ResourceDNSRecord, ID: "aaaa", Name: "www.shop.example", ZoneID: "z", Zone: "shop.example"}),
		of(posture.Resource{Type: posture.ResourceWorker, ID: "one", Name: "edge"}),
		of(posture.Resource{Type: posture.ResourceWorker, ID: "two", Name: "edge"}),
		of(posture.Resource{Type: posture.ResourceZone, ID: "z", Name: "shop.example"}),
		of(posture.Resource{Type: posture.ResourceAccount, ID: account, Name: "shop"}),
	}
	d.Findings = exporttest.Of(findings)
	for name, in := range map[string]*regexp.Regexp{"junit": regexp.MustCompile(`<testcase classname="[^"]*" name="[^"]*"`),
		"gitlab": regexp.MustCompile(`"location":\{"class":"[^"]*","file":"[^"]*"`)} {
		found := in.FindAllString(string(write(t, format(t, name), d)), -1)
		require.Len(t, found, len(findings), name)
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(found))), len(findings), name)
	}
}

// validGitLab holds what GitLab's schema of SAST reports demands.
func validGitLab(t *testing.T, d export.Document, file []byte) {
	t.Helper()
	type tool struct {
		ID, Name, Version string
		Vendor            struct{ Name string }
	}
	var got struct {
		Version string
		Scan    struct {
			Analyzer, Scanner tool
			Type, Status      string
			Start             string `json:"start_time"`
			End               string `json:"end_time"`
			Messages          []struct{ Level, Value string }
		}
		Vulnerabilities []struct {
			ID, Name, Severity, Description, Solution string
			Identifiers                               []struct{ Type, Name, Value string }
			Location                                  struct{ File string }
		}
	}
	require.NoError(t, json.Unmarshal(file, &got))
	second := regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$`)
	require.Regexp(t, second, got.Scan.Start)
	require.Regexp(t, second, got.Scan.End)
	require.Equal(t, []string{"15.0.1", "sast", "success"}, []string{got.Version, got.Scan.Type, got.Scan.Status})
	for _, one := range []tool{got.Scan.Analyzer, got.Scan.Scanner} {
		require.NotContains(t, []string{one.ID, one.Name, one.Version, one.Vendor.Name}, "")
	}
	for _, m := range got.Scan.Messages {
		require.Contains(t, []string{"info", "warn", "fatal"}, m.Level)
		require.NotEmpty(t, m.Value)
	}
	open, known := 0, map[[2]string]bool{}
	for _, f := range all(t, d, posture.Fail, posture.Warning) {
		if f.Exception != nil {
			continue
		}
		v := got.Vulnerabilities[open]
		open++
		require.Equal(t, f.ID, v.ID)
		require.Contains(t, []string{"Info", "Low", "Medium", "High", "Critical"}, v.Severity)
		require.LessOrEqual(t, len([]rune(v.Name)), 255)
		require.LessOrEqual(t, len([]rune(v.Solution)), 7000)
		require.NotEmpty(t, v.Location.File)
		require.Len(t, v.Identifiers, 1)
		require.NotContains(t, []string{v.Identifiers[0].Type, v.Identifiers[0].Name, v.Identifiers[0].Value}, "")
		same := [2]string{v.Identifiers[0].Value, v.Location.File}
		require.False(t, known[same], "GitLab would take %s for the other vulnerability of %s", f.ID, same)
		known[same] = true
	}
	require.Len(t, got.Vulnerabilities, open)
}
