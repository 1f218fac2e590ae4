package expression

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func field(name string) Field { return Field{Name: name} }

func span(lo, hi string) Addresses {
	return Addresses{Lo: netip.MustParseAddr(lo), Hi: netip.MustParseAddr(hi)}
}

func TestParse(t *testing.T) {
	host := Test{field("http.host"), Eq, Text("a")}
	for in, want := range map[string]Expr{
		"true":                            Literal(true),
		"(not false)":                     Not{Literal(false)},
		"ssl":                             Flag{field("ssl")},
		"!ssl && cf.client.bot":           And{[]Expr{Not{Flag{field("ssl")}}, Flag{field("cf.client.bot")}}},
		`http.host eq "a"`:                host,
		`http.host=="a"`:                  host,
		`http.host == r"a"`:               host,
		`http.host == r#"a"#`:             host,
		`http.host eq "a" or ssl and ssl`: Or{[]Expr{host, And{[]Expr{Flag{field("ssl")}, Flag{field("ssl")}}}}},
		`ssl xor ssl || ssl`:              Or{[]Expr{Xor{[]Expr{Flag{field("ssl")}, Flag{field("ssl")}}}, Flag{field("ssl")}}},
		`not ssl eq true`:                 Not{Test{field("ssl"), Eq, Bool(true)}},
		`ip.src eq 192.0.2.7`:             Test{field("ip.src"), Eq, span("192.0.2.7", "192.0.2.7")},
		`ip.src in {10.0.0.0/8 fe80::/64}`: Test{field("ip.src"), In, Set{span("10.0.0.0", "10.255.255.255"),
			span("fe80::", "fe80::ffff:ffff:ffff:ffff")}},
		`ip.src in {192.0.2.1..192.0.2.9}`:   Test{field("ip.src"), In, Set{span("192.0.2.1", "192.0.2.9")}},
		`ip.src in $office`:                  Test{field("ip.src"), In, List("office")},
		`ip.src in $cf.open_proxies`:         Test{field("ip.src"), In, List("cf.open_proxies")},
		`cf.edge.server_port in {80 443}`:    Test{field("cf.edge.server_port"), In, Set{Number(80), Number(443)}},
		`cf.edge.server_port in {80..90}`:    Test{field("cf.edge.server_port"), In, Set{Numbers{80, 90}}},
		`cf.waf.score lt 20`:                 Test{field("cf.waf.score"), Lt, Number(20)},
		`http.host ~ "\.a\"$"`:               Test{field("http.host"), Matches, Text(`\.a"$`)},
		`http.host matches "\\.a"`:           Test{field("http.host"), Matches, Text(`\\.a`)},
		`http.host strict wildcard "*.a"`:    Test{field("http.host"), StrictWildcard, Text("*.a")},
		`lower(http.host) contains "\x41"`:   Test{Call{"lower", []Operand{field("http.host")}}, Contains, Text("A")},
		`starts_with(http.host, "a")`:        Flag{Call{"starts_with", []Operand{field("http.host"), Text("a")}}},
		`http.request.headers["x"][0] eq ""`: Test{Field{"http.request.headers", []string{"x", "0"}}, Eq, Text("")},
		`any(http.request.headers["x"][*] eq "y")`: Flag{Call{"any",
			[]Operand{Nested{Test{Field{"http.request.headers", []string{"x", "*"}}, Eq, Text("y")}}}}},
		`any(not ssl)`:     Flag{Call{"any", []Operand{Nested{Not{Flag{field("ssl")}}}}}},
		`all((ssl))`:       Flag{Call{"all", []Operand{Nested{Flag{field("ssl")}}}}},
		`any(a eq 1 or b)`: Flag{Call{"any", []Operand{Nested{And{[]Expr{Test{field("a"), Eq, Number(1)}, Flag{field("b")}}}}}}},
		`a in {1, 2}`:      Test{field("a"), In, Set{Number(1), Number(2)}},
		`e.f eq 1`:         Test{field("e.f"), Eq, Number(1)},
	} {
		got, err := Parse(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got, in)
	}
}

func TestParseRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, in := range []string{
		"", "(", "true false", "http.host eq", `http.host eq "a`, `http.host is "a"`, `nobody_knows(http.host)`, `ip.src in 10.0.0.0/8`,
		`ip.src eq $office`, `http.host in "a"`, `ip.src in {}`, `ip.src eq 10.0.0.0/33`, `ip.src eq 10.0.0`, `ip.src in {9.9.9.9..1.1.1.1}`,
		`ip.src in {::ffff:1.2.3.4/96}`, `"a" eq "a"`, `http.host & 1`, `ssl and`, `$office`, `http..host`, `x in {1..}`, `r#"a"`, `a[`, `a[b]`,
		`a["b"`, "lower(", "lower(a b)", "any(a eq)", "any(not", "any(a or", "a.", "a strict b", "a eq {", "a in {b}", "a in {1 ,}",
		"any()", "starts_with()", "starts_with(http.host)", "len() eq 1", "any(ssl, ssl)", `lower(http.host, "x") eq "a"`,
		strings.Repeat("(", 200) + "ssl" + strings.Repeat(")", 200), strings.Repeat("not ", 200) + "ssl", strings.Repeat(" ", maxLength) + "ssl",
	} {
		_, err := Parse(in)
		require.Error(t, err, "%.60s", in)
	}
}

func TestParseValue(t *testing.T) {
	got, err := ParseValue(`concat("https://", http.host, http.request.uri)`)
	require.NoError(t, err)
	require.Equal(t, Call{"concat", []Operand{Text("https://"), field("http.host"), field("http.request.uri")}}, got)
	_, err = ParseValue(`"a" "b"`)
	require.Error(t, err)
}

// TestFoldEvaluates compares the fold with plain boolean evaluation, for every
// assignment of three variables.
func TestFoldEvaluates(t *testing.T) {
	for in, plain := range map[string]func(a, b, c bool) bool{
		"a and b or c":           func(a, b, c bool) bool { return a && b || c },
		"not (a or b) and c":     func(a, b, c bool) bool { return !(a || b) && c },
		"a xor b xor c":          func(a, b, c bool) bool { return (a != b) != c },
		"not (a xor not b) or c": func(a, b, c bool) bool { return a == !b || c },
		"a or b xor c and true":  func(a, b, c bool) bool { return a || b != c },
	} {
		e, err := Parse(in)
		require.NoError(t, err)
		for n := range 8 {
			vars := map[string]bool{"a": n&1 > 0, "b": n&2 > 0, "c": n&4 > 0}
			got := Fold(e, Algebra[bool]{
				Leaf: func(e Expr, negated bool) bool {
					if l, ok := e.(Literal); ok {
						return bool(l) != negated
					}
					return vars[e.(Flag).Value.(Field).Name] != negated
				},
				And: func(vs ...bool) bool {
					for _, v := range vs {
						if !v {
							return false
						}
					}
					return true
				},
				Or: func(vs ...bool) bool {
					for _, v := range vs {
						if v {
							return true
						}
					}
					return false
				},
			})
			require.Equal(t, plain(vars["a"], vars["b"], vars["c"]), got, "%s with %v", in, vars)
		}
	}
}

func TestFields(t *testing.T) {
	e, err := Parse(`any(http.request.headers["x"][*] eq "y") and not lower(http.host) eq "a" or ssl or http.host eq "b"`)
	require.NoError(t, err)
	require.Equal(t, []string{"http.host", "http.request.headers", "ssl"}, Fields(e))
}

func TestOnText(t *testing.T) {
	for in, want := range map[string][2]bool{
		`x eq "shop.example"`:             {true, true},
		`x ne "shop.example"`:             {false, true},
		`x in {"a" "shop.example"}`:       {true, true},
		`x in {"a"}`:                      {false, true},
		`x contains "op.ex"`:              {true, true},
		`x wildcard "*.EXAMPLE"`:          {true, true},
		`x strict wildcard "*.EXAMPLE"`:   {false, true},
		`x wildcard "s*p.*a*"`:            {true, true},
		`x wildcard "shop.example*shop*"`: {false, true},
		`x matches "shop"`:                {false, false},
		`x in $zones`:                     {false, false},
	} {
		e, err := Parse(in)
		require.NoError(t, err, in)
		holds, ok := e.(Test).OnText("shop.example")
		require.Equal(t, want, [2]bool{holds, ok}, in)
	}
}

