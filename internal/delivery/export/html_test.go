package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func htmlRendered(t testing.TB, d Document) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, HTML().Write(&b, d))
	return b.String()
}

// TestHTMLIsGolden holds the report of a small document, which the browser tests
// open as well; -update writes it anew.
func TestHTMLIsGolden(t *testing.T) {
	path := filepath.Join("testdata", "report.golden.html")
	got := htmlRendered(t, htmlDocument(htmlSmallFindings()))
	require.Equal(t, got, htmlRendered(t, htmlDocument(htmlSmallFindings())), "two reports of the same document differ")
	if *Update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestHTMLFormat(t *testing.T) {
	f := HTML()
	require.Equal(t, []string{"html", "text/html; charset=utf-8", "html"}, []string{f.Name, f.ContentType, f.Extension})
}

// TestHTMLPolicy holds the policy of the page and of the header to the style that
// is in the page, byte for byte.
func TestHTMLPolicy(t *testing.T) {
	root, err := html.Parse(strings.NewReader(htmlRendered(t, htmlDocument(htmlSmallFindings()))))
	require.NoError(t, err)
	var policy string
	var styles []string
	for n := range root.Descendants() {
		switch n.Data {
		case "style":
			require.NotEmpty(t, policy, "the policy must stand before the style")
			styles = append(styles, n.FirstChild.Data)
		case "meta":
			for _, a := range n.Attr {
				if a.Val == "Content-Security-Policy" {
					policy = n.Attr[1].Val
				}
			}
		}
	}
	require.Equal(t, []string{htmlStyle}, styles)
	sum := sha256.Sum256([]byte(styles[0]))
	hash := base64.StdEncoding.EncodeToString(sum[:])
	require.Equal(t, "default-src 'none'; style-src 'sha256-"+hash+"'; img-src data:; base-uri 'none'; form-action 'none'", policy)
	require.Equal(t, policy+"; frame-ancestors 'self'", ReportPolicy())
	require.NotRegexp(t, `url\([^#]|@import|</`, htmlStyle)
}

// TestHTMLLooksLikeTheDashboard compares the tokens of both, so that a colour is
// changed in one place and the other is not forgotten.
func TestHTMLLooksLikeTheDashboard(t *testing.T) {
	theirs, err := os.ReadFile(filepath.Join("..", "..", "..", "web", "src", "styles", "tokens.css"))
	require.NoError(t, err)
	token := regexp.MustCompile(`(?m)^  (--[a-z-]+): (.*);$`)
	want := map[string]string{}
	for _, m := range token.FindAllStringSubmatch(string(theirs), -1) {
		want[m[1]] = m[2]
	}
	ours := token.FindAllStringSubmatch(htmlStyle, -1)
	require.Greater(t, len(ours), 25)
	for _, m := range ours {
		require.Equal(t, want[m[1]], m[2], m[1])
	}
}

// htmlAnchors lists the ids of a page and where its links lead.
func htmlAnchors(t *testing.T, page string) (ids map[string]int, links []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	ids = map[string]int{}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				ids[a.Val]++
			case "href", "aria-labelledby":
				links = append(links, strings.TrimPrefix(a.Val, "#"))
			}
		}
	}
	return ids, links
}

func TestHTMLLinksLeadSomewhere(t *testing.T) {
	engine, err := htmlTemplates()
	require.NoError(t, err)
	for name, limit := range map[string]int{"whole": 100, "cut": 3} {
		var b bytes.Buffer
		require.NoError(t, htmlWrite(&b, htmlDocument(htmlSmallFindings()), engine, htmlLimits{full: limit, batch: 1}))
		ids, links := htmlAnchors(t, b.String())
		require.Greater(t, len(links), 20)
		for _, l := range links {
			require.Equal(t, 1, ids[l], "%s: #%s", name, l)
		}
		for id, n := range ids {
			require.Equal(t, 1, n, "%s: id %s is there more than once", name, id)
		}
	}
}

