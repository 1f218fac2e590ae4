package exposure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNotForEveryone(t *testing.T) {
	for name, want := range map[string]string{
		"edge-logs": "logs", "LOGS2026": "logs", "prod_auditlogs": "logs", "db-backups": "backups", "pgdump-eu": "backups",
		"mybackups":       "backups",
		"dataexports2026": "exports", "private-files": "private files", "terraform-state": "private files", "customers/pii/": "private files",
		"catalog": "", "blog": "", "assets": "", "dialog-media": "", "": "", "#": "", "state-park": "", "privatebackup": "backups",
	} {
		require.Equal(t, want, NotForEveryone(name), name)
	}
	for line := range strings.Lines(bucketWords) {
		if !strings.HasPrefix(line, "#") {
			require.Regexp(t, `^[a-z]+\t[a-z ]+\thttps://\S+\n$`, line)
		}
	}
}
