package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	temp    string // that of the runner; "" for a new one with each action
	bin     string // holds the program, and a gh that keeps what it is told
	cache   string // what is kept between runs, by key
	ran     int
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
	// gh keeps a new comment and what replaces one; the comments there are those of the file.
	gh := `#!/bin/sh
case "$*" in "api --paginate"*) cd "$HOME"; [ ! -e comments.json ] || jq -r "$5" comments.json; exit ;; esac
while [ $# -gt 0 ]; do
  case "$1" in
    */issues/comments/*) printf %s "$1" > "$RUNNER_TEMP/replaced" ;;
    --body-file) cp "$2" "$RUNNER_TEMP/comment.md" ;;
    body=@*) cp "${1#body=@}" "$RUNNER_TEMP/comment.md" ;;
  esac
  shift
done
`
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

// actionStep is a step of action.yml.
type actionStep struct {
	ID, If, Run, Uses string
	Env, With         map[string]string
}

func (p *pipeline) steps() (inputs map[string]string, steps []actionStep) {
	p.t.Helper()
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Steps []actionStep }
	}
	require.NoError(p.t, yaml.Unmarshal([]byte(p.read(filepath.Join(p.root, "action.yml"))), &action))
	inputs = map[string]string{}
	for name, in := range action.Inputs {
		inputs["inputs."+name] = in.Default
	}
	return inputs, action.Runs.Steps
}

