package apitest

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestSweepBodiesOfEverySourceAreReadRight decodes bodies made of the published shapes: a member nobody knows changes nothing, a
// value in another form is read as what it says, null is as if the member was missing, and an unknown value is kept as it is
// or ends the read. What has no identity ends it too.
func TestSweepBodiesOfEverySourceAreReadRight(t *testing.T) {
	all := Operations()
	counts := map[string]int{}
	// Kept as they come, for checks to say what they do not know: values of page rules, and counters of labels, which are
	// published without a form.
	raw := regexp.MustCompile(`^(zone/page_rules /actions/value|zone/api_labels )`)
	// A selector or a filter nobody knows widens or narrows all the same; variants have the names people give them.
	open := regexp.MustCompile(`/(include|exclude|require|filters) member$|^account/image_variants /variants member$`)
	for _, s := range snapshot.Sources() {
		o, ok := Find(all, "GET", anonymous(s.Path))
		if !ok || o.Result.Any() || s.Name == snapshot.SnippetContent.Source() {
			continue
		}
		decode := func(v any) (string, error) {
			raw, err := json.Marshal(v)
			require.NoError(t, err)
			stored, err := s.Decode(raw)
			return string(stored), err
		}
		full, _ := decode(o.Result.full("", "", ""))
		for _, b := range o.Result.Bodies() {
			counts[b.Kind]++
			got, err := decode(b.Value)
			where := s.Name + " " + b.At + " " + b.Kind
			if raw.MatchString(where) || open.MatchString(where) {
				continue
			}
			switch b.Kind {
			case "member":
				require.NoError(t, err, where)
				require.JSONEq(t, full, got, where)
			case "form":
				require.NoError(t, err, where)
				require.JSONEq(t, full, got, where)
			case "null":
				if strings.HasSuffix(b.At, "*") {
					continue // what its being there means is not published
				}
				absent, absentErr := decode(without(o.Result.full("", "", ""), strings.Split(b.At, "/")[1:]))
				require.Equal(t, absentErr == nil, err == nil, where)
				require.Equal(t, absent, got, where)
			case "value":
				other := strings.ReplaceAll(got, Unknown, "")
				if err == nil && got != full {
					require.NotEqual(t, other, got, "%s is read as another value: %s", where, got)
				}
			}
		}
	}
	sum := 0
	for _, n := range counts {
		sum += n
	}
	t.Logf("%d bodies %v", sum, counts)
	require.Greater(t, sum, 5000)
}

// without removes a member at a path; lists on the way have one item.
func without(v any, path []string) any {
	if list, ok := v.([]any); ok {
		return []any{without(list[0], path)}
	}
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	name := strings.Replace(path[0], "*", "any", 1)
	if len(path) == 1 {
		delete(object, name)
	} else {
		object[name] = without(object[name], path[1:])
	}
	return object
}
