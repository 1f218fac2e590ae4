package export_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

// validHTML holds that a report is inert and has a place for every open finding.
func validHTML(t *testing.T, d export.Document, file []byte) {
	page := string(file)
	require.Empty(t, export.HTMLAlarms(page))
	for _, f := range all(t, d, posture.Fail, posture.Warning, posture.Unknown) {
		require.Contains(t, page, `id="f-`+export.HTMLAnchor(f.ID)+`"`)
	}
}
