package notify_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
)

type cardElement struct {
	Type, Text string
	Inlines    []struct{ Type, Text string }
	Facts      []struct{ Title, Value string }
}

type cardMessage struct {
	Attachments []struct {
		Content struct {
			FallbackText string
			Body         []cardElement
			Actions      []struct{ Type, Title, URL string }
		}
	}
}

func readChatB(t testing.TB, body []byte) cardMessage {
	t.Helper()
	var m cardMessage
	require.NoError(t, json.Unmarshal(body, &m))
	require.Len(t, m.Attachments, 1)
	return m
}

// markdowns gives the texts of a card that are parsed as Markdown, and runs those
// that are not.
func (m cardMessage) markdowns() (markdowns, runs []string) {
	c := m.Attachments[0].Content
	markdowns = append(markdowns, c.FallbackText)
	for _, e := range c.Body {
		if e.Text != "" {
			markdowns = append(markdowns, e.Text)
		}
		for _, f := range e.Facts {
			markdowns = append(markdowns, f.Title, f.Value)
		}
		for _, r := range e.Inlines {
			runs = append(runs, r.Text)
		}
	}
	return markdowns, runs
}

func validChatB(t testing.TB, body []byte) {
	t.Helper()
	require.LessOrEqual(t, len(body), 28_000)
	conforms(t, schema(t, "testdata/teams-envelope.schema.json"), body)
	require.Contains(t, string(body), `"contentUrl":null`)
	if path := publishedCard(); path != "" {
		var m map[string]any
		require.NoError(t, json.Unmarshal(body, &m))
		card := m["attachments"].([]any)[0].(map[string]any)["content"].(map[string]any)
		delete(card, "msteams") // the schema does not know what only one host reads
		raw, err := json.Marshal(card)
		require.NoError(t, err)
		conforms(t, schema(t, path), raw)
	}
	markdowns, runs := readChatB(t, body).markdowns()
	for _, s := range markdowns {
		require.Empty(t, liveMarkdown(t, s), "%s", s)
	}
	for _, s := range runs {
		require.NotEmpty(t, s)
		require.NotContains(t, s, "{{", "functions of cards work in runs too")
		require.NotContains(t, s, "\n")
	}
}

// publishedCard is the published schema of cards when EDGEPOSTURE_SCHEMAS names
// a folder that has it.
func publishedCard() string {
	dir := os.Getenv("EDGEPOSTURE_SCHEMAS")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "adaptive-card-1.5.schema.json")
}

func TestPublishedCardSchemaIsHeld(t *testing.T) {
	path := publishedCard()
	if path == "" {
		t.Skip("EDGEPOSTURE_SCHEMAS names no folder with the Adaptive Card schema")
	}
	s := schema(t, path)
	require.Error(t, s.Validate(map[string]any{"type": "AdaptiveCard", "version": "1.5", "body": []any{map[string]any{"type": "Nonsense"}}}),
		"the schema must refuse something")
	require.NoError(t, s.Validate(map[string]any{"type": "AdaptiveCard", "version": "1.5",
		"body": []any{map[string]any{"type": "TextBlock", "text": "a"}}}))
}

// liveMarkdown lists what a text block would show as anything but plain text.
func liveMarkdown(t testing.TB, s string) []string {
	t.Helper()
	var out []string
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	require.NoError(t, ast.Walk(md.Parser().Parse(text.NewReader([]byte(s))), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n.Kind() {
			case ast.KindDocument, ast.KindParagraph, ast.KindText, ast.KindString:
			default:
				out = append(out, n.Kind().String())
			}
		}
		return ast.WalkContinue, nil
	}))
	if strings.Contains(s, "{{") || regexp.MustCompile(`(?i)<at>`).MatchString(s) {
		out = append(out, "function or mention")
	}
	return out
}

