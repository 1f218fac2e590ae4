package command_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/edgeposture/edgeposture/internal/provider/record"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// pipeline stands for a runner: it follows the steps of the action and of the template as they are written.
type pipeline struct {
	t       *testing.T
	root    string // of the repository
	work    string // of the job
	bin     string // holds the program, and a gh that keeps what it is told
	cache   string
	environ map[string]string
}

func newPipeline(t *testing.T, cloud *record.Server) *pipeline {
	t.Helper()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	p := &pipeline{t: t, root: root, work: t.TempDir(), bin: t.TempDir(), cache: t.TempDir(), environ: map[string]string{"HOME": t.TempDir(),
		"CLOUDFLARE_BASE_URL": cloud.URL, "CLOUDFLARE_REQUESTS_PER_5M": "1000000"}}
	require.NoError(t, os.Symlink(binary, filepath.Join(p.bin, "edgeposture")))
	// wget fetches the script as the template asks for it.
	wget := "#!/bin/sh\ncase \"$4\" in */v1.2.3/ci/run) cp '" + filepath.Join(root, "ci", "run") + "' \"$3\" ;; *) exit 4 ;; esac\n"
	require.NoError(t, os.WriteFile(filepath.Join(p.bin, "wget"), []byte(wget), 0o700))
	gh := "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = --body-file ] && cp \"$2\" \"$RUNNER_TEMP/comment.md\"; shift; done\n"
	require.NoError(t, os.WriteFile(filepath.Join(p.bin, "gh"), []byte(gh), 0o700))
	return p
}

// step runs one script and gives its exit code.
func (p *pipeline) step(shell []string, script string, environ map[string]string) (int, string) {
	p.t.Helper()
	cmd := p.command(p.t.Context(), shell, script, environ)
	out, err := cmd.CombinedOutput()
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		require.NoError(p.t, err, string(out))
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (p *pipeline) command(ctx context.Context, shell []string, script string, environ map[string]string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, shell[0], append(shell[1:], script)...)
	cmd.Dir = p.work
	all := maps.Clone(p.environ)
	maps.Copy(all, environ)
	cmd.Env = []string{"PATH=" + p.bin + ":" + os.Getenv("PATH")}
	for k, v := range all {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd
}

func (p *pipeline) read(path string) string {
	p.t.Helper()
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	require.NoError(p.t, err)
	return string(b)
}

// action follows action.yml as GitHub does for a push to main or a pull request. What it calls for caches is kept in cache.
func (p *pipeline) action(event string, inputs map[string]string) (code int, temp, log string) {
	p.t.Helper()
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				ID, If, Run string
				Env         map[string]string
			}
		}
	}
	require.NoError(p.t, yaml.Unmarshal([]byte(p.read(filepath.Join(p.root, "action.yml"))), &action))
	temp = p.t.TempDir()
	baseline := filepath.Join(temp, "edgeposture-baseline")
	require.NoError(p.t, os.CopyFS(baseline, os.DirFS(p.cache)))
	defer func() {
		require.NoError(p.t, os.RemoveAll(p.cache))
		require.NoError(p.t, os.CopyFS(p.cache, os.DirFS(baseline)))
	}()
	branch := map[string]string{"push": "main", "pull_request": "7/merge"}[event]
	known := map[string]string{"runner.temp": temp, "github.token": "canary-token", "github.event_name": event, "github.ref_name": branch,
		"github.event.repository.default_branch": "main", "github.event.pull_request.number": "7"}
	for name, in := range action.Inputs {
		known["inputs."+name] = in.Default
	}
	for name, value := range inputs {
		known["inputs."+name] = value
	}
	expression := regexp.MustCompile(`\$\{\{ (\S+) \}\}`)
	files := map[string]string{"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary", "GITHUB_PATH": "path"}
	environ := map[string]string{"RUNNER_TEMP": temp, "GITHUB_ACTION_PATH": p.root, "GITHUB_REPOSITORY": "contoso/infra"}
	for name, file := range files {
		environ[name] = filepath.Join(temp, file)
	}
	for _, s := range action.Runs.Steps {
		if s.Run == "" || !holds(known, s.If) {
			continue
		}
		env := maps.Clone(environ)
		for name, value := range s.Env {
			env[name] = expression.ReplaceAllStringFunc(value, func(e string) string {
				value, there := known[expression.FindStringSubmatch(e)[1]]
				require.True(p.t, there, e)
				return value
			})
		}
		require.NoError(p.t, os.WriteFile(environ["GITHUB_OUTPUT"], nil, 0o600))
		var out string
		code, out = p.step([]string{"bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"}, s.Run, env)
		for line := range strings.Lines(p.read(environ["GITHUB_OUTPUT"])) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			known["steps."+s.ID+".outputs."+name] = value
		}
		if log += out; code != 0 {
			return code, temp, log
		}
	}
	return 0, temp, log
}

// holds reads the conditions of action.yml: comparisons joined by &&.
func holds(known map[string]string, condition string) bool {
	for part := range strings.SplitSeq(condition, " && ") {
		left, right, compares := strings.Cut(part, " == ")
		if !compares {
			continue
		}
		value, named := known[right]
		if !named {
			value = strings.Trim(right, "'")
		}
		if known[left] != value {
			return false
		}
	}
	return true
}