// action follows action.yml as GitHub does for an event: a push to main, a schedule, or a pull request.
func (p *pipeline) action(event string, inputs map[string]string) (code int, temp, log string) {
	p.t.Helper()
	if temp = p.temp; temp == "" {
		temp = p.t.TempDir()
	}
	known, steps := p.steps()
	for name, value := range inputs {
		known["inputs."+name] = value
	}
	p.ran++
	branch := map[string]string{"push": "main", "schedule": "main", "pull_request": "7/merge"}[event]
	maps.Copy(known, map[string]string{"runner.temp": temp, "github.token": "canary-token", "github.event_name": event,
		"github.ref_name": branch, "github.run_id": strconv.Itoa(1000 + p.ran), "github.run_attempt": "1",
		"github.event.repository.default_branch": "main", "github.event.pull_request.number": "7"})
	if event == "schedule" {
		delete(known, "github.event.repository.default_branch") // its payload has no repository
	}
	environ := map[string]string{"RUNNER_TEMP": temp, "GITHUB_ACTION_PATH": p.root, "GITHUB_REPOSITORY": "contoso/infra"}
	for name, file := range map[string]string{"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary", "GITHUB_PATH": "path"} {
		environ[name] = filepath.Join(temp, file)
	}
	for _, s := range steps {
		if !holds(known, s.If) {
			continue
		}
		p.cached(s.Uses, p.filled(known, s.With))
		if s.Run == "" {
			continue
		}
		env := maps.Clone(environ)
		maps.Copy(env, p.filled(known, s.Env))
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

// filled replaces the expressions in the values of a step.
func (p *pipeline) filled(known, values map[string]string) map[string]string {
	p.t.Helper()
	expression := regexp.MustCompile(`\$\{\{ (\S+) \}\}`)
	out := map[string]string{}
	for name, value := range values {
		out[name] = expression.ReplaceAllStringFunc(value, func(e string) string {
			value, there := known[expression.FindStringSubmatch(e)[1]]
			require.True(p.t, there, e)
			return value
		})
	}
	return out
}

// cached restores or saves a cache as GitHub's actions do: the newest one whose key begins so.
func (p *pipeline) cached(uses string, with map[string]string) {
	p.t.Helper()
	switch name, _, _ := strings.Cut(uses, "@"); name {
	case "actions/cache/restore":
		kept, err := filepath.Glob(filepath.Join(p.cache, with["restore-keys"]+"*"))
		require.NoError(p.t, err)
		if len(kept) > 0 {
			require.NoError(p.t, os.CopyFS(with["path"], os.DirFS(slices.Max(kept))))
		}
	case "actions/cache/save":
		require.NoError(p.t, os.CopyFS(filepath.Join(p.cache, with["key"]), os.DirFS(with["path"])))
	}
}

// kept counts the caches that were saved.
func (p *pipeline) kept() int {
	p.t.Helper()
	all, err := os.ReadDir(p.cache)
	require.NoError(p.t, err)
	return len(all)
}

// holds reads the conditions of action.yml: comparisons joined by && or ||.
func holds(known map[string]string, condition string) bool {
	if either, or, there := strings.Cut(condition, " || "); there {
		return holds(known, either) || holds(known, or)
	}
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
func (p *pipeline) gitlab(branch, token string, variables map[string]string) (code int, report string) {
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
	maps.Copy(environ, variables)
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
	cloud := simcloud.New(simcloud.Options{Seed: 12, Limit: simcloud.Limit{Disabled: true}, Tokens: []simcloud.Token{{CanWrite: true}},
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
	kept := p.read(filepath.Join(temp, "edgeposture-baseline", "result.json"))
	require.NotEmpty(t, kept)
	require.Equal(t, 1, p.kept())

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
	require.Contains(t, p.read(filepath.Join(temp, "comment.md")), "0 new, 0 regressed, ")

	// A result of other zones, or of another token, is nothing to compare with.
	for name, value := range map[string]string{"zones": "*.example", "name": "other"} {
		code, temp, _ = p.action("pull_request", map[string]string{"cloudflare-api-token": token["cloudflare-api-token"], name: value})
		require.Equal(t, 3, code, name)
		require.Empty(t, p.read(filepath.Join(temp, "edgeposture-report", "changes.md")), name)
	}
	require.Equal(t, 1, p.kept(), "pull requests keep nothing")
	code, _, _ = p.action("schedule", token)
	require.Equal(t, 0, code)
	require.Equal(t, 2, p.kept(), "a nightly run keeps its result")

	worsen(t, cloud)
	code, temp, log = p.action("pull_request", token)
	require.Equal(t, 3, code, log)
	require.Contains(t, log, "::error title=CFL-SSL-001%2C critical::")
	comment := p.read(filepath.Join(temp, "comment.md"))
	require.Contains(t, comment, "CFL-SSL-001")
	require.Contains(t, p.read(filepath.Join(temp, "summary")), comment)
	require.Empty(t, p.read(filepath.Join(temp, "replaced")))

	// The comment of the last run is replaced, and neither a later one of another workflow nor one that quotes it.
	bot := map[string]string{"login": "github-actions[bot]"}
	comments, err := json.Marshal([]map[string]any{{"id": 11, "user": bot, "body": comment},
		{"id": 12, "user": bot, "body": "Terraform plan"}, {"id": 13, "user": map[string]string{"login": "ana"}, "body": comment}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(p.environ["HOME"], "comments.json"), comments, 0o600))
	code, temp, log = p.action("pull_request", token)
	require.Equal(t, 3, code, log)
	require.Equal(t, "repos/contoso/infra/issues/comments/11", p.read(filepath.Join(temp, "replaced")))
	require.Contains(t, p.read(filepath.Join(temp, "comment.md")), "CFL-SSL-001")
}

// TestSweepActionTwiceInAJob: steps of one job for two accounts have nothing of each other, and a step that gave nothing keeps nothing.
func TestSweepActionTwiceInAJob(t *testing.T) {
	cloud := simcloud.New(simcloud.Options{Seed: 11, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 2, Plant: 0.2, Plans: []string{"pro"}}, {Zones: 1, Plant: 0.2, Plans: []string{"pro"}}}})
	server, err := cloud.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	p := newPipeline(t, server)
	of := func(account int) map[string]string {
		return map[string]string{"cloudflare-api-token": cloud.Tokens()[0].Secret, "account-id": cloud.Accounts()[account]}
	}
	code, _, log := p.action("push", of(0))
	require.Equal(t, 3, code, log)
	p.temp = t.TempDir()
	code, _, log = p.action("pull_request", of(0))
	require.Equal(t, 0, code, log)
	code, _, log = p.action("pull_request", of(1))
	require.Equal(t, 3, code, "the result of the other account is nothing to compare with: %s", log)
	for n, report := range []string{"edgeposture-report", "edgeposture-report1"} {
		result := object(t, p.read(filepath.Join(p.temp, report, "result.json")))["assessment"].(map[string]any)
		require.Equal(t, cloud.Accounts()[n], result["account"].(map[string]any)["id"])
	}
	require.Equal(t, 1, p.kept())
	revoked := of(1)
	revoked["cloudflare-api-token"] = "token-that-was-revoked-0000000"
	code, _, log = p.action("push", revoked)
	require.Equal(t, 1, code, log)
	require.Contains(t, log, "nothing could be judged")
	require.Equal(t, 1, p.kept(), "a run that judged nothing is nothing to compare with")
}

// TestSweepGitLabStepByStep is the same for the template.
func TestSweepGitLabStepByStep(t *testing.T) {
	cloud, server := pipelineCloud(t)
	p := newPipeline(t, server)
	secret := cloud.Tokens()[0].Secret
	code, _ := p.gitlab("feature", "", nil)
	require.Equal(t, 2, code)
	code, _ = p.gitlab("main", secret, nil)
	require.Equal(t, 3, code)
	code, _ = p.gitlab("feature", secret, nil)
	require.Equal(t, 0, code)
	code, report := p.gitlab("feature", secret, map[string]string{"ZONES": "*.example"})
	require.Equal(t, 3, code, "a result of all zones is nothing to compare with")
	require.Empty(t, p.read(filepath.Join(report, "changes.md")))
	worsen(t, cloud)
	code, report = p.gitlab("feature", secret, nil)
	require.Equal(t, 3, code)
	require.Contains(t, p.read(filepath.Join(report, "changes.md")), "CFL-SSL-001")
}

// TestSweepRunOfAPipeline: the reports are of the run that was judged, and a baseline forgives findings only.
func TestSweepRunOfAPipeline(t *testing.T) {
	accounts := []simcloud.AccountSpec{{Zones: 2, Plant: 0.2, Plans: []string{"pro"}}, {Zones: 1, Clean: true, Plans: []string{"pro"}}}
	cloud := simcloud.New(simcloud.Options{Seed: 11, Limit: simcloud.Limit{Disabled: true}, Accounts: accounts,
		Tokens: []simcloud.Token{{Secret: "token-of-both-accounts-0000000"},
			{Secret: "token-without-records-00000000", Denied: []string{"Zone: DNS Read"}}}})
	server, err := cloud.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	p := newPipeline(t, server)
	ids := cloud.Accounts()
	first := map[string]string{"DATA_DIR": t.TempDir(), "CLOUDFLARE_API_TOKEN": cloud.Tokens()[0].Secret, "CLOUDFLARE_ACCOUNT_ID": ids[0],
		"ARGS": "--note kept"}
	run := func(out string, want int, more map[string]string) (report string) {
		t.Helper()
		environ := maps.Clone(first)
		maps.Copy(environ, more)
		environ["OUT"] = out
		code, log := p.step([]string{"sh", "-c"}, filepath.Join(p.root, "ci", "run"), environ)
		require.Equal(t, want, code, log)
		return log
	}
	of := func(out string) (account string, zones int) {
		t.Helper()
		assessment := object(t, p.read(filepath.Join(p.work, out, "result.json")))["assessment"].(map[string]any)
		return assessment["account"].(map[string]any)["id"].(string), len(assessment["zones"].([]any))
	}
	require.Contains(t, run("none", 2, map[string]string{"CLOUDFLARE_ACCOUNT_ID": ""}), "CLOUDFLARE_ACCOUNT_ID: The token sees 2 accounts")
	run("whole", 3, nil)
	account, zones := of("whole")
	require.Equal(t, ids[0], account)
	require.Equal(t, 2, zones)
	run("narrowed", 3, map[string]string{"ZONES": cloud.ZoneIDs(ids[0])[0]})
	_, zones = of("narrowed")
	require.Equal(t, 1, zones)
	second := map[string]string{"DATA_DIR": t.TempDir(), "CLOUDFLARE_ACCOUNT_ID": ids[1], "FAIL_ON": "none"}
	run("second", 0, second)
	account, _ = of("second")
	require.Equal(t, ids[1], account)

	baseline := filepath.Join(p.work, "whole", "result.json")
	run("same", 0, map[string]string{"BASELINE": baseline})
	require.Contains(t, run("score", 3, map[string]string{"BASELINE": baseline, "ARGS": "--threshold 99"}), "below --threshold 99")
	run("gaps", 4, map[string]string{"BASELINE": baseline, "ARGS": "--fail-on-gaps", "CLOUDFLARE_API_TOKEN": cloud.Tokens()[1].Secret})
}

// TestLogOfAPipelineHoldsNoCommands: what changed is written to the log as it is in the comment, where a name in a code span keeps its
// characters; there it must not be a command to the runner.
func TestLogOfAPipelineHoldsNoCommands(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	p := &pipeline{t: t, root: root, work: t.TempDir(), bin: t.TempDir(), environ: map[string]string{}}
	stub := `#!/bin/sh
case $1 in
  assess) echo '  "id": "a"' ;;
  diff) printf '### New\n| high | \140##[stop-commands]x\140 \140##vso[task.complete]x\140 |\n' > "$7" ;;
esac
`
	require.NoError(t, os.WriteFile(filepath.Join(p.bin, "edgeposture"), []byte(stub), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(p.work, "before.json"), []byte("{}"), 0o600))
	code, log := p.step([]string{"sh"}, filepath.Join(root, "ci", "run"), map[string]string{"BASELINE": "before.json"})
	require.Equal(t, 0, code, log)
	require.Contains(t, log, "### New\n| high |")
	require.NotRegexp(t, `##(vso)?\[`, log)
	require.Contains(t, p.read(filepath.Join(p.work, "edgeposture-report", "changes.md")), "`##[stop-commands]x`")
}

// TestActionAnnotatesTheWorst: of what is new and what got worse, however many are new.
func TestActionAnnotatesTheWorst(t *testing.T) {
	_, server := pipelineCloud(t)
	p := newPipeline(t, server)
	temp, action := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(action, "ci"), 0o700))
	run := `#!/bin/sh
mkdir -p "$OUT"; echo "{}" > "$OUT/result.json"
jq -n '{new: [range(12) | {checkId: "CFL-NEW-\(.)", severity: "low", title: "new"}],
  regressed: [{checkId: "CFL-BAD-1", severity: "critical", title: "50% worse\n::x"}]}' > "$OUT/changes.json"
`
	require.NoError(t, os.WriteFile(filepath.Join(action, "ci", "run"), []byte(run), 0o700))
	_, steps := p.steps()
	at := slices.IndexFunc(steps, func(s actionStep) bool { return s.ID == "assess" })
	code, out := p.step([]string{"bash", "-eo", "pipefail", "-c"}, steps[at].Run, map[string]string{"RUNNER_TEMP": temp,
		"GITHUB_ACTION_PATH": action, "GITHUB_OUTPUT": filepath.Join(temp, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(temp, "summary"),
		"NEW_ONLY": "true", "KEY": "edgeposture-0-"})
	require.Zero(t, code, out)
	annotations := lines(strings.TrimSpace(out))
	require.Len(t, annotations, 10)
	require.Equal(t, "::error title=CFL-BAD-1%2C critical::50%25 worse%0A::x", annotations[0])
}

// TestActionInstalls: a version is one with and without its v.
func TestActionInstalls(t *testing.T) {
	_, server := pipelineCloud(t)
	p := newPipeline(t, server)
	require.NoError(t, os.Remove(filepath.Join(p.bin, "edgeposture")))
	// curl gives the address of the newest release, and what a release has.
	curl := `#!/bin/sh
case "$*" in *url_effective*) printf %s https://example.com/releases/tag/v1.2.3; exit ;; esac
release=https://github.com/edgeposture/edgeposture/releases/download/v1.2.3/
for url in "$@"; do case "$url" in "$release"*) cp "$RELEASE/${url##*/}" . ;; esac; done
`
	require.NoError(t, os.WriteFile(filepath.Join(p.bin, "curl"), []byte(curl), 0o700))
	p.environ["RELEASE"], p.environ["PATH"] = t.TempDir(), p.bin+":/usr/local/bin:/usr/bin:/bin"
	code, out := p.step([]string{"bash", "-ec"}, `cd "$RELEASE"; echo '#!/bin/sh' > edgeposture; chmod +x edgeposture
for os in linux darwin; do for arch in amd64 arm64; do tar -czf "edgeposture_1.2.3_${os}_$arch.tar.gz" edgeposture; done; done
sha256sum *.tar.gz > SHA256SUMS`, nil)
	require.Zero(t, code, out)
	_, steps := p.steps()
	for _, version := range []string{"latest", "1.2.3", "v1.2.3"} {
		temp := t.TempDir()
		code, out = p.step([]string{"bash", "-eo", "pipefail", "-c"}, steps[0].Run,
			map[string]string{"VERSION": version, "RUNNER_TEMP": temp, "GITHUB_PATH": filepath.Join(temp, "path")})
		require.Zero(t, code, "%s: %s", version, out)
		require.FileExists(t, filepath.Join(temp, "edgeposture-bin", "edgeposture"), version)
	}
}

// TestReleaseStepByStep: what the workflow hands over is taken, a failing tap leaves the image, and tags of major versions are moved
// without starting it.
func TestReleaseStepByStep(t *testing.T) {
	p := newPipeline(t, &record.Server{})
	var workflow struct {
		On   struct{ Push struct{ Tags []string } }
		Jobs map[string]struct {
			Needs any
			Steps []struct {
				Name, Run, Uses string
				Env             map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(p.read(filepath.Join(p.root, ".github", "workflows", "release.yml"))), &workflow))
	require.Equal(t, []string{"v*.*.*"}, workflow.On.Push.Tags)
	releases, moves := p.read(filepath.Join(p.root, ".goreleaser.yaml")), ""
	for name, job := range workflow.Jobs {
		require.Nil(t, job.Needs, name)
		for _, s := range job.Steps {
			if strings.HasPrefix(s.Run, "make release") {
				require.Equal(t, "release", name)
				for variable := range s.Env {
					if variable != "GITHUB_TOKEN" { // GoReleaser's own
						require.Contains(t, releases, "{{ .Env."+variable+" }}")
					}
				}
			}
			require.False(t, name == "release" && strings.HasPrefix(s.Uses, "docker/"), "a failing tap would leave no image")
			if strings.Contains(s.Run, "git/refs") {
				moves = s.Run
			}
		}
	}
	gh := "#!/bin/sh\necho \"$*\"\ncase \"$*\" in *PATCH*refs/tags/v2*) exit 1 ;; esac\n" // v2 is new
	require.NoError(t, os.WriteFile(filepath.Join(p.bin, "gh"), []byte(gh), 0o700))
	code, out := p.step([]string{"bash", "-ec"}, `git init -q .; git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m a
for v in v1.2.0 v1.10.0 v1.11.0-rc.1 v2.0.0; do git tag "$v"; done`, nil)
	require.Zero(t, code, out)
	for tag, want := range map[string]string{"v1.2.0": "", "v1.10.0": "api -X PATCH repos/a/b/git/refs/tags/v1 -f sha=abc -F force=true\n",
		"v2.0.0": "api -X PATCH repos/a/b/git/refs/tags/v2 -f sha=abc -F force=true\napi repos/a/b/git/refs -f ref=refs/tags/v2 -f sha=abc\n"} {
		code, out = p.step([]string{"bash", "-ec"}, moves, map[string]string{"GITHUB_REF_NAME": tag, "GITHUB_REPOSITORY": "a/b",
			"GITHUB_SHA": "abc"})
		require.Zero(t, code, out)
		require.Equal(t, want, out, tag)
	}
}
