package notify_test

import (
	"fmt"
	"go/format"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/delivery/notify"
)

// TestChannelSettingsAreCommitted writes the settings of the channels to the package of settings,
// which may not import this one.
func TestChannelSettingsAreCommitted(t *testing.T) {
	const path = "../../platform/setting/channels_gen.go"
	env := func(key string) string {
		return "SERVICE_" + strings.ToUpper(regexp.MustCompile(`[A-Z]`).ReplaceAllString(key, "_$0"))
	}
	var b strings.Builder
	b.WriteString("// Code generated from notify.Channels by make gen; DO NOT EDIT.\n\npackage setting\n\n" +
		"func channelDefinitions() []Definition {\n\treturn []Definition{\n")
	for _, c := range notify.Channels() {
		fmt.Fprintf(&b, "\t\t{Key: %q, Env: %q, Secret: true, check: hook, Doc: %q},\n", c.URLKey, env(c.URLKey), c.URLDoc)
		if c.SecretKey != "" {
			fmt.Fprintf(&b, "\t\t{Key: %q, Env: %q, Secret: true, For: %q, check: phrase, Doc: \"Signs what goes to %s.\"},\n",
				c.SecretKey, env(c.SecretKey), c.URLKey, c.URLKey)
		}
	}
	b.WriteString("\t}\n}\n")
	want, err := format.Source([]byte(b.String()))
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(path, want, 0o600))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run make gen")
}
