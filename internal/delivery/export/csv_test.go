package export_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
)

// rows parses a file as RFC 4180 and gives each row by the name of its column.
func rows(t *testing.T, file []byte) []map[string]string {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(file))
	records, err := r.ReadAll()
	require.NoError(t, err)
	require.NotEmpty(t, records)
	var out []map[string]string
	for _, rec := range records[1:] {
		cells := map[string]string{}
		for i, name := range records[0] {
			cells[name] = rec[i]
		}
		out = append(out, cells)
	}
	return out
}

// starters is what a spreadsheet may take for the beginning of a formula.
const starters = "=+-@\t\r\n＝＋－＠"

// undo takes the quote away again that neutralised a cell.
func undo(cell string) string {
	cell = regexp.MustCompile(`([;\t\r\n][\p{Z}\p{C}]*'*)'([=+\-@＝＋－＠])`).ReplaceAllString(cell, "$1$2")
	if strings.HasPrefix(cell, "'") && starts(strings.TrimLeftFunc(cell, func(r rune) bool { return r == '\'' || skipped(r) })) {
		return cell[1:]
	}
	return cell
}

// starts reports whether a cell begins like a formula, behind what a spreadsheet skips.
func starts(cell string) bool {
	rest := strings.TrimLeftFunc(cell, skipped)
	return rest != "" && strings.ContainsRune(starters, []rune(rest)[0])
}

// skipped are spaces and what nobody sees, but for those that start something themselves.
func skipped(r rune) bool {
	return !strings.ContainsRune(starters, r) && (unicode.IsSpace(r) || unicode.In(r, unicode.C) || !unicode.IsPrint(r))
}

// parsed is what a reader makes of a text: the Go reader drops CR before LF, and RFC 4180 knows no other control characters.
func parsed(s string) string {
	return control.ReplaceAllString(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD")
}

var control = regexp.MustCompile(`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x{9f}]`)

// alarms lists the cells of the text columns that begin like a formula.
func alarms(cells []map[string]string) []string {
	var out []string
	for _, row := range cells {
		for name, cell := range row {
			if name == "risk" || name == "judged" {
				continue
			}
			parts := regexp.MustCompile(`[;\t\r\n]`).Split(cell, -1)
			if starts(cell) || slices.ContainsFunc(parts[1:], starts) {
				out = append(out, name+": "+cell)
			}
		}
	}
	return out
}

func validCSV(t *testing.T, d export.Document, file []byte) {
	got, want := rows(t, file), all(t, d)
	require.Len(t, got, len(want))
	require.Empty(t, alarms(got))
	require.True(t, bytes.HasSuffix(file, []byte("\"\r\n")))
	require.NotRegexp(t, control, string(file))
	for i, f := range want {
		row := got[i]
		for name, value := range map[string]string{
			"account_name": d.Assessment.Account.Name, "finding_id": f.ID, "check_id": f.CheckID, "title": f.Title, "message": f.Message,
			"resource_name": f.Resource.Name,
			"zone":          f.Resource.Zone, "reason": f.Reason, "permission": f.Permission, "why": f.Why, "fix": f.Fix,
			"result": string(f.Result), "severity": string(f.Severity),
			"controls_cis": strings.Join(f.Controls.CIS, " "), "attack_path_ids": strings.Join(f.AttackPathIDs, " "), "judged": "1",
			"node_id": f.NodeID,
		} {
			require.Equal(t, parsed(value), undo(row[name]), name)
		}
		for _, e := range f.Evidence {
			require.Contains(t, undo(row["evidence"]), parsed(e.Source+" "+e.Pointer+" "+e.Observed+" "+e.Expected))
		}
	}
}

func TestCSVQuotesEveryCellAndEndsLinesWithCRLF(t *testing.T) {
	file := string(write(t, format(t, "csv"), exporttest.Large(3)))
	lines := strings.Split(strings.TrimSuffix(file, "\r\n"), "\r\n")
	require.Len(t, lines, 4)
	for _, line := range lines {
		require.Regexp(t, `^"([^"]|"")*"(,"([^"]|"")*")*$`, line)
	}
}

func TestCSVNeutralisesFormulas(t *testing.T) {
	d := exporttest.Document(2)
	one := all(t, d)[0]
	var findings []posture.Finding
	var raw strings.Builder
	raw.WriteString("\"message\"\r\n")
	names := exporttest.Names(500)
	for _, before := range []string{" ", "\u00a0", "\u200b", "\ufeff", "\u2060", "\u202e", "\x01", "  \u200b ", "' "} {
		names = append(names, before+"=1+1", before+"@SUM(A1)", "x;"+before+"=1+1", "x\t"+before+"-1")
	}
	for i, name := range names {
		f := one
		f.ID, f.Message, f.Resource.Name, f.Title, f.Risk = fmt.Sprint(i), name, name, name, -1.5
		findings = append(findings, f)
		raw.WriteString(`"` + strings.ReplaceAll(name, `"`, `""`) + "\"\r\n")
	}
	require.Greater(t, len(alarms(rows(t, []byte(raw.String())))), 50, "the names must be able to raise an alarm where nothing is neutralised")
	d.Findings = exporttest.Of(findings)
	got := rows(t, write(t, format(t, "csv"), d))
	require.Len(t, got, len(names))
	require.Empty(t, alarms(got))
	for i, name := range names {
		for _, col := range []string{"message", "resource_name", "title"} {
			require.Equal(t, parsed(name), undo(got[i][col]))
		}
		require.Equal(t, "-1.5", got[i]["risk"], "a number needs no quote")
	}
}
