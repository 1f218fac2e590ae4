package command_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/porttest"
	"github.com/edgeposture/edgeposture/internal/provider/record"
)

// TestSweepTutorials runs every block of commands of the tutorials, one after the other, as a reader would: "sh" without a token, "sh
// account" with the token of an account, "sh service" in a terminal that stays open, "sh client" in one that keeps what was exported.
// Blocks for the chart are run in charts/.
func TestSweepTutorials(t *testing.T) {
	cloud, server := pipelineCloud(t)
	block := regexp.MustCompile("(?ms)^```sh ?(\\w*)\n(.*?)^```$")
	export := regexp.MustCompile(`(?m)^export .*\n`)
	for _, page := range []string{"first-account", "pipeline", "team"} {
		t.Run(page, func(t *testing.T) {
			p := newPipeline(t, server)
			p.environ["DATA_DIR"] = t.TempDir()
			token := cloud.Tokens()[0].Secret
			require.NoError(t, os.WriteFile(filepath.Join(p.work, "token.txt"), []byte(token), 0o600))
			text := strings.ReplaceAll(p.read(filepath.Join(p.root, "docs", "tutorials", page+".md")), "8080", strconv.Itoa(porttest.Free(t)))
			blocks := block.FindAllStringSubmatch(text, -1)
			require.NotEmpty(t, blocks)
			kept, environ := "", map[string]string{}
			for _, b := range blocks {
				if b[1] == "account" {
					environ["CLOUDFLARE_API_TOKEN"] = token
				}
				if b[1] == "service" {
					p.serve(b[2])
					continue
				}
				code, out := p.step([]string{"bash", "-euc"}, kept+b[2], environ)
				t.Log(b[2], "\n", out)
				require.Zero(t, code)
				require.NotEmpty(t, strings.TrimSpace(out), b[2])
				if b[1] == "client" {
					kept += strings.Join(export.FindAllString(b[2], -1), "")
				}
			}
		})
	}
}

// TestAssignmentsOfThePages: a line of a block that sets a variable sets it to all that it shows.
func TestAssignmentsOfThePages(t *testing.T) {
	p := newPipeline(t, &record.Server{})
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "charts/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(p.root, pattern))
		require.NoError(t, err)
		pages = append(pages, found...)
	}
	said := 0
	for _, page := range pages {
		for _, b := range regexp.MustCompile("(?ms)^```sh\\b[^\n]*\n(.*?)^```$").FindAllStringSubmatch(p.read(page), -1) {
			for _, line := range regexp.MustCompile(`(?m)^([A-Z_]+)=(.*)$`).FindAllStringSubmatch(b[1], -1) {
				if regexp.MustCompile(` (edgeposture|make|ci/run)\b`).MatchString(line[2]) {
					continue // for one command
				}
				said++
				code, out := p.step([]string{"sh", "-euc"}, line[0]+"\nprintf %s \"$"+line[1]+"\"", nil)
				require.Zero(t, code, "%s: %s: %s", page, line[0], out)
				require.Equal(t, strings.Trim(line[2], `'"`), out, page)
			}
		}
	}
	require.Greater(t, said, 10)
}

// serve runs the block that starts a service until the test ends, and returns when it answers.
func (p *pipeline) serve(script string) {
	p.t.Helper()
	cmd := p.command(context.WithoutCancel(p.t.Context()), []string{"bash", "-euc"},
		strings.Replace(script, "edgeposture serve", "exec edgeposture serve", 1), nil)
	out, err := cmd.StdoutPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, cmd.Start())
	p.t.Cleanup(func() {
		require.NoError(p.t, cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(p.t, cmd.Wait())
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "listening on ") {
	}
	require.Contains(p.t, lines.Text(), "listening on ")
}
