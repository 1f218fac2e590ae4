package app_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCommandsOfTheReadme: each command that calls the service works as it stands, in bash and in zsh, which expands more,
// and answers little.
func TestCommandsOfTheReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	commands := regexp.MustCompile("`(curl [^`]+)`").FindAllSubmatch(readme, -1)
	require.NotEmpty(t, commands)
	s := &system{t: t}
	s.open([]string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_REQUESTS_PER_5M=1000000"})
	port := s.url[strings.LastIndexByte(s.url, ':')+1:]
	for _, shell := range []string{"bash", "zsh"} {
		for _, c := range commands {
			command := string(c[1])
			run := exec.CommandContext(t.Context(), shell, "-c", command+` --fail-with-body`)
			run.Dir, run.Env = t.TempDir(), append(os.Environ(), "PORT="+port)
			out, err := run.CombinedOutput()
			require.NoError(t, err, "%s: %s: %s", shell, command, out)
			if !strings.Contains(command, "/api/assess\"") {
				require.Less(t, len(out), 64<<10, command)
			}
			s.ended()
		}
	}
}

// ended waits for the jobs under way.
func (s *system) ended() {
	s.t.Helper()
	eventually(s.t, time.Minute, "all jobs have ended", func() bool {
		var list struct{ Items []any }
		s.get("/api/jobs?state=queued,running", &list)
		return len(list.Items) == 0
	})
}
