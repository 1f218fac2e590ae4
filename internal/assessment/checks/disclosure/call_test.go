package disclosure

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCallsKeepContacts makes the bodies of the two commands: a new date takes no contact away, and a new contact none that a
// researcher can use.
func TestCallsKeepContacts(t *testing.T) {
	t.Parallel()
	const file, mine = `{"result":{"enabled":false,"contact":["tel:+1-555-0100","nowhere","https://shop.example/report"],"policy":"p",` +
		`"expires":"2020-01-01T00:00:00Z"}}`, `"mailto:{$SECURITY_CONTACT}"`
	for body, want := range map[string]string{
		valid().Words.Call.Body: `{"enabled":false,"contact":["tel:+1-555-0100","nowhere","https://shop.example/report"],"policy":"p"}`,
		named().Body:            `{"enabled":true,"contact":["tel:+1-555-0100","https://shop.example/report",` + mine + `],"policy":"p"}`,
	} {
		require.JSONEq(t, want, made(t, body, file))
	}
	require.JSONEq(t, `{"enabled":true,"contact":[`+mine+`]}`, made(t, named().Body, `{"result":null}`))
	require.JSONEq(t, `{"enabled":true,"contact":[`+mine+`]}`, made(t, named().Body, `{"result":{"contact":[`+mine+`]}}`))
}

// made is what jq makes of an answer, without the date.
func made(t *testing.T, body, answer string) string {
	t.Helper()
	run := exec.CommandContext(t.Context(), "jq", body+" | del(.expires)")
	run.Stdin = strings.NewReader(answer)
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}