// TestSweepCardNamesStayText holds that every text of a stranger is in a run, where
// Markdown has no meaning: the texts that know Markdown are the same whatever the
// names are.
func TestSweepCardNamesStayText(t *testing.T) {
	want, _ := readChatB(t, build(t, "chat_b", filled(t, "x"))).markdowns()
	shown := 0
	for _, name := range exporttest.Names(500) {
		if len(name) > 500 { // longer ones cost lines, which the headings count
			continue
		}
		body := build(t, "chat_b", filled(t, name))
		validChatB(t, body)
		got, runs := readChatB(t, body).markdowns()
		if len(body) < 26_000 {
			require.Equal(t, want, got, "%q", name)
		}
		if clean := notify.Run(name, 60); clean != "" && strings.Contains(strings.Join(runs, "\n"), strings.TrimSuffix(clean, "…")) {
			shown++
		}
	}
	require.Greater(t, shown, 400, "names must be shown, not dropped: %d", shown)
}

// TestMarkdownRefereeSees shows that a name in a text block would be seen.
func TestMarkdownRefereeSees(t *testing.T) {
	for _, s := range []string{"[a](https://evil.example)", "**bold**", "_it_", "- item", "1. item", "https://evil.example", "# head",
		"{{DATE(2026-11-21T00:00:00Z)}}", "<at>all</at>"} {
		require.NotEmpty(t, liveMarkdown(t, s), s)
	}
	require.Equal(t, "{ {DATE(2026-11-21T00:00:00Z)}}", notify.Run("{{DATE(2026-11-21T00:00:00Z)}}", 100))
	require.NotContains(t, notify.Run("{{{{{{{x", 100), "{{")
}

// TestChatBHoldsItsLimitAtWorst fills everything with the longest texts there can
// be, in bytes and in escapes of JSON.
func TestChatBHoldsItsLimitAtWorst(t *testing.T) {
	for _, fill := range []string{"x", "😀", `"`, `\`, "\u2028", "\xff", "\x01"} {
		s := filled(t, "a"+strings.Repeat(fill, 4000))
		body := build(t, "chat_b", s)
		validChatB(t, body)
		require.Greater(t, len(body), 2000)
		markdowns, runs := readChatB(t, body).markdowns()
		require.Regexp(t, `Worst open findings \(\d+ of 36 shown\)`, strings.Join(markdowns, "\n"))
		require.Contains(t, strings.Join(runs, ""), "The token lacks 40 permissions.")
	}
}

// filled makes a summary with everything there can be, each text of a stranger
// being the given one.
func filled(t testing.TB, name string) notify.Summary {
	t.Helper()
	in := input(exporttest.Large(60))
	in.Assessment.Account.Name, in.Top = name, 10
	var findings []posture.Finding
	for f, err := range in.Findings {
		require.NoError(t, err)
		f.Title, f.Message, f.Resource.Name, f.Resource.Zone = name, name, name, name
		findings = append(findings, f)
	}
	in.Findings = exporttest.Of(findings)()
	in.Paths = nil
	for i := range 12 {
		in.Paths = append(in.Paths, posture.AttackPath{ID: "ap:" + strings.Repeat("n", i+1), Kind: "exposed-origin", Title: name,
			Explanation: name, Severity: posture.High, HopCount: i})
	}
	in.Assessment.AttackPaths = len(in.Paths)
	for range 40 {
		in.Assessment.Coverage.MissingPermissions = append(in.Assessment.Coverage.MissingPermissions, posture.MissingPermission{Permission: name,
			CheckIDs: []string{"CFL-DNS-001"}})
	}
	in.Drift = changes(t, in)
	for i := range in.Drift.New {
		in.Drift.New[i].Reason = name
	}
	return summary(t, in)
}

func TestCardEnvelope(t *testing.T) {
	body := build(t, "chat_b", examples(t)["full"])
	require.True(t, bytes.HasPrefix(body, []byte(`{"type":"message","attachments":[{"contentType":"application/vnd.microsoft.card.adaptive",`+
		`"contentUrl":null,"content":{`)))
	m := readChatB(t, body)
	require.Equal(t, "Action.OpenUrl", m.Attachments[0].Content.Actions[0].Type)
	require.Equal(t, examples(t)["full"].Link, m.Attachments[0].Content.Actions[0].URL)
	require.Empty(t, readChatB(t, build(t, "chat_b", examples(t)["first"])).Attachments[0].Content.Actions, "no link, no button")
}
