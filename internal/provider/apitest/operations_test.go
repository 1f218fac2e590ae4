package apitest

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

var update = flag.Bool("update", false, "rewrite the list of operations")

// operationsFile is what make api-facts reads out of the published document.
const operationsFile = "../../../tools/apifacts/operations.txt"

func TestOperationsAreCommitted(t *testing.T) {
	var want strings.Builder
	for _, r := range simcloud.Routes() {
		want.WriteString(r.Method + " " + r.Pattern + "\n")
	}
	if *update {
		require.NoError(t, os.WriteFile(operationsFile, []byte(want.String()), 0o600))
	}
	have, err := os.ReadFile(operationsFile)
	require.NoError(t, err)
	require.Equal(t, want.String(), string(have), "run make api-facts")
}
