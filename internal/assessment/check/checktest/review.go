package checktest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Reviewed is an example that covers a point of the review of verdicts: a case from the review, or
// a variation of one.
type Reviewed struct {
	Point, Check string
	// Kind is "case", or how the variation differs: another "phase", "level" or "spelling", the
	// "order" reversed, something "unreadable", or "near" it.
	Kind, Example string
	// Before is the verdict of the reviewed catalogue, After the present one.
	Before, After string
}

// Review reads a list of reviewed examples: a line without tabs names a point, the lines below it
// are its examples.
func Review(t *testing.T, path string) (out []Reviewed) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	point := ""
	for line := range strings.Lines(string(raw)) {
		switch row := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(row) {
		case 1:
			point = row[0]
		case 5:
			out = append(out, Reviewed{Point: point, Check: row[0], Kind: row[1], Example: row[2], Before: row[3], After: row[4]})
		default:
			require.Fail(t, "a reviewed example has five columns", line)
		}
	}
	return out
}

// reviewed asserts that the examples named by the review exist and give the verdict it lists.
func reviewed(t *testing.T, c goodtest.Case) {
	for _, r := range Review(t, "testdata/review.tsv") {
		if r.Check != c.Check.ID {
			continue
		}
		i := slices.IndexFunc(c.Examples, func(e goodtest.Example) bool { return e.Name == r.Example })
		require.GreaterOrEqual(t, i, 0, "the review names an example that is missing: %q", r.Example)
		require.Equal(t, r.After, verdict(t, c, c.Examples[i]), "the review tells another verdict of %q", r.Example)
	}
}

// verdict returns the verdict of the check on an example, with the severity when something is
// wrong.
func verdict(t *testing.T, c goodtest.Case, e goodtest.Example) string {
	b, policy := goodOf(c), policy.Default()
	apply(e, b, &policy)
	for _, f := range run(t, c.Check, b, policy).Findings {
		if f.Result != e.Want || e.Resource != "" && f.Resource.ID != e.Resource || e.Severity != "" && f.Severity != e.Severity {
			continue
		}
		if f.Result == posture.Fail || f.Result == posture.Warning {
			return string(f.Result) + " " + string(f.Severity)
		}
		return string(f.Result)
	}
	return ""
}
