package notify_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

type chatText struct {
	Type, Text string
	Verbatim   bool
}

type chatMessage struct {
	Text   string
	Blocks []struct {
		Type     string
		Text     *chatText
		Fields   []chatText
		Elements []struct {
			Type     string
			Text     json.RawMessage
			URL      string
			Verbatim bool
		}
	}
}

// texts gives every text of a message that is parsed as markup.
func (m chatMessage) texts(t testing.TB) []string {
	t.Helper()
	out := []string{m.Text}
	put := func(v chatText) {
		if v.Type == "mrkdwn" {
			require.True(t, v.Verbatim, "plain words must not become links: %s", v.Text)
			out = append(out, v.Text)
		}
	}
	for _, b := range m.Blocks {
		if b.Text != nil {
			put(*b.Text)
		}
		for _, f := range b.Fields {
			put(f)
		}
		for _, e := range b.Elements {
			if e.Type == "mrkdwn" {
				var s string
				require.NoError(t, json.Unmarshal(e.Text, &s))
				put(chatText{e.Type, s, e.Verbatim})
			}
		}
	}
	return out
}

func readChatA(t testing.TB, body []byte) chatMessage {
	t.Helper()
	var m chatMessage
	require.NoError(t, json.Unmarshal(body, &m))
	return m
}

func validChatA(t testing.TB, body []byte) {
	t.Helper()
	conforms(t, schema(t, "testdata/slack-webhook.schema.json"), body)
	m := readChatA(t, body)
	total := 0
	for _, s := range m.texts(t)[1:] {
		require.LessOrEqual(t, notify.Units(s), 3000)
		total += notify.Units(s)
		require.Empty(t, liveMrkdwn(s), "%s", s)
	}
	require.LessOrEqual(t, total, 12_000)
	require.Empty(t, liveMrkdwn(m.Text))
	require.LessOrEqual(t, notify.Units(m.Text), 1000)
}

// referee is how we read Slack's markup: angle brackets first, in code spans
// too; then code spans, which end on the line they began and switch the rest off.
type referee struct {
	entity, span, ours *regexp.Regexp
	everywhere         map[string]*regexp.Regexp
	outside            map[string]*regexp.Regexp // code spans and our own bold texts
}

var theReferee = sync.OnceValue(func() referee {
	return referee{
		entity: regexp.MustCompile(`&(amp|lt|gt);`), span: regexp.MustCompile("`[^`\n]+`"),
		ours: regexp.MustCompile(`\*(CRITICAL|HIGH|MEDIUM|LOW|INFORMATIONAL|Simulated account: this is the built-in demo\. No real account was ` +
			`read\.|Not everything could be read\.|Became unreadable:|` +
			`Score|Score then|Last assessment|Grade|Open findings|Unknown|Coverage|Attack paths|New|More severe than before|Accepted until now|` +
			`Overdue|Resolved|Open now|(New|More severe than before|Accepted until now|Overdue|Resolved|Open now|Worst open findings|` +
			`New or regressed since the last run|Worst attack paths|Permissions the token lacks) \(\d+( of \d+ shown)?\))\*`),
		everywhere: map[string]*regexp.Regexp{"angle": regexp.MustCompile(`[<>]`), "fence": regexp.MustCompile("```"),
			"code of nothing": regexp.MustCompile("``")},
		outside: map[string]*regexp.Regexp{
			"backtick": regexp.MustCompile("`"), "bold": regexp.MustCompile(`\*`), "italic": regexp.MustCompile(`_`),
			"strike": regexp.MustCompile(`~`), "quote": regexp.MustCompile(`(?m)^\s*&gt;`),
			"emoji": regexp.MustCompile(`:[^\s:\x{2400}]+:`), "mention": regexp.MustCompile(`@`), "conversation": regexp.MustCompile(`#`),
			"link": regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://|www\.|mailto:\S|[\p{L}\p{N}]\.\p{L}{2,}`),
		},
	}
})

// liveMrkdwn lists what in a text the parser would give a meaning, except our own
// bold texts.
func liveMrkdwn(s string) []string {
	r := theReferee()
	var out []string
	if strings.Contains(r.entity.ReplaceAllString(s, ""), "&") {
		out = append(out, "ampersand")
	}
	for name, pattern := range r.everywhere {
		if pattern.MatchString(s) {
			out = append(out, name)
		}
	}
	rest := r.ours.ReplaceAllString(r.span.ReplaceAllString(s, "\u2400"), "")
	for name, pattern := range r.outside {
		if hit := pattern.FindString(rest); hit != "" {
			out = append(out, name+" "+hit)
		}
	}
	return out
}

func TestMrkdwnNamesStayText(t *testing.T) {
	for _, name := range exporttest.Names(500) {
		mrkdwnStaysText(t, name)
	}
}

func mrkdwnStaysText(t testing.TB, name string) {
	t.Helper()
	for _, limit := range []int{40, 900} {
		got := notify.Mrkdwn(name, limit)
		require.Empty(t, liveMrkdwn(got), "%q became %s", name, got)
		require.LessOrEqual(t, notify.Units(got), limit)
		require.NotContains(t, got, "\n")
		require.Equal(t, strings.ToValidUTF8(got, "?"), got)
	}
}

