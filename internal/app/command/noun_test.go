package command_test

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/edgeposture/edgeposture/internal/app/command"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestNouns lists, shows, adds and removes everything a service keeps.
func TestNouns(t *testing.T) {
	s := newShell(t)
	for _, noun := range []string{"findings", "issues"} {
		require.Contains(t, s.want(0, noun, "list").err, "There is no completed assessment yet", "an empty list is no good news")
	}
	s.want(0, "assess", "--category", "dns", "-q")
	require.NotContains(t, s.want(0, "findings", "list", "--search", "no such thing").err, "no completed assessment")
	first := func(noun string) string {
		t.Helper()
		var got struct{ Items []struct{ ID string } }
		require.NoError(t, json.Unmarshal([]byte(s.want(0, noun, "list", "-o", "json").out), &got))
		require.NotEmpty(t, got.Items, noun)
		return got.Items[0].ID
	}
	added := s.want(0, "exceptions", "add", "--check", "CFL-DNS-001", "--zone", "acme-corp.example", "--reason", "known", "--owner", "ops").out
	require.Contains(t, added, "match.zones: acme-corp.example")
	s.want(0, "schedules", "add", "0 6 * * *", "--time-zone", "Europe/Berlin", "--zone", "acme-corp.example")
	for _, noun := range []string{"findings", "issues", "jobs", "schedules", "exceptions", "accounts"} {
		id := first(noun)
		narrow, wide := s.want(0, noun, "list").out, s.want(0, noun, "list", "-o", "wide").out
		require.True(t, strings.HasPrefix(narrow, "ID "), narrow)
		require.Contains(t, narrow, id)
		require.Greater(t, len(lines(wide)[0]), len(lines(narrow)[0]), noun)
		require.Equal(t, narrow, s.want(0, noun, "list", "-o", "table").out)
		var asYAML any
		require.NoError(t, yaml.Unmarshal([]byte(s.want(0, noun, "list", "--output", "yaml").out), &asYAML))
		again, err := json.Marshal(asYAML)
		require.NoError(t, err)
		opened := regexp.MustCompile(`"updatedAt": ?"[^"]*"`) // each command opens the data anew
		require.JSONEq(t, opened.ReplaceAllString(s.want(0, noun, "list", "-o", "json").out, `"updatedAt":""`),
			opened.ReplaceAllString(string(again), `"updatedAt":""`), noun)
		if noun != "exceptions" {
			require.Contains(t, s.want(0, noun, "get", id).out, "id: "+id)
			require.Equal(t, id, object(t, s.want(0, noun, "get", id, "-o", "json").out)["id"])
		}
	}
	require.Len(t, lines(s.want(0, "findings", "list", "--limit", "2").out), 3)
	require.Contains(t, s.want(0, "findings", "list", "--limit", "2").err, "--limit shows more")
	require.NotContains(t, s.want(0, "findings", "list", "--severity", "critical,low").out, " high ")
	require.Contains(t, s.want(0, "permissions").out, "granted")
	require.Len(t, lines(s.want(0, "assessments", "list").out), 2)
	require.Regexp(t, `^SEVERITY +TITLE\ncritical `, s.want(0, "paths").out)
	require.Equal(t, s.want(0, "paths").out, s.want(0, "paths", "latest").out)
	require.NotContains(t, s.want(0, "paths", "--severity", "high").out, "critical ")
	require.Contains(t, s.want(0, "__complete", "findings", "list", "--severity", "").out, "critical\n")
	require.Contains(t, s.want(2, "accounts", "add", "prod").err, "--token-file is needed: FILE with its API token")
	schedule := first("schedules")
	require.Contains(t, s.want(0, "schedules", "pause", schedule).out, "paused: yes")
	require.Contains(t, s.want(0, "schedules", "resume", schedule).out, "paused: no")
	require.Contains(t, s.want(0, "schedules", "remove", schedule).err, "removed")
	require.Contains(t, s.want(0, "exceptions", "remove", first("exceptions")).err, "revoked")
	issue := first("issues")
	require.Contains(t, s.want(0, "issues", "set", issue, "--owner", "web", "--state", "acknowledged", "--due",
		"2031-01-02").out, "owner: web")
	require.Regexp(t, `acknowledged +web +- +2031-01-02 +no`, s.want(0, "issues", "list", "--owner", "web", "-o", "wide").out)
	require.Contains(t, s.want(0, "issues", "comment", issue, "--text", "later").out, "text: later")
	described := s.want(0, "issues", "get", issue).out
	require.Regexp(t, `(?s)^Cloudflare is .*\nowner: web\n.*\n    curl -sS .*\\\n      -H .*\nresources: 1\n.*UTC .*: comment later\n`,
		described)
	finding := regexp.MustCompile(`(?m)^FAIL .* (\w+)$`).FindStringSubmatch(described)[1]
	require.Regexp(t, `(?s)\nresult: FAIL\n.*\nfix: Check .*\n  dashboard: .*\nevidence:\n  zone/list `,
		s.want(0, "findings", "get", finding).out)
	user := s.want(0, "users", "add", "ana@example.com", "--name", "Ana", "--role", "operator", "--label", "staging").out
	require.Contains(t, user, "grants.1.labels: staging")
	require.Regexp(t, `invitation: http://127\.0\.0\.1:\d+/welcome#\S+`, user)
	require.Regexp(t, `Ana +ana@example.com +operator\n`, s.want(0, "users", "list").out)
	s.want(0, "teams", "add", "platform", "--member", first("users"))
	require.Contains(t, s.want(0, "tokens", "add", "pipeline", "--role", "viewer").out, "token: ")
	for _, noun := range []string{"users", "teams", "tokens"} {
		require.Regexp(t, "removed|revoked", s.want(0, noun, "remove", first(noun)).err)
	}
	s.want(0, "jobs", "cancel", first("jobs"))
	require.Contains(t, s.want(0, "jobs", "retry", first("jobs")).out, "state: queued")
	require.Contains(t, s.want(0, "version").out, "go1.")
	require.NotEmpty(t, object(t, s.want(0, "version", "-o", "json").out)["commit"])
	require.Contains(t, s.want(0, "__complete", "schedules", "").out, "pause")
	require.Contains(t, s.want(0, "__complete", "findings", "list", "--se").out, "--severity")
	file := filepath.Join(t.TempDir(), "a.csv")
	s.want(0, "export", "--format", "csv", "--file", file)
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, s.want(0, "export", "--format", "csv", "-o", "table").out, string(raw))
}

