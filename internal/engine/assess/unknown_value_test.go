package assess

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/apitest"
)

// TestSweepUnknownValuesNeverPass puts each published value, and one nobody has published, into each enumerated field of the
// good account. A check for which the published values differ must not pass on the one it cannot know.
func TestSweepUnknownValuesNeverPass(t *testing.T) {
	t.Parallel()
	published := apitest.Enumerations()
	good, err := goodtest.Snapshot().Build()
	require.NoError(t, err)
	var wrong []string
	fields := 0
	for i, s := range snapshot.Sources() {
		if left(i) {
			continue
		}
		of := slices.DeleteFunc(checks.All(), func(c check.Check) bool {
			return !slices.ContainsFunc(slices.Concat(c.Needs, c.Optional), func(n snapshot.Named) bool { return n.Source() == s.Name })
		})
		if len(of) == 0 {
			continue
		}
		for name, values := range published {
			typ, _, _ := strings.Cut(name, ".")
			if !reaches(s.Stored(), typ, map[reflect.Type]bool{}) {
				continue
			}
			fields++
			unknown := judgeWith(t, good, s, of, name, apitest.Unknown)
			passed := slices.DeleteFunc(slices.Clone(of), func(c check.Check) bool { return unknown[c.ID] != posture.Pass })
			for _, v := range values {
				if len(passed) == 0 {
					break
				}
				for id, r := range judgeWith(t, good, s, passed, name, v) {
					if r == posture.Fail || r == posture.Warning {
						wrong = append(wrong, id+" "+name+" "+string(r)+" on "+v)
					}
				}
			}
		}
	}
	t.Logf("%d fields", fields)
	require.Empty(t, strings.Join(wrong, "\n"))
}

// reaches tells whether a type reaches a named struct.
func reaches(typ reflect.Type, name string, seen map[reflect.Type]bool) bool {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return reaches(typ.Elem(), name, seen)
	case reflect.Struct:
		if seen[typ] {
			return false
		}
		seen[typ] = true
		if typ.Name() == name {
			return true
		}
		for f := range typ.Fields() {
			if reaches(f.Type, name, seen) {
				return true
			}
		}
	default:
	}
	return false
}

// judgeWith gives the worst result of each check when a field has a value wherever the source holds it.
func judgeWith(t *testing.T, good *snapshot.Snapshot, s snapshot.Source, of []check.Check, field, value string) map[string]posture.Result {
	t.Helper()
	typ, member, _ := strings.Cut(field, ".")
	sections := good.Sections()
	for i, sec := range sections {
		if sec.Source != s.Name || sec.Status != snapshot.OK {
			continue
		}
		var v any
		require.NoError(t, json.Unmarshal(sec.Value, &v))
		of := s.Stored()
		if list, ok := v.([]any); ok && of.Kind() != reflect.Slice {
			for j := range list {
				put(list[j], of, typ, member, value)
			}
		} else {
			put(v, of, typ, member, value)
		}
		changed, err := json.Marshal(v)
		require.NoError(t, err)
		sections[i].Value = changed
	}
	snap, err := snapshot.New(good.Account, good.TakenAt, good.Zones, sections)
	require.NoError(t, err)
	order := []posture.Result{posture.NotApplicable, posture.Pass, posture.Unknown, posture.Warning, posture.Fail}
	out := map[string]posture.Result{}
	for _, f := range check.Run(snap, of, policy.Default()).Findings {
		if old, ok := out[f.CheckID]; !ok || slices.Index(order, f.Result) > slices.Index(order, old) {
			out[f.CheckID] = f.Result
		}
	}
	return out
}

func put(v any, typ reflect.Type, name, member, value string) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			if typ.Kind() == reflect.Slice {
				put(v[i], typ.Elem(), name, member, value)
			}
		}
	case map[string]any:
		if typ.Kind() == reflect.Map {
			for k := range v {
				put(v[k], typ.Elem(), name, member, value)
			}
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		for _, f := range reflect.VisibleFields(typ) {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); v[tag] != nil {
				put(v[tag], f.Type, name, member, value)
			}
		}
		if typ.Name() == name {
			v[member] = value
		}
	}
}
