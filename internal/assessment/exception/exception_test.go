package exception

import (
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func in(d time.Duration) *time.Time {
	at := noon.Add(d)
	return &at
}

func TestCheck(t *testing.T) {
	good := func() posture.Exception {
		return posture.Exception{Reason: " known ", Owner: "ops", Match: posture.ExceptionMatch{CheckIDs: []string{"B", "A", "A"}},
			ExpiresAt: in(time.Hour)}
	}
	e, err := Check(good(), []string{"A", "B"}, noon)
	require.NoError(t, err)
	require.Equal(t, "known", e.Reason)
	require.Equal(t, []string{"A", "B"}, e.Match.CheckIDs)
	for name, c := range map[string]struct {
		edit func(*posture.Exception)
		at   []string
	}{
		"no reason, no owner": {func(e *posture.Exception) { e.Reason, e.Owner = " ", "" }, []string{"body.owner", "body.reason"}},
		"long reason":         {func(e *posture.Exception) { e.Reason = strings.Repeat("ü", 1001) }, []string{"body.reason"}},
		"ends now":            {func(e *posture.Exception) { e.ExpiresAt = in(0) }, []string{"body.expiresAt"}},
		"ends too late":       {func(e *posture.Exception) { e.ExpiresAt = in(Longest + time.Second) }, []string{"body.expiresAt"}},
		"unknown checks": {func(e *posture.Exception) { e.Match.CheckIDs = []string{"A", "X", ""} },
			[]string{"body.match.checkIds[1]", "body.match.checkIds[2]"}},
		"unknown severity": {func(e *posture.Exception) { e.Match.Severities = []posture.Severity{"bad"} },
			[]string{"body.match.severities[0]"}},
		"nothing named":          {func(e *posture.Exception) { e.Match = posture.ExceptionMatch{} }, []string{"body.match"}},
		"a pattern of wildcards": {func(e *posture.Exception) { e.Match = posture.ExceptionMatch{Pattern: " *?* "} }, []string{"body.match"}},
		"every severity": {func(e *posture.Exception) { e.Match = posture.ExceptionMatch{Severities: posture.Severities()} },
			[]string{"body.match"}},
		"an empty zone":     {func(e *posture.Exception) { e.Match.Zones = []string{""} }, []string{"body.match.zones[0]"}},
		"an empty resource": {func(e *posture.Exception) { e.Match.ResourceIDs = []string{"x", " "} }, []string{"body.match.resourceIds[1]"}},
	} {
		e := good()
		c.edit(&e)
		_, err := Check(e, []string{"A", "B"}, noon)
		var problem *posture.Problem
		require.ErrorAs(t, err, &problem, name)
		var at []string
		for _, f := range problem.Errors {
			at = append(at, f.Location)
		}
		require.Equal(t, c.at, at, name)
	}
	for name, edit := range map[string]func(*posture.Exception){
		"without an end":  func(e *posture.Exception) { e.ExpiresAt = nil },
		"the longest":     func(e *posture.Exception) { e.ExpiresAt = in(Longest) },
		"info":            func(e *posture.Exception) { e.Match = posture.ExceptionMatch{Severities: []posture.Severity{"info"}} },
		"a pattern alone": func(e *posture.Exception) { e.Match = posture.ExceptionMatch{Pattern: "test-*"} },
		"zones and pattern": func(e *posture.Exception) {
			e.Match = posture.ExceptionMatch{Pattern: "*", Zones: []string{"a.example"}}
		},
	} {
		e := good()
		edit(&e)
		_, err := Check(e, []string{"A", "B"}, noon)
		require.NoError(t, err, name)
	}
}

func TestMatches(t *testing.T) {
	f := &posture.Finding{CheckID: "A", Severity: posture.High, Result: posture.Fail,
		Resource: posture.Resource{ID: "r1", Name: "Test-1.Shop.Example", ZoneID: "z1", Zone: "shop.example"}}
	for name, c := range map[string]struct {
		match posture.ExceptionMatch
		want  bool
	}{
		"nothing":                {posture.ExceptionMatch{}, false},
		"every severity":         {posture.ExceptionMatch{Severities: posture.Severities()}, false},
		"check":                  {posture.ExceptionMatch{CheckIDs: []string{"B", "A"}}, true},
		"another check":          {posture.ExceptionMatch{CheckIDs: []string{"B"}}, false},
		"resource":               {posture.ExceptionMatch{ResourceIDs: []string{"r1"}}, true},
		"resource in other case": {posture.ExceptionMatch{ResourceIDs: []string{"R1"}}, false},
		"zone id":                {posture.ExceptionMatch{Zones: []string{"z1"}}, true},
		"zone name":              {posture.ExceptionMatch{Zones: []string{"SHOP.example"}}, true},
		"another zone":           {posture.ExceptionMatch{Zones: []string{"op.example"}}, false},
		"severity":               {posture.ExceptionMatch{Severities: []posture.Severity{posture.Low, posture.High}}, true},
		"another severity":       {posture.ExceptionMatch{Severities: []posture.Severity{posture.Low}}, false},
		"pattern on name":        {posture.ExceptionMatch{Pattern: "test-?.*"}, true},
		"pattern on zone":        {posture.ExceptionMatch{Pattern: "shop.*"}, true},
		"pattern on a part":      {posture.ExceptionMatch{Pattern: "test-1"}, false},
		"check and pattern":      {posture.ExceptionMatch{CheckIDs: []string{"A"}, Pattern: "test*"}, true},
		"check but not pattern":  {posture.ExceptionMatch{CheckIDs: []string{"A"}, Pattern: "prod*"}, false},
		"zone but not severity":  {posture.ExceptionMatch{Zones: []string{"z1"}, Severities: []posture.Severity{posture.Low}}, false},
		"all that can be narrowed": {posture.ExceptionMatch{CheckIDs: []string{"A"}, ResourceIDs: []string{"r1"}, Pattern: "*shop*",
			Zones: []string{"z1"}, Severities: []posture.Severity{posture.High}}, true},
	} {
		require.Equal(t, c.want, Matches(c.match, f), name)
	}
	nowhere := &posture.Finding{CheckID: "A", Resource: posture.Resource{ID: "acc", Name: "Main"}}
	require.False(t, Matches(posture.ExceptionMatch{Zones: []string{"z1"}}, nowhere))
	require.False(t, Matches(posture.ExceptionMatch{CheckIDs: []string{"A"}, Zones: []string{""}}, nowhere),
		"no zone is not a zone without a name")
}

// TestNamesInUnicode: runs keep names in ASCII, and people write them as Cloudflare's pages show them.
func TestNamesInUnicode(t *testing.T) {
	f := &posture.Finding{Resource: posture.Resource{Zone: "xn--bcher-kva.example", ZoneID: "z1", Name: "www.xn--bcher-kva.example"}}
	require.True(t, Matches(posture.ExceptionMatch{Zones: []string{"Bücher.example"}}, f))
	require.True(t, Matches(posture.ExceptionMatch{Pattern: "*.bücher.example"}, f))
	require.False(t, Matches(posture.ExceptionMatch{Zones: []string{"büchse.example"}}, f))
	require.False(t, Matches(posture.ExceptionMatch{Pattern: "*.büchse.example"}, f))
}

// TestOf chooses among exceptions that overlap.
func TestOf(t *testing.T) {
	match := posture.ExceptionMatch{CheckIDs: []string{"A"}}
	f := &posture.Finding{CheckID: "A", Result: posture.Fail}
	at := func(id string, ends *time.Time) posture.Exception {
		return posture.Exception{ID: id, Match: match, ExpiresAt: ends}
	}
	revoked := at("0", nil)
	revoked.RevokedAt = in(-time.Minute)
	other := at("0", nil)
	other.Account = "other"
	ours := at("5", in(time.Hour))
	ours.Account = "ours"
	for name, c := range map[string]struct {
		all  []posture.Exception
		want string
	}{
		"none":                    {nil, ""},
		"the one that ends last":  {[]posture.Exception{at("1", in(time.Hour)), at("2", in(2*time.Hour)), at("3", in(time.Minute))}, "2"},
		"one without an end":      {[]posture.Exception{at("1", in(time.Hour)), at("9", nil)}, "9"},
		"ties by id":              {[]posture.Exception{at("b", in(time.Hour)), at("a", in(time.Hour))}, "a"},
		"ties without an end":     {[]posture.Exception{at("b", nil), at("a", nil)}, "a"},
		"ended just now":          {[]posture.Exception{at("1", in(0))}, ""},
		"revoked, other accounts": {[]posture.Exception{revoked, other, ours}, "5"},
	} {
		got := For(c.all, noon, "ours").Of(f)
		if c.want == "" {
			require.Nil(t, got, name)
			continue
		}
		require.NotNil(t, got, name)
		require.Equal(t, c.want, got.ID, name)
	}
	for _, r := range posture.Results() {
		got := For([]posture.Exception{at("1", nil)}, noon).Of(&posture.Finding{CheckID: "A", Result: r})
		require.Equal(t, r == posture.Fail || r == posture.Warning || r == posture.Unknown, got != nil, r)
	}
}

func TestPreview(t *testing.T) {
	p := NewPreview()
	p.Close(nil)
	require.Equal(t, "hides 0 findings", p.Message)
	p = NewPreview()
	for i := range 41 {
		severity := posture.Medium
		if i < 2 {
			severity = posture.Critical
		}
		p.Add(posture.Finding{Severity: severity})
	}
	p.Close([]posture.AttackPath{{ID: "b"}, {ID: "a", Title: "A", Severity: posture.High}})
	require.Equal(t, "hides 41 findings, 2 critical, on 2 attack paths", p.Message)
	require.Equal(t, PathRef{ID: "a", Title: "A", Severity: posture.High}, p.AttackPaths[0])
	require.Len(t, p.Sample, 20)
	require.Equal(t, map[posture.Severity]int{posture.Critical: 2, posture.High: 0, posture.Medium: 39, posture.Low: 0,
		posture.Informational: 0}, p.BySeverity)
}

// FuzzFits holds patterns against the standard library's, where both mean the same.
func FuzzFits(f *testing.F) {
	for _, s := range [][2]string{{"*", "a"}, {"a*b?c", "AxxBbc"}, {"", ""}, {"**?", "x"}, {"*.example", "shop.example"}, {"İ*", "i̇x"},
		{"*a*a*a*a*b", strings.Repeat("a", 50)}, {"\xff*", "\xffa"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		defer fuzztest.Bound(t)()
		got := Fits(pattern, text)
		require.Equal(t, got, Fits(strings.ToUpper(strings.ToLower(pattern)), text) || got, "letter case")
		require.True(t, Fits("*"+pattern+"*", text) || !got, "a wider pattern fits too")
		if strings.ContainsAny(pattern+text, `[]\/`) || strings.ToValidUTF8(pattern+text, "") != pattern+text {
			return
		}
		want, err := path.Match(strings.ToLower(pattern), strings.ToLower(text))
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}