// TestAccountsOfTheCommandLine registers a real account and forgets it.
func TestAccountsOfTheCommandLine(t *testing.T) {
	cloud, environ := fixable(t)
	s := newShell(t, append(environ, "CLOUDFLARE_API_TOKEN=")...)
	s.stdin = cloud.Tokens()[0].Secret + "\n"
	o := s.want(0, "accounts", "add", "ours", "--token-file", "-", "--default")
	require.NotContains(t, o.out+o.err, cloud.Tokens()[0].Secret)
	require.Contains(t, s.want(0, "accounts", "list").out, "ours")
	require.Contains(t, s.want(0, "permissions", "ours").out, "granted")
	s.want(0, "accounts", "remove", "ours")
	require.NotContains(t, s.want(0, "accounts", "list").out, "ours")
}

// TestErrorsAreInTheWordsOfTheCommandLine: no field of a request, no status, no path.
func TestErrorsAreInTheWordsOfTheCommandLine(t *testing.T) {
	s := newShell(t)
	s.want(0, "assess", "--check", "CFL-DNS-001", "-q")
	foreign := regexp.MustCompile(`query\.|body\.|path\.|HTTP|/api/|----|\b(GET|POST|PATCH|DELETE)\b|[a-z]Id\b`)
	for args, says := range map[string]string{
		"findings list --severity loud": "--severity", "findings list --sort odd": "--sort", "findings list --limit 0": "--limit",
		"findings list --exception odd": "--exception", "findings get 12": "", "issues get 12": "", "issues list --state odd": "--state",
		"issues set 12 --owner a": "", "issues comment 12": "--text",
		"jobs get 12": "", "jobs cancel 12": "", "jobs retry 12": "", "schedules add bad": "CRON",
		"schedules add @daily --time-zone Nowhere": "--time-zone", "schedules pause 12": "", "accounts get nobody": "edgeposture accounts list",
		"accounts remove nobody": "", "permissions nobody": "", "exceptions add --reason a --owner b": "", "exceptions add --reason a": "--owner",
		"exceptions add --reason a --owner b --check x --expires soon": "--expires", "exceptions remove 12": "",
		"accounts add x": "--token-file", "assess --profile odd": "--profile", "assess --account nobody": "--account",
		"assess --zone nothing.example": "--zone", "export --assessment 7": "--assessment", "checks CFL-NO-999": "",
		"ship --target odd": "--target", "ship --target securityhub": "--aws-account", "notify --threshold loud": "--threshold",
		"plan --check CFL-NO-999": "--check",
		"trends --account nobody": "--account", "findings list --account nobody": "--account", "jobs list --account nobody": "--account",
		"users add x@example.com --name x --role boss": "--role", "issues set 0123456789abcdef0123456789abcdef --due soon": "--due",
		"ship --target search": "SERVICE_SEARCH_URL", "ship --target collector": "SERVICE_SIEM_HEC_URL", "notify": "SERVICE_WEBHOOK_URL",
		"alerts add x --channel chat_a": "SERVICE_CHAT_A_WEBHOOK", "diff latest 7": "", "backups -o xml": "--output",
		"rollback": "needs BUNDLE|latest", "diff latest": "takes BASE CURRENT", "apply CFL-SSL-002": "takes no argument",
		"asess": "assess", "issues frob": "edgeposture issues --help", "assess --frob": "edgeposture assess --help", "explain a b": "takes URL",
		"explain ftp://x": "URL: must be", "explain x:99999": "URL: must be",
	} {
		t.Run(args, func(t *testing.T) {
			o := s.on(t).want(2, strings.Fields(args)...)
			last := lines(o.err)[len(lines(o.err))-1]
			require.NotRegexp(t, foreign, last)
			require.Contains(t, last, says)
		})
	}
}