// htmlFlat is the text of a page with single spaces, the style left out.
func htmlFlat(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestHTMLSays(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*Document)
		says   []string
		hides  []string
	}{
		{"as it is", func(*Document) {}, []string{demoNotice, "14 check results could not be judged.", "The token lacks these permissions:",
			"Account: Access: Audit Logs: Read (1 check)", "74 of 100 Grade D The grade is held at D by 2 findings",
			"expires in 12 days (2026-12-02)", "2 free, 1 enterprise",
			"took 1 min 35 s, 412 requests", "93.4 %", "there may be paths that this report does not know", "6 open findings, 1 not assessed",
			"accepted risk: behind a maintenance page until March", "Not assessed The managed rules are on",
			"Cloudflare refused the read. The token lacks the permission Zone: Zone WAF: Read", "reopened, first seen 2026-11-17 14:05 UTC",
			"[U+202E]gnp.<script>alert(1)</script>",
			"CFL-SSL-001 Traffic to the origin is encrypted and its certificate checked Critical 0 0 0 12 0"},
			[]string{"No grade", "only counted by check", "host-8.shop.example", "host-9.shop.example"}},
		{"complete", func(d *Document) { d.Assessment.Status, d.Assessment.Demo = posture.Completed, false }, nil,
			[]string{demoNotice, "could not be judged.", "Missing permissions", "does not know"}},
		{"gaps without a permission", func(d *Document) { d.Assessment.Coverage.MissingPermissions = nil },
			[]string{"Not everything of the account could be read."}, []string{"The token lacks these"}},
		{"no grade", func(d *Document) { d.Assessment.Score.Grade, d.Assessment.Score.Held = nil, "" },
			[]string{"74 of 100", "No grade: too little could be judged"},
			[]string{"Grade D", "held"}},
		{"nothing judged", func(d *Document) { d.Assessment.Coverage, d.Assessment.Score = posture.Coverage{}, posture.Score{} },
			[]string{"Score none No grade"}, []string{"of 100 Grade", "0 of 100"}},
		{"no path, all read", func(d *Document) { d.Assessment.Status, d.Paths = posture.Completed, nil }, []string{"No attack path was found."},
			nil},
		{"no path, gaps", func(d *Document) { d.Paths = nil }, []string{"No attack path was found in what could be read."}, nil},
		{"no finding", func(d *Document) { d.Findings = htmlListing(nil) }, []string{"No check failed, warned or was left without an answer."},
			[]string{"worst first"}},
		{"no compliance", func(d *Document) { d.Compliance = nil }, nil, []string{"Compliance"}},
		{"no score of a framework", func(d *Document) {
			d.Compliance = []compliance.Report{{Framework: compliance.Framework{ID: "x", Title: "X"}}}
		}, []string{"X none 0 0 0 0 0 0"}, nil},
		{"a token that could not be verified", func(d *Document) {
			d.Assessment.TokenInfo = posture.TokenInfo{Kind: "unknown", Status: "unknown", Error: "It was refused."}
		}, []string{"Token unknown It was refused."}, []string{"no expiry"}},
		{"a token that ended", func(d *Document) { ago := -1; d.Assessment.TokenInfo.DaysLeft = &ago }, []string{"expired (2026-12-02)"}, nil},
		{"a token without end", func(d *Document) { d.Assessment.TokenInfo = posture.TokenInfo{Kind: "user", Status: "active"} },
			[]string{"active (user token) has no expiry"}, nil},
		{"no zone", func(d *Document) { d.Assessment.Zones = nil }, []string{"The run looked at no zone."}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := htmlDocument(htmlSmallFindings())
			row.change(&d)
			text := htmlFlat(t, htmlRendered(t, d))
			for _, s := range row.says {
				require.Contains(t, text, s)
			}
			for _, s := range row.hides {
				require.NotContains(t, text, s)
			}
		})
	}
}
