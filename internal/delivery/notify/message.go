package notify

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize/english"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// product is the sender's name in messages.
const product = "Edgeposture"

// demoNotice goes into every message about the built-in demo.
const demoNotice = "Simulated account: this is the built-in demo. No real account was read."

// The largest number of characters of a foreign text that a chat shows.
const (
	nameChars    = 160
	titleChars   = 240
	messageChars = 600
	idChars      = 64
)

// message is the common content of both chats, before it is rendered for one of them. Facts, titles and
// headings consist of our own words only.
type message struct {
	title    string
	fallback []span // for notifications, which show no layout
	intro    []line
	facts    []fact
	sections []section
	foot     []line
	link     string
}

type fact struct{ name, value string }

// section lists some of total things, worst first. Lines at its end are removed first when a message is
// too long; the heading says how many are shown.
type section struct {
	heading string
	lines   []line
	total   int
}

func (s section) title() string {
	if len(s.lines) == s.total {
		return fmt.Sprintf("%s (%d)", s.heading, s.total)
	}
	return fmt.Sprintf("%s (%d of %d shown)", s.heading, len(s.lines), s.total)
}

type line []span

// span is a text with its origin: foreign texts come from the account or elsewhere and show at most
// limit characters.
type span struct {
	text    string
	strong  bool
	foreign bool
	limit   int
}

func own(format string, args ...any) span { return span{text: fmt.Sprintf(format, args...)} }

func strong(s string) span { return span{text: s, strong: true} }

// foreign makes a span of the first of the foreign texts that is not blank.
func foreign(limit int, texts ...string) span {
	for _, s := range texts {
		if shown := cut(visible(s), limit); shown != "" {
			return span{text: shown, foreign: true, limit: limit}
		}
	}
	return span{text: "(no name)"}
}

// message renders a summary for chats.
func (s Summary) message() message {
	a := s.Assessment
	m := message{title: fmt.Sprintf("Security posture: %s", scoreWords(a.Score)), link: s.Link, facts: facts(s)}
	account := foreign(nameChars, a.Account.Name, a.Account.ID)
	m.fallback = []span{own("%s: %s for ", product, scoreWords(a.Score)), account, own("; %s.", openWords(s))}
	if a.Demo {
		m.fallback = append([]span{own("Simulated account. ")}, m.fallback...)
		m.intro = append(m.intro, line{strong(demoNotice)})
	}
	m.intro = append(m.intro, line{own("Account "), account, own(", assessed until %s.", minute(a.CompletedAt))})
	if s.gaps() {
		m.intro = append(m.intro, gapLine(a))
	}
	m.intro = append(m.intro, sinceLines(s.Since)...)
	if s.Accepted > 0 {
		m.intro = append(m.intro, line{own("%s not counted as open.", english.Plural(s.Accepted, "accepted risk is", "accepted risks are"))})
	}
	m.sections = sections(s)
	m.foot = []line{{own("Assessment "), foreign(idChars, a.ID), own(", profile "), foreign(idChars, string(a.Profile)),
		own(", %s.", english.Plural(len(a.Zones), "zone", "zones"))}}
	return m
}

func sections(s Summary) []section {
	out := []section{}
	if n := s.openTotal(); n > 0 {
		found := section{heading: "Worst open findings", total: n}
		for _, f := range s.Findings {
			found.lines = append(found.lines, findingLine(f.Severity, f.Result, f.Title, f.Resource, f.Message, f.Way(), f.CheckID, f.ID))
		}
		out = append(out, found)
	}
	if c := s.Since; c != nil && c.New+c.Regressed > 0 {
		worse := section{heading: "New or regressed since the last run", total: c.New + c.Regressed}
		for _, w := range c.Worst {
			kind := "New: "
			if w.Regressed {
				kind = "Regressed: "
			}
			l := append(line{own("%s", kind)}, findingLine(w.Severity, w.After, w.Title, w.Resource, w.Message, "", w.CheckID, w.ID)...)
			if w.Reason != "" {
				l = append(l, own(" Not certain: "), foreign(titleChars, w.Reason), own("."))
			}
			worse.lines = append(worse.lines, l)
		}
		out = append(out, worse)
	}
	if s.PathCount > 0 {
		paths := section{heading: "Worst attack paths", total: s.PathCount}
		for _, p := range s.Paths {
			paths.lines = append(paths.lines, line{strong(strings.ToUpper(string(p.Severity))), own(" "), foreign(titleChars, p.Title, p.Kind),
				own(" in %s: ", english.Plural(p.HopCount, "step", "steps")), foreign(messageChars, p.Explanation, p.ID)})
		}
		out = append(out, paths)
	}
	if missing := s.Assessment.Coverage.MissingPermissions; len(missing) > 0 {
		lacks := section{heading: "Permissions the token lacks", total: len(missing)}
		for _, p := range missing[:min(len(missing), maxTop)] {
			lacks.lines = append(lacks.lines, line{foreign(nameChars, p.Permission), own(": %s could not judge everything.",
				english.Plural(len(p.CheckIDs), "check", "checks"))})
		}
		out = append(out, lacks)
	}
	return out
}

