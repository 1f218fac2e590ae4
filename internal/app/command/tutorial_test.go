package command_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSweepTutorials runs every block of commands of the tutorials, one after the other, as a reader would: "sh" without a token, "sh
// account" with the token of an account. Blocks for the chart are run in charts/.
func TestSweepTutorials(t *testing.T) {
	cloud, server := pipelineCloud(t)
	block := regexp.MustCompile("(?ms)^```sh ?(\\w*)\n(.*?)^```$")
	for _, page := range []string{"first-account", "pipeline"} {
		t.Run(page, func(t *testing.T) {
			p := newPipeline(t, server)
			p.environ["DATA_DIR"] = t.TempDir()
			blocks := block.FindAllStringSubmatch(p.read(filepath.Join(p.root, "docs", "tutorials", page+".md")), -1)
			require.NotEmpty(t, blocks)
			var token string
			for _, b := range blocks {
				if b[1] == "account" {
					token = cloud.Tokens()[0].Secret
				}
				code, out := p.step([]string{"bash", "-euc"}, b[2], map[string]string{"CLOUDFLARE_API_TOKEN": token})
				require.Zero(t, code, "%s\n%s", b[2], out)
				require.NotEmpty(t, strings.TrimSpace(out), b[2])
			}
		})
	}
}
