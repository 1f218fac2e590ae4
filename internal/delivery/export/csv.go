package export

import (
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// column is one column of the CSV format. Numbers are written unchanged; any other cell may contain
// foreign text.
type column struct {
	name   string
	number bool
	value  func(d Document, f posture.Finding) string
}

// textColumn makes a text column from the finding alone.
func textColumn(name string, value func(f posture.Finding) string) column {
	return column{name: name, value: func(_ Document, f posture.Finding) string { return value(f) }}
}

// columns lists the columns in order. Callers read them by name: new ones are appended.
func columns() []column {
	return []column{
		{name: "assessment_id", value: func(d Document, _ posture.Finding) string { return d.Assessment.ID }},
		{name: "account_id", value: func(d Document, _ posture.Finding) string { return d.Assessment.Account.ID }},
		{name: "account_name", value: func(d Document, _ posture.Finding) string { return d.Assessment.Account.Name }},
		{name: "simulated_account", value: func(d Document, _ posture.Finding) string { return simulated(d) }},
		textColumn("finding_id", func(f posture.Finding) string { return f.ID }),
		textColumn("check_id", func(f posture.Finding) string { return f.CheckID }),
		textColumn("title", func(f posture.Finding) string { return f.Title }),
		textColumn("category", func(f posture.Finding) string { return string(f.Category) }),
		textColumn("severity", func(f posture.Finding) string { return string(f.Severity) }),
		{name: "risk", number: true, value: func(_ Document, f posture.Finding) string { return strconv.FormatFloat(f.Risk, 'f', -1, 64) }},
		textColumn("result", func(f posture.Finding) string { return string(f.Result) }),
		textColumn("status", func(f posture.Finding) string { return string(f.Status) }),
		textColumn("resource_type", func(f posture.Finding) string { return string(f.Resource.Type) }),
		textColumn("resource_id", func(f posture.Finding) string { return f.Resource.ID }),
		textColumn("resource_name", func(f posture.Finding) string { return f.Resource.Name }),
		textColumn("zone_id", func(f posture.Finding) string { return f.Resource.ZoneID }),
		textColumn("zone", func(f posture.Finding) string { return f.Resource.Zone }),
		textColumn("message", func(f posture.Finding) string { return f.Message }),
		textColumn("reason", func(f posture.Finding) string { return f.Reason }),
		textColumn("permission", func(f posture.Finding) string { return f.Permission }),
		textColumn("exception", posture.Finding.Accepted),
		textColumn("evidence", evidenceCell),
		textColumn("why", func(f posture.Finding) string { return f.Why }),
		textColumn("fix", func(f posture.Finding) string { return f.Fix }),
		textColumn("remediable", func(f posture.Finding) string { return strconv.FormatBool(f.Remediable) }),
		textColumn("controls_cis", func(f posture.Finding) string { return strings.Join(f.Controls.CIS, " ") }),
		textColumn("controls_soc2", func(f posture.Finding) string { return strings.Join(f.Controls.SOC2, " ") }),
		textColumn("controls_pci", func(f posture.Finding) string { return strings.Join(f.Controls.PCI, " ") }),
		textColumn("controls_nist", func(f posture.Finding) string { return strings.Join(f.Controls.NIST, " ") }),
		textColumn("node_id", func(f posture.Finding) string { return f.NodeID }),
		textColumn("attack_path_ids", func(f posture.Finding) string { return strings.Join(f.AttackPathIDs, " ") }),
		textColumn("first_seen", func(f posture.Finding) string { return timeCell(f.FirstSeen) }),
		textColumn("last_seen", func(f posture.Finding) string { return timeCell(f.LastSeen) }),
		{name: "judged", number: true, value: func(_ Document, f posture.Finding) string { return strconv.Itoa(f.Judged) }},
		textColumn("check_title", func(f posture.Finding) string { return f.CheckTitle }),
		textColumn("impact", func(f posture.Finding) string { return f.Impact }),
		textColumn("breaks", func(f posture.Finding) string { return f.Breaks }),
		textColumn("dashboard", func(f posture.Finding) string { return f.Step(posture.InDashboard).Text }),
		textColumn("api_call", func(f posture.Finding) string { return f.Step(posture.ByAPI).Call }),
	}
}

// writeCSV writes RFC 4180: CRLF, a header, one row per finding of all results, and every cell quoted,
// so that a separator inside a cell cannot start another.
func writeCSV(w io.Writer, d Document) error {
	s := newSink(w)
	cols := columns()
	for i, c := range cols {
		s.text(comma(i), quoted(c.name))
	}
	s.text("\r\n")
	s.each(d, nil, func(f posture.Finding) {
		for i, c := range cols {
			value := c.value(d, f)
			if !c.number {
				value = inert(printable(value))
			}
			s.text(comma(i), quoted(value))
		}
		s.text("\r\n")
	})
	return s.done("CSV")
}

func quoted(cell string) string { return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"` }

// printable replaces what no cell of RFC 4180 may hold: with a NUL in a name, psql takes in no row of the file.
func printable(cell string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) {
			return utf8.RuneError
		}
		return r
	}, cell)
}

// inert keeps a spreadsheet from interpreting a text as a formula, as OWASP's page on CSV injection
// advises: it puts a single quote before a cell that begins with one of the starters, also after what
// spreadsheets skip, spaces and invisible characters. A cell that already has quotes before a starter
// gets another one, so that removing one from such a cell always restores the original. What
// follows a semicolon, a tab or a line break is treated as a beginning, too: many spreadsheets part
// cells there.
func inert(cell string) string {
	if strings.ContainsAny(cell, ";\t\r\n") {
		cell = startsWithin.ReplaceAllString(cell, "$1'$2")
	}
	rest := strings.TrimLeftFunc(cell, func(r rune) bool {
		return r == '\'' || !strings.ContainsRune("\t\r\n", r) && (unicode.IsSpace(r) || !unicode.IsGraphic(r))
	})
	for _, starter := range []string{"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"} {
		if strings.HasPrefix(rest, starter) {
			return "'" + cell
		}
	}
	return cell
}

var startsWithin = regexp.MustCompile(`([;\t\r\n][\p{Z}\p{C}]*'*)([=+\-@＝＋－＠])`)

func simulated(d Document) string {
	if d.Assessment.Demo {
		return "yes: a simulated account of the built-in demo, no real account was read"
	}
	return "no"
}

// evidenceCell puts all evidence into one cell: source, pointer, observed and expected, separated by
// spaces; items are separated by a semicolon.
func evidenceCell(f posture.Finding) string {
	return joined(f.Evidence, "; ", func(e posture.Evidence) string {
		return strings.Join([]string{e.Source, e.Pointer, e.Observed, e.Expected}, " ")
	})
}

// timeCell is empty for the zero time.
func timeCell(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return stamp(t)
}