// TestExamples: the examples of the help are commands that could be run, and every command has one or is only a name.
func TestExamples(t *testing.T) {
	said := 0
	var walk func(c *cobra.Command) bool
	walk = func(c *cobra.Command) bool {
		has := c.HasExample() && c.HasParent()
		for _, id := range regexp.MustCompile(`CFL-[A-Z]+-\d+`).FindAllString(c.Example+c.LocalFlags().FlagUsages(), -1) {
			require.True(t, slices.ContainsFunc(checks.All(), func(k check.Check) bool { return k.ID == id }), "%s: %s", c.Name(), id)
		}
		for line := range strings.Lines(c.Example) {
			said++
			raw, err := exec.CommandContext(t.Context(), "bash", "-c", `printf '%s\0' `+line).Output()
			require.NoError(t, err, line)
			words := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
			require.Equal(t, "edgeposture", words[0])
			found, rest, err := command.Root().Find(words[1:])
			require.NoError(t, err, line)
			if c.HasParent() {
				require.Equal(t, c.CommandPath(), found.CommandPath())
			}
			require.NoError(t, found.ParseFlags(rest), line)
			require.NoError(t, found.ValidateArgs(found.Flags().Args()), line)
			found.Flags().Visit(func(f *pflag.Flag) {
				values, _ := found.GetFlagCompletionFunc(f.Name)
				if values == nil {
					return
				}
				offered, _ := values(found, nil, "")
				given, err := csv.NewReader(strings.NewReader(f.Value.String())).Read()
				require.NoError(t, err)
				for _, one := range given {
					require.Contains(t, offered, strings.Trim(one, "[]"), line)
				}
			})
		}
		for _, sub := range c.Commands() {
			has = walk(sub) || has
		}
		if c.HasParent() && !c.Parent().HasParent() && c.Runnable() {
			require.True(t, has || !c.HasAvailableLocalFlags(), c.Name())
			require.NotEmpty(t, c.GroupID, c.Name())
		}
		return has
	}
	walk(command.Root())
	require.Greater(t, said, 40)
}

// TestListsOfAnotherVersion: what answers in JSON and is not this service is named as such, with what to do.
func TestListsOfAnotherVersion(t *testing.T) {
	for _, body := range []string{"", "[]", "{}", `{"findings":{}}`} {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(other.Close)
		o := newShell(t, "EDGEPOSTURE_SERVER="+other.URL).want(1, "findings", "list")
		require.Contains(t, o.err, "the answer of "+other.URL+" is not what this version understands", body)
		require.Contains(t, o.err, "use a command line and a service of the same version", body)
	}
}

// TestNothingIsNotAllRight: where nothing could be judged, lists are empty and say that they are not all there may be.
func TestNothingIsNotAllRight(t *testing.T) {
	cloud := simcloud.New(simcloud.Options{Seed: 9, Limit: simcloud.Limit{Disabled: true},
		Tokens: []simcloud.Token{{Denied: []string{"Zone: DNS Read"}}}})
	server, err := cloud.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	s := newShell(t, "CLOUDFLARE_BASE_URL="+server.URL, "CLOUDFLARE_API_TOKEN="+cloud.Tokens()[0].Secret, "SERVICE_DNS_RESOLVER=off",
		"DATA_DIR="+t.TempDir())
	s.want(0, "assess", "--check", "CFL-DNS-016")
	for _, list := range [][]string{{"issues", "list"}, {"findings", "list", "--result", "FAIL"}, {"paths"}, {"cut"}} {
		o := s.want(0, list...)
		require.Contains(t, o.err, "3 findings could not be judged, so this is not all there may be", list)
	}
	require.Len(t, lines(s.want(0, "findings", "list", "--result", "UNKNOWN").out), 4)
}
