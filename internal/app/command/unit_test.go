package command

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

func code(err error) int {
	if err == nil {
		return 0
	}
	return codeOf(err, true)
}

// TestDemand holds every rule of --ci and --fail-on-gaps.
func TestDemand(t *testing.T) {
	grade := "A"
	summary := func(change func(*posture.AssessmentSummary)) posture.AssessmentSummary {
		a := posture.AssessmentSummary{Status: posture.Completed, Score: posture.Score{Mark: posture.Mark{Value: 90, Grade: &grade}},
			Summary: posture.Summary{BySeverity: map[posture.Severity]int{}}}
		change(&a)
		return a
	}
	for name, tc := range map[string]struct {
		demand demand
		change func(*posture.AssessmentSummary)
		want   int
	}{
		"nothing is wrong": {demand{ci: true, gaps: true, threshold: 90, failOn: posture.Low}, func(*posture.AssessmentSummary) {}, 0},
		"at the severity": {demand{ci: true, failOn: posture.High},
			func(a *posture.AssessmentSummary) { a.Summary.BySeverity[posture.High] = 1 }, 3},
		"above the severity": {demand{ci: true, failOn: posture.High},
			func(a *posture.AssessmentSummary) { a.Summary.BySeverity[posture.Critical] = 1 }, 3},
		"below the severity": {demand{ci: true, failOn: posture.High},
			func(a *posture.AssessmentSummary) { a.Summary.BySeverity[posture.Medium] = 1 }, 0},
		"informational": {demand{ci: true, failOn: posture.Informational},
			func(a *posture.AssessmentSummary) { a.Summary.BySeverity[posture.Informational] = 1 }, 3},
		"not asked for": {demand{failOn: posture.Low, threshold: 100},
			func(a *posture.AssessmentSummary) { a.Summary.BySeverity[posture.Critical] = 1 }, 0},
		"score too low":         {demand{ci: true, threshold: 91}, func(*posture.AssessmentSummary) {}, 3},
		"a score of too little": {demand{ci: true, threshold: 50}, func(a *posture.AssessmentSummary) { a.Score.Grade = nil }, 3},
		"gaps":                  {demand{gaps: true}, func(a *posture.AssessmentSummary) { a.Status = posture.CompletedWithGaps }, 4},
		"gaps that nobody asks about": {demand{ci: true, failOn: posture.Low},
			func(a *posture.AssessmentSummary) {
				a.Status = posture.CompletedWithGaps
				a.Summary.Unknown, a.Summary.Pass = 9, 1
			}, 0},
		"a token that was revoked": {demand{ci: true, failOn: posture.High}, func(a *posture.AssessmentSummary) {
			a.Status = posture.CompletedWithGaps
			a.Summary.Unknown, a.Summary.Fail, a.Summary.BySeverity[posture.Medium] = 292, 1, 1
			a.Score.ByCategory = map[posture.Category]posture.CategoryScore{"token": {Fail: 1}}
		}, exitError},
		"an account that the token does not see": {demand{ci: true, failOn: posture.High}, func(a *posture.AssessmentSummary) {
			a.Status = posture.CompletedWithGaps
			a.Summary.Unknown, a.Summary.Pass, a.Summary.NotApplicable = 162, 2, 129
			a.Score.ByCategory = map[posture.Category]posture.CategoryScore{"token": {Pass: 2}}
		}, exitError},
		"nothing read of what was chosen": {demand{ci: true}, func(a *posture.AssessmentSummary) {
			a.Status, a.Summary.Unknown = posture.CompletedWithGaps, 3
		}, exitError},
		"one verdict beside the token": {demand{ci: true, failOn: posture.High}, func(a *posture.AssessmentSummary) {
			a.Status = posture.CompletedWithGaps
			a.Summary.Unknown, a.Summary.Pass, a.Summary.Fail = 291, 1, 1
			a.Score.ByCategory = map[posture.Category]posture.CategoryScore{"token": {Fail: 1}, "dns": {Pass: 1}}
		}, 0},
		"a product nobody uses": {demand{ci: true}, func(a *posture.AssessmentSummary) { a.Summary.NotApplicable = 3 }, 0},
		"findings and gaps": {demand{ci: true, gaps: true, failOn: posture.Low}, func(a *posture.AssessmentSummary) {
			a.Status = posture.CompletedWithGaps
			a.Summary.BySeverity[posture.Low] = 1
		}, 3},
	} {
		a := summary(tc.change)
		require.Equal(t, tc.want, code(tc.demand.judge(a, a.Summary.BySeverity)), name)
	}
}