func TestWider(t *testing.T) {
	for in, want := range map[string]bool{
		"10.0.0.0/16": false, "10.0.0.0/15": true, "10.0.0.1": false, "0.0.0.0/0": true, "10.0.0.0..10.0.255.255": false,
		"10.0.0.0..10.1.0.0": true,
		"2001:db8::/32":      false, "2001:db8::/31": true, "2001:db8::1": false, "::/0": true, "2001:db7:ffff::..2001:db8::1": false,
	} {
		e, err := Parse("ip.src in {" + in + "}")
		require.NoError(t, err, in)
		require.Equal(t, want, e.(Test).Right.(Set)[0].(Addresses).Wider(16, 32), in)
	}
	e, err := Parse("ip.src in {2001:db8::/63 2001:db8::/64 10.0.0.0/24 10.0.0.0/23}")
	require.NoError(t, err)
	var got []bool
	for _, o := range e.(Test).Right.(Set) {
		got = append(got, o.(Addresses).Wider(24, 64))
	}
	require.Equal(t, []bool{true, false, false, true}, got)
}

// FuzzParse holds that no input panics, and that what parses folds.
func TestEscapesOfStrings(t *testing.T) {
	for in, want := range map[string]string{
		`"\x41\101\"\\"`: `AA"\`, `"\141.example"`: "a.example", `"\400"`: `\400`, `"\19"`: `\19`, `"\d{3}"`: `\d{3}`, `"\377"`: "\xff",
		`"\x4"`: `\x4`,
	} {
		e, err := Parse(`http.host eq ` + in)
		require.NoError(t, err, in)
		test, ok := e.(Test)
		require.True(t, ok, in)
		require.Equal(t, Text(want), test.Right, in)
	}
}

// TestPatternsMeanWhatTheyMeanInRust: what Rust reads in another way is not evaluated.
func TestPatternsMeanWhatTheyMeanInRust(t *testing.T) {
	for pattern, same := range map[string]bool{`^/[a-z&&[^b]]/x$`: false, `^/[[a-z]0-9]$`: false, `[a-z--b]`: false, `[a~~b]`: false,
		`^[[:alpha:]_]+$`: true, `[\[a]`: true, `[]a]`: true, `[^]a&]`: true, `a&&b\[[`: false, `\[[a]`: true, `(?i)[0-9a-f-]{8}`: true} {
		_, err := Pattern(pattern)
		require.Equal(t, same, err == nil, "%s: %v", pattern, err)
	}
}

// TestCaseIsThatOfASCII: lower and upper leave all other bytes as they are.
func TestCaseIsThatOfASCII(t *testing.T) {
	for text, want := range map[string]truth.Value{`lower(http.user_agent) eq "Éa"`: truth.Yes, `lower(http.user_agent) eq "éa"`: truth.No,
		`upper(http.user_agent) eq "ÉA"`: truth.Yes} {
		e, err := Parse(text)
		require.NoError(t, err)
		require.Equal(t, want, Eval(e, Env{Field: func(Field) (any, bool) { return "ÉA", true }}), text)
	}
}

func TestPatternsAreBounded(t *testing.T) {
	_, err := Pattern(`^/api/\d+$`)
	require.NoError(t, err)
	_, err = Pattern(strings.Repeat("(a?){9}", 200))
	require.ErrorContains(t, err, "more than 1000 bytes")
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"true", `ip.src in {10.0.0.0/8 ::1} and not ssl`, `http.host ~ r#"a"#`, `any(a[*] eq "b" and c) xor $x`,
		"a in {1..2}", `"\x4`, "-", "1..", "r#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		defer fuzztest.Bound(t)()
		e, err := Parse(in)
		if err != nil {
			return
		}
		Fields(e)
		n := 0
		Fold(e, Algebra[int]{
			Leaf: func(Expr, bool) int { n++; return 1 },
			And:  func(vs ...int) int { return len(vs) },
			Or:   func(vs ...int) int { return len(vs) },
		})
		require.Positive(t, n)
	})
}
