package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepWordsOnTheWire reads all that a run says to people, as every list and every export sends it, for the words
// that docs/style.md rules out. With -v it prints ten findings of every family as a person sees them.
func TestSweepWordsOnTheWire(t *testing.T) {
	t.Parallel()
	s := embedded(t, simcloud.Options{Seed: 21, Limit: simcloud.Limit{Disabled: true}, Accounts: []simcloud.AccountSpec{{Zones: 12,
		RecordsPerZone: 10, Plans: []string{"free", "pro", "business", "enterprise"}, Plant: 1}}})
	a := s.assessAll(nil)
	printed, seen := map[posture.Category]int{}, map[string]bool{}
	for _, f := range a.Findings {
		if key := string(f.Category) + f.CheckID; f.Result == posture.Fail && printed[f.Category] < 10 && !seen[key] {
			seen[key] = true
			printed[f.Category]++
			t.Log(person(f))
		}
	}
	texts := map[string]string{} // of a text, where it was said first
	for _, path := range []string{"/api/assessments/" + a.ID + "?result=all", "/api/assessments/" + a.ID + "/issues?state=all",
		"/api/issues", "/api/checks", "/api/assessments/" + a.ID + "/paths", "/api/compliance/cis", "/api/download/json",
		"/api/download/sarif", "/api/download/asff", "/api/download/ocsf"} {
		for dec := json.NewDecoder(bytes.NewReader(s.call("GET", path, nil).body)); dec.More(); {
			var v any
			require.NoError(t, dec.Decode(&v), path)
			leaves(v, func(text string) { texts[text] = path })
		}
	}
	page, err := html.Parse(bytes.NewReader(s.call("GET", "/api/download/html", nil).body))
	require.NoError(t, err)
	for n := range page.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "script" {
			texts[n.Data] = "html"
		}
	}
	for _, format := range []string{"markdown", "csv"} {
		for line := range strings.Lines(string(s.call("GET", "/api/download/"+format, nil).body)) {
			texts[strings.ReplaceAll(line, `\_`, "_")] = format // as it is rendered
		}
	}
	require.Greater(t, len(texts), 5000)
	for text, where := range texts {
		if why := checktest.Unreadable(code.ReplaceAllString(text, "")); why != "" {
			t.Errorf("%s: %.300q: %s", where, text, why)
		}
	}
	t.Logf("%d different texts of %d findings in %d families", len(texts), len(a.Findings), len(printed))
}

// code is what people do not read as words: calls, Terraform, addresses and names in quotation marks.
var code = regexp.MustCompile("(?s)`[^`]*`|https?://\\S+|\"[^\"]*\"")

// leaves goes through every text of a JSON value.
func leaves(v any, say func(string)) {
	switch v := v.(type) {
	case string:
		say(v)
	case []any:
		for _, x := range v {
			leaves(x, say)
		}
	case map[string]any:
		for name, x := range v {
			if name != "code" { // a call or Terraform, to be copied
				leaves(x, say)
			}
		}
	}
}

func person(f posture.Finding) string {
	out := fmt.Sprintf("%s  %s  %s\n%s\n%s\nImpact: %s\n", f.Category, f.CheckID, f.Severity, f.Title, f.Message, f.Impact)
	for _, step := range f.Steps {
		out += fmt.Sprintf("%v\n", step)
	}
	return out + "May break: " + f.Breaks
}