// TestOutputBreaksOff: what a full disk cut off is no success, whatever wrote it.
func TestOutputBreaksOff(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("only Linux has a device that is always full")
	}
	defer func() { require.NoError(t, full.Close()) }()
	for _, args := range [][]string{{"version"}, {"--help"}, {"apply", "--schema"}, {"completion", "bash"}} {
		var errs bytes.Buffer
		p := &program{out: &output{WriteCloser: full}, errs: &errs, in: io.NopCloser(strings.NewReader(""))}
		require.Equal(t, exitError, p.run(t.Context(), args), args)
		require.Contains(t, errs.String(), "no space left on device", args)
	}
}

// TestWordsThatAreNoCommand are refused wherever they stand, and the help that is named is there.
func TestWordsThatAreNoCommand(t *testing.T) {
	tool := config.LoadTool([]string{"EDGEPOSTURE_LIMIT=many"})
	for args, want := range map[string]string{
		"asses":                "there is no command \"asses\", did you mean assess or assessments or issues?; `edgeposture --help` lists them",
		"findings lits":        "`edgeposture findings --help` lists them",
		"completion tcsh":      "`edgeposture completion --help` lists them",
		"help tcsh":            "there is no command \"tcsh\"; `edgeposture --help` lists them",
		"help findings purge":  "there is no command \"purge\"; `edgeposture findings --help` lists them",
		"findings list":        "EDGEPOSTURE_LIMIT is not usable for --limit; see edgeposture findings list --help",
		"completion":           "",
		"findings":             "",
		"help":                 "",
		"help findings list":   "",
		"help completion bash": "",
	} {
		var out, errs bytes.Buffer
		p := &program{tool: tool, out: &output{WriteCloser: closing{&out}}, errs: &errs, in: io.NopCloser(strings.NewReader(""))}
		if code := p.run(t.Context(), strings.Fields(args)); want == "" {
			require.Equal(t, exitFine, code, args)
			require.Contains(t, out.String(), "Usage:", args)
		} else {
			require.Equal(t, exitUsage, code, args)
			require.Contains(t, errs.String(), want, args)
		}
	}
}

// TestSettingsNamed: variables stand for settings, and where they are set is said once for all of a list.
func TestSettingsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"set chatAWebhook, chatBWebhook or webhookUrl in the settings": "set SERVICE_CHAT_A_WEBHOOK, SERVICE_CHAT_B_WEBHOOK or " +
			"SERVICE_WEBHOOK_URL on the service",
		"send hecUrl with the request or save it in the settings": "set SERVICE_SIEM_HEC_URL on the service",
		"webhookUrl is refused":                                   "SERVICE_WEBHOOK_URL on the service is refused",
		"save a new one in the settings.":                         "save a new one in the settings.",
	} {
		require.Equal(t, want, settingsNamed(text))
	}
}

// TestCallsOfOneThing: a call that names an id becomes the command with that id, or the dashboard without it.
func TestCallsOfOneThing(t *testing.T) {
	const id = "0198c5b2-1f6e-7c3a-9d2e-5a1b2c3d4e5f"
	for text, want := range map[string]string{
		"change its token with PATCH /api/accounts/" + id + ".":     "change its token with the dashboard.",
		"GET /api/jobs/" + id + " names the assessment":             "`edgeposture jobs get " + id + "` names the assessment",
		"POST /api/jobs/" + id + "/retry starts it again":           "`edgeposture jobs retry " + id + "` starts it again",
		"There is no job; GET /api/jobs?state=running lists others": "There is no job; `edgeposture jobs list --state running` lists others",
	} {
		require.Equal(t, want, (&program{}).worded(posture.Problemf(posture.CodeConflict, "%s", text)))
	}
}

