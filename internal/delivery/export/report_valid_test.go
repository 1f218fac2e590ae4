package export_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/paper/papertest"
)

// validHTML holds that a report is inert and has a place for every check with something open.
func validHTML(t *testing.T, d export.Document, file []byte) {
	page := string(file)
	require.Empty(t, export.HTMLAlarms(page))
	for _, f := range all(t, d, posture.Fail, posture.Warning) {
		require.Contains(t, page, `id="`+export.AnchorOf(f.CheckID)+`"`)
	}
}

// validPDF holds that another program reads the file without complaint, that nothing in it acts, and that it names what is open.
func validPDF(t *testing.T, d export.Document, file []byte) {
	// PDF 1.3 has no objects in streams; compressed bytes may spell anything.
	objects := regexp.MustCompile(`(?s)\nstream\r?\n.*?\nendstream`).ReplaceAllString(string(file), "")
	require.Less(t, len(objects), len(file))
	for _, act := range []string{"/JavaScript", "/JS", "/Launch", "/SubmitForm", "/OpenAction", "/URI"} {
		require.NotContains(t, objects, act)
	}
	text := papertest.Text(t, file)
	for _, f := range all(t, d, posture.Fail, posture.Warning) {
		require.Contains(t, strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(f.CheckID, " ", ""))
	}
}
