// Package papertest reads PDF files back with Poppler, which is independent of how they were written.
package papertest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Pages returns the text of each page, in its layout.
func Pages(t testing.TB, file []byte) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(Run(t, file, "pdftotext", "-layout", "FILE", "-"), "\f"), "\f")
}

// Text returns the words of a PDF with single spaces.
func Text(t testing.TB, file []byte) string {
	t.Helper()
	return strings.Join(strings.Fields(Run(t, file, "pdftotext", "FILE", "-")), " ")
}

// Run returns the output of a Poppler command on a PDF, which must not print any complaints. FILE among
// the arguments is the PDF.
func Run(t testing.TB, file []byte, command string, arguments ...string) string {
	t.Helper()
	if _, err := exec.LookPath(command); err != nil {
		require.Empty(t, os.Getenv("CI"), "%s is not installed; run make deps", command)
		t.Skipf("%s is not installed; run make deps", command)
	}
	path := filepath.Join(t.TempDir(), "file.pdf")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	for i, a := range arguments {
		if a == "FILE" {
			arguments[i] = path
		}
	}
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(t.Context(), command, arguments...)
	cmd.Stdout, cmd.Stderr = &out, &complaints
	require.NoError(t, cmd.Run(), complaints.String())
	require.Empty(t, complaints.String(), "%s finds fault", command)
	return out.String()
}