// TestBinaryFilesAndTerminals: a terminal shows a file that is no text only when told to; what is piped is never asked about.
func TestBinaryFilesAndTerminals(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment")
		_, _ = io.WriteString(w, "%PDF")
	}))
	t.Cleanup(server.Close)
	const id = "0198c5b2-1f6e-7c3a-9d2e-5a1b2c3d4e5f"
	for _, tc := range []struct {
		shown bool
		args  string
		code  int
	}{
		{true, "export --format pdf", exitUsage}, {true, "evidence", exitUsage}, {true, "export --format pdf --file -", exitFine},
		{true, "evidence --file -", exitFine}, {true, "export --format csv", exitFine}, {false, "export --format pdf", exitFine},
	} {
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		require.NoError(t, err)
		var errs bytes.Buffer
		p := &program{out: &output{WriteCloser: out}, errs: &errs, in: os.Stdin, shown: tc.shown}
		code := p.run(t.Context(), append(strings.Fields(tc.args), "--assessment", id, "--server", server.URL))
		require.Equal(t, tc.code, code, tc.args+errs.String())
		got, err := os.ReadFile(out.Name())
		require.NoError(t, err)
		require.Equal(t, tc.code == exitFine, string(got) == "%PDF", tc.args)
		require.NoError(t, out.Close())
	}
}

// TestYAMLMeansTheSameToAll: a text that YAML 1.1 takes for a truth value or a number is quoted, and other texts are not.
func TestYAMLMeansTheSameToAll(t *testing.T) {
	for text := range strings.FieldsSeq("on Off YES no y N 10:30 -1:59.5 = << true null 0777 1_000 2026-11-30") {
		got, err := asYAML(`{"a":"` + text + `"}`)
		require.NoError(t, err)
		require.Equal(t, `a: "`+text+"\"\n", got)
	}
	for _, text := range []string{"one", "once", "10:61", "fe80::1", "a=b", "full_strict"} {
		got, err := asYAML(`{"a":"` + text + `"}`)
		require.NoError(t, err)
		require.Equal(t, "a: "+text+"\n", got)
	}
}

func TestCodeOf(t *testing.T) {
	require.Equal(t, exitInterrupted, codeOf(fmt.Errorf("%w; more", errInterrupted), true))
	require.Equal(t, exitUsage, codeOf(errors.New("unknown flag"), false))
	require.Equal(t, exitError, codeOf(errors.New("anything"), true))
	require.Equal(t, exitDelivery, codeOf(posture.Problemf(posture.CodeOutboundDenied, "x"), true))
	require.Equal(t, exitError, codeOf(posture.Problemf(posture.CodeJobRunning, "x"), true))
	require.Equal(t, exitStale, codeOf(fmt.Errorf("wrapped: %w", posture.Problemf(posture.CodePlanStale, "x")), true))
}

// TestProgress is for terminals only, and takes its line away.
func TestProgress(t *testing.T) {
	job := posture.Job{Kind: posture.JobAssess, State: posture.JobRunning, Progress: posture.Progress{Phase: "collect\x1b[2J", Done: 3,
		Total: 9, Unit: "reads", WaitingSeconds: 4}}
	for terminal, want := range map[bool]string{true: "\r\x1b[Kassess: collect·[2J 3/9 reads, waiting 4 s for the request b…\r\x1b[K",
		false: ""} {
		var errs bytes.Buffer
		b := (&program{errs: &errs, terminal: terminal}).progress()
		b.show(job)
		b.show(job)
		b.clear()
		require.Equal(t, want, errs.String())
	}
}

// TestStanding: what is in force and was not read back is an error.
func TestStanding(t *testing.T) {
	for _, tc := range []struct{ applied, verified, want int }{{0, 0, 0}, {3, 3, 0}, {3, 2, exitError}} {
		require.Equal(t, tc.want, code(standing(change.Backup{Applied: tc.applied, Verified: tc.verified})))
	}
}

func FuzzParseInputs(f *testing.F) {
	for _, seed := range []string{"CFL-A-001.name=value", "=", ".=", "a.b=c=d.e", "a.=x", "no", "a.b="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		defer fuzztest.Bound(t)()
		got, err := parseInputs([]string{s})
		if err != nil {
			require.Equal(t, exitUsage, code(err))
			return
		}
		for check, names := range got {
			for name, value := range names {
				require.Equal(t, s, check+"."+name+"="+value)
			}
		}
	})
}