// TestMrkdwnIsShownAsItWas takes the markup away again: what a reader sees is the
// name, with the grave accent for a backtick.
func TestMrkdwnIsShownAsItWas(t *testing.T) {
	unmark := func(s string) string {
		s = regexp.MustCompile("`([^`]+)`").ReplaceAllString(s, "$1")
		return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
	}
	for _, name := range exporttest.Names(500) {
		if len(name) > 1000 {
			continue
		}
		require.Equal(t, strings.ReplaceAll(notify.Visible(name), "`", "ˋ"), unmark(notify.Mrkdwn(name, 4000)), "%q", name)
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"a\x00b\x1b[31m": "a\uFFFDb\uFFFD[31m", "x\u202Egnp.exe": "x\uFFFDgnp.exe", "zero\u200Bwidth": "zero\uFFFDwidth",
		"\uFEFFbom": "\uFFFDbom", "soft\u00ADhyphen": "soft\uFFFDhyphen",
		"a\r\nb\tc\u2028d\u2029e\u0085f\u00a0g": "a b c d e f g", "  a  ": "a", " \n ": "", "\xff\xfe": "\uFFFD",
		"family \U0001F468\u200D\U0001F469": "family \U0001F468\u200D\U0001F469", "\ue000": "\uFFFD",
	} {
		require.Equal(t, want, notify.Visible(in), "%q", in)
	}
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語😀", 4, "日本語😀"}, {"日本語😀x", 4, "日本語…"}, {"abc", 1, "…"}, {"abc", 0, ""}, {"", 5, ""},
		{"a\xffb", 3, "a\uFFFDb"}} {
		require.Equal(t, c.want, notify.Cut(c.in, c.limit), "%q at %d", c.in, c.limit)
	}
	require.Equal(t, 4, notify.Units("aé😀"))
}

// TestMrkdwnRefereeSees shows that the referee sees each kind of attack when
// nothing is done about it.
func TestMrkdwnRefereeSees(t *testing.T) {
	for text, kind := range map[string]string{
		"<!channel>": "angle", "<https://evil.example|bank>": "angle", "a & b": "ampersand", "&lt": "ampersand", "*bold*": "bold",
		"_it_": "italic", "~no~": "strike", "`": "backtick",
		"```x```": "fence", "&gt; quote": "quote", ":tada:": "emoji", "@here": "mention", "#general": "conversation",
		"https://evil.example": "link", "evil.example": "link", "www.x": "link",
	} {
		require.Contains(t, strings.Join(liveMrkdwn(text), " "), kind, text)
		require.Empty(t, liveMrkdwn(notify.Mrkdwn(text, 100)), text)
	}
	require.Empty(t, liveMrkdwn("*CRITICAL* FAIL a &amp; b: `x_y` at 10:30, 50 % of 203.0.113.5."), "our own words are no attack")
}

// TestMrkdwnLeavesBracketsOut: what stands around a name is not part of it, what
// stands in it is.
func TestMrkdwnLeavesBracketsOut(t *testing.T) {
	for in, want := range map[string]string{
		"the zone (www.acme.example) is":       "the zone (`www.acme.example`) is",
		"(see https://acme.example/a).":        "(see `https://acme.example/a`).",
		"[acme.example], next":                 "[`acme.example`], next",
		"https://acme.example/a_(b)":           "`https://acme.example/a_(b)`",
		"(https://acme.example/a_(b)).":        "(`https://acme.example/a_(b)`).",
		"=HYPERLINK(\"https://evil.example\")": "`=HYPERLINK(\"https://evil.example\")`",
		"(plain)":                              "(plain)", "(_)": "(`_`)", ")_(": "`)_(`", "[x](www.acme.example)": "[`x](www.acme.example)`",
	} {
		require.Equal(t, want, notify.Mrkdwn(in, 200))
		require.Empty(t, liveMrkdwn(want), want)
	}
}

// FuzzMrkdwn looks for a text that stays alive or too long.
func FuzzMrkdwn(f *testing.F) {
	for _, name := range exporttest.Names(200) {
		if len(name) < 60 {
			f.Add(name)
		}
	}
	f.Fuzz(func(t *testing.T, name string) {
		defer fuzztest.Bound(t)()
		mrkdwnStaysText(t, name)
	})
}

// TestSweepChatAHoldsItsLimitsAtWorst fills everything with the longest texts there
// can be. Lines give way and stay counted.
func TestSweepChatAHoldsItsLimitsAtWorst(t *testing.T) {
	for _, fill := range []string{"<", "& ", "😀", "&", "*", "< ", "* ", "x", "`` "} {
		s := filled(t, strings.Repeat(fill, 4000))
		body := build(t, "chat_a", s)
		validChatA(t, body)
		texts := strings.Join(readChatA(t, body).texts(t), "\n")
		require.Regexp(t, `Worst open findings \(\d of 36 shown\)`, texts)
		require.Regexp(t, `Permissions the token lacks \(\d of 40 shown\)`, texts)
		require.True(t, slices.ContainsFunc(readChatA(t, body).texts(t),
			func(s string) bool { return strings.Contains(s, "lacks 40 permissions") }))
	}
}