// findingLine names the resource unless the title does.
func findingLine(v posture.Severity, result posture.Result, title string, r posture.Resource, text, way, checkID, id string) line {
	l := line{strong(strings.ToUpper(string(v))), own(" %s ", result), foreign(titleChars, title, checkID)}
	if r.Name == "" || !strings.Contains(title, r.Name) {
		on := " on " + strings.ReplaceAll(string(r.Type), "_", " ") + " "
		if strings.HasPrefix(r.Name, "the ") { // ours, such as "the token of this run"
			on = " on "
		}
		l = append(l, own("%s", on), foreign(nameChars, r.Name, r.ID))
	}
	if visible(r.Zone) != "" && r.Type != posture.ResourceZone && !strings.Contains(title, r.Zone) {
		l = append(l, own(" in "), foreign(nameChars, r.Zone))
	}
	if visible(text) != "" {
		l = append(l, own(": "), foreign(messageChars, text))
	}
	if visible(way) != "" {
		l = append(l, own(" Fix: "), foreign(messageChars, way))
	}
	return append(l, own(" ("), foreign(idChars, checkID), own(", finding "), foreign(idChars, id), own(")"))
}

func gapLine(a posture.AssessmentSummary) line {
	l := line{strong("Not everything could be read."),
		own(" %s UNKNOWN and %s of what was asked for could be judged; what is unknown is neither good nor bad.",
			english.Plural(a.Summary.Unknown, "finding is", "findings are"), percent(a.Coverage.Percent))}
	if n := len(a.Coverage.MissingPermissions); n > 0 {
		l = append(l, own(" The token lacks %s.", english.Plural(n, "permission", "permissions")))
	}
	return l
}

func sinceLines(c *Since) []line {
	if c == nil {
		return []line{{own("There is no earlier assessment to compare with.")}}
	}
	out := []line{{own("Since the assessment of %s: %d new, %d regressed, %d resolved, %d improved, %d changed.",
		minute(c.Baseline.CompletedAt), c.New, c.Regressed, c.Resolved, c.Improved, c.Changed),
		own(" Score %s. Attack paths: %d appeared, %d disappeared.", c.ScoreChange, c.PathsAppeared, c.PathsDisappeared)}}
	if c.Unknown+c.PathsUnknown > 0 {
		out = append(out, line{strong("Became unreadable:"), own(" %s and %s. They are not counted as resolved.",
			english.Plural(c.Unknown, "finding", "findings"), english.Plural(c.PathsUnknown, "attack path", "attack paths"))})
	}
	if c.Uncertain > 0 {
		out = append(out, line{own("Of the new findings %d may be older: the earlier run could not judge them.", c.Uncertain)})
	}
	if c.PathsUncertain > 0 {
		out = append(out, line{own("Of the attack paths that appeared %d may be older: the earlier run could not see them.", c.PathsUncertain)})
	}
	return out
}

func facts(s Summary) []fact {
	a := s.Assessment
	grade := cmp.Or(letter(a.Score), "none")
	if n := note(a.Score); n != "" {
		grade += ": " + n
	}
	return []fact{
		{"Score", fmt.Sprintf("%d of 100", a.Score.Value)}, {"Grade", grade},
		{"Open findings", openWords(s)}, {"Unknown", strconv.Itoa(a.Summary.Unknown)},
		{"Coverage", fmt.Sprintf("%s: %d judged, %d unknown", percent(a.Coverage.Percent), a.Coverage.Evaluated, a.Coverage.Unknown)},
		{"Attack paths", strconv.Itoa(s.PathCount)},
	}
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func scoreWords(v posture.Score) string {
	words := fmt.Sprintf("%d of 100, no grade", v.Value)
	if g := letter(v); g != "" {
		words = fmt.Sprintf("%d of 100, grade %s", v.Value, g)
	}
	if n := note(v); n != "" {
		words += " (" + n + ")"
	}
	return words
}

// note is why the grade is capped or withheld. It appears among our own words, so only plain characters
// pass.
func note(v posture.Score) string {
	n := []rune(strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" ,%", r)) {
			return r
		}
		return -1
	}, v.Note()))
	return string(n[:min(len(n), 80)])
}

// letter returns the grade, or "" when there is none. It appears among our own words, so only a letter
// passes.
func letter(v posture.Score) string {
	if v.Grade == nil || len(*v.Grade) != 1 || (*v.Grade)[0] < 'A' || (*v.Grade)[0] > 'F' {
		return ""
	}
	return *v.Grade
}

func openWords(s Summary) string {
	parts := []string{}
	for _, v := range posture.Severities() {
		if n := s.Open[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if len(parts) == 0 {
		return "none open in what could be judged"
	}
	return strings.Join(parts, ", ")
}

// percent rounds down: 99.96 is not everything.
func percent(p float64) string { return fmt.Sprintf("%.1f %%", math.Floor(p*10)/10) }