func FuzzParseConfig(f *testing.F) {
	for _, seed := range []string{"note: x", "check: [a, b]", "yes: true", "note: {a: b}", "- a", "ci: true\nthreshold: 5", "note: null",
		"a: &a [*a]", "check: []"} {
		f.Add([]byte(seed))
	}
	names := map[string]bool{"note": true, "check": true, "ci": true, "threshold": true, "yes": true}
	f.Fuzz(func(t *testing.T, raw []byte) {
		defer fuzztest.Bound(t)()
		got, err := parseConfig(raw, names)
		if err != nil {
			require.NotContains(t, clean(err.Error()), "\n")
			return
		}
		for name := range got {
			require.True(t, names[name] && !onlyTyped(name), name)
		}
	})
}

func FuzzClean(f *testing.F) {
	f.Add("plain")
	f.Add("\x1b[31mred\r\n\u202eback\u2028\x9b2J")
	f.Add("###[stop-commands]x ##vso[task.complete]")
	f.Add(" ::error::x")
	f.Fuzz(func(t *testing.T, s string) {
		defer fuzztest.Bound(t)()
		for _, r := range clean(s) {
			require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Cf, r), "%q", r)
		}
		require.False(t, strings.ContainsAny(oneLine(s), "\n\r\t"))
		require.NotRegexp(t, `##\[|##vso\[|^\s*::`, clean(s))
	})
}

type closing struct{ io.Writer }

func (closing) Close() error { return nil }

// FuzzPrint: what programs read shows a terminal nothing hidden and a pipeline no command, and is still what was sent.
func FuzzPrint(f *testing.F) {
	for _, seed := range []string{"plain", "\u202egnp.exe", "\ufeff=1", "\x7f\u0085\u009b2J", "\U000E0041tag", "\ufffe", "a\n::error::x\n",
		"\t", "###[stop]##vso[task]", `\##[x]`, "yes", "two\nlines", "\U0001F600"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		defer fuzztest.Bound(t)()
		raw, err := json.Marshal(map[string]any{s: []any{s}})
		require.NoError(t, err)
		var want map[string]any
		require.NoError(t, json.Unmarshal(raw, &want))
		for form, read := range map[string]func([]byte, any) error{outputJSON: json.Unmarshal, outputYAML: yaml.Unmarshal} {
			var b bytes.Buffer
			require.NoError(t, (&program{output: form, out: &output{WriteCloser: closing{&b}}}).print(raw), form)
			var got map[string]any
			require.NoError(t, read(b.Bytes(), &got), b.String())
			require.Equal(t, want, got)
			for text := range strings.SplitSeq(b.String(), "\n") {
				require.Equal(t, clean(text), text, form)
			}
		}
	})
}

// TestAPackedRecordingIsNoBomb: a recording comes from anybody.
func TestAPackedRecordingIsNoBomb(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]string{"one answer": `{"path":"/a","body":"` + strings.Repeat("a", 8<<20),
		"many answers": strings.Repeat(`{"path":"/a","status":200}`+"\n", 1<<16)} {
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		require.NoError(t, err)
		_, err = io.WriteString(z, `{"recordedAt":"2026-01-01T00:00:00Z"}`+"\n"+answers)
		require.NoError(t, errors.Join(err, z.Close()))
		file := filepath.Join(t.TempDir(), "record.jsonl.gz")
		require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o600))
		_, err = player(file)
		require.ErrorContains(t, err, "more than 100 times its size", name)
	}
}

// TestDeclarationsAreFiles: a link in a change that somebody proposes leads nowhere, and a file has a size.
func TestDeclarationsAreFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	block := []byte(`resource "cloudflare_zone" "a" {}` + "\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "long.tf"), append(bytes.Repeat([]byte("#"), maxDeclarations), block...), 0o600))
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, block, 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link.tf")))
	require.Equal(t, "plan", declarations(dir, "plan")("cloudflare_zone.a").File)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "zones.tf"), block, 0o600))
	require.Equal(t, filepath.Join(dir, "zones.tf"), declarations(dir, "plan")("cloudflare_zone.a").File)
}