// gitlab follows ci/gitlab.yml for a branch.
func (p *pipeline) gitlab(branch, token string) (code int, report string) {
	p.t.Helper()
	var file struct {
		Job struct {
			Variables map[string]string
			Before    []string `yaml:"before_script"`
			Script    []string
			Artifacts struct{ Reports map[string]string }
		} `yaml:"edgeposture"`
	}
	require.NoError(p.t, yaml.Unmarshal([]byte(p.read(filepath.Join(p.root, "ci", "gitlab.yml"))), &file))
	environ := map[string]string{"CI_COMMIT_BRANCH": branch, "CI_DEFAULT_BRANCH": "main", "DATA_DIR": p.t.TempDir(),
		"CLOUDFLARE_API_TOKEN": token, "EDGEPOSTURE_VERSION": "v1.2.3"}
	maps.Copy(environ, file.Job.Variables)
	require.NoError(p.t, os.RemoveAll(filepath.Join(p.work, environ["OUT"])))
	var out string
	code, out = p.step([]string{"sh", "-ec"}, strings.Join(append(file.Job.Before, file.Job.Script...), "\n"), environ)
	p.t.Log(out)
	for kind, path := range file.Job.Artifacts.Reports {
		path = strings.ReplaceAll(path, "$OUT", environ["OUT"])
		require.Equal(p.t, code != 2, p.read(filepath.Join(p.work, path)) != "", kind)
	}
	return code, filepath.Join(p.work, environ["OUT"])
}

// worsen breaks all zones as somebody would, between two runs.
func worsen(t *testing.T, cloud *simcloud.Cloud) {
	t.Helper()
	for _, zone := range cloud.ZoneIDs(cloud.Accounts()[0]) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPatch, simcloud.BasePath+"/zones/"+zone+"/settings/ssl",
			strings.NewReader(`{"value":"off"}`))
		r.Header.Set("Authorization", "Bearer "+cloud.Tokens()[0].Secret)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		cloud.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	}
}

func pipelineCloud(t *testing.T) (*simcloud.Cloud, *record.Server) {
	t.Helper()
	cloud := simcloud.New(simcloud.Options{Seed: 11, Limit: simcloud.Limit{Disabled: true}, Tokens: []simcloud.Token{{CanWrite: true}},
		Accounts: []simcloud.AccountSpec{{Zones: 2, Plant: 0.2, Plans: []string{"pro"}}}})
	server, err := cloud.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return cloud, server
}

// TestSweepActionStepByStep: red without a token, red on what a change opened and on nothing else, and each report is there.
func TestSweepActionStepByStep(t *testing.T) {
	cloud, server := pipelineCloud(t)
	p := newPipeline(t, server)
	token := map[string]string{"cloudflare-api-token": cloud.Tokens()[0].Secret}

	code, temp, _ := p.action("pull_request", map[string]string{"cloudflare-api-token": ""})
	require.Equal(t, 2, code, "a missing secret is red")
	require.Empty(t, p.read(filepath.Join(temp, "comment.md")))

	code, temp, _ = p.action("push", token)
	require.Equal(t, 3, code, "without something to compare with, all that is open fails")
	require.NotEmpty(t, p.read(filepath.Join(temp, "summary")))
	for _, name := range []string{"result.json", "result.sarif", "junit.xml", "gl-sast-report.json", "summary.md"} {
		require.NotEmpty(t, p.read(filepath.Join(temp, "edgeposture-report", name)), name)
	}
	kept := p.read(filepath.Join(p.cache, "result.json"))
	require.NotEmpty(t, kept)

	// What the repository has where a baseline could be counts for nothing, nor do names of files.
	committed := filepath.Join(p.work, ".edgeposture-baseline", "result.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(committed), 0o700))
	require.NoError(t, os.WriteFile(committed, []byte(kept), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(p.work, "nowhere.example"), nil, 0o600))
	code, _, _ = p.action("pull_request", map[string]string{"cloudflare-api-token": token["cloudflare-api-token"], "new-only": "false",
		"zones": "*.example"})
	require.Equal(t, 3, code, "all that is open fails")

	code, temp, log := p.action("pull_request", token)
	require.NotContains(t, log, "::error")
	require.Equal(t, 0, code, "nothing is new")
	require.Contains(t, p.read(filepath.Join(temp, "comment.md")), "0 new findings")

	worsen(t, cloud)
	code, temp, log = p.action("pull_request", token)
	require.Equal(t, 3, code, log)
	require.Contains(t, log, "::error title=CFL-SSL-001%2C critical::")
	comment := p.read(filepath.Join(temp, "comment.md"))
	require.Contains(t, comment, "CFL-SSL-001")
	require.Contains(t, p.read(filepath.Join(temp, "summary")), comment)
}

// TestSweepGitLabStepByStep is the same for the template.
func TestSweepGitLabStepByStep(t *testing.T) {
	cloud, server := pipelineCloud(t)
	p := newPipeline(t, server)
	secret := cloud.Tokens()[0].Secret
	code, _ := p.gitlab("feature", "")
	require.Equal(t, 2, code)
	code, _ = p.gitlab("main", secret)
	require.Equal(t, 3, code)
	code, _ = p.gitlab("feature", secret)
	require.Equal(t, 0, code)
	worsen(t, cloud)
	code, report := p.gitlab("feature", secret)
	require.Equal(t, 3, code)
	require.Contains(t, p.read(filepath.Join(report, "changes.md")), "CFL-SSL-001")
}
