// Package addtest adds things to a copy of the module, to count the files that takes.
package addtest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is where the module lies.
const root = "../../.."

// addition is a thing that is added to the module by hand.
type addition struct {
	files map[string]string   // that are new, by path
	lines map[string][]insert // into files that are there, by path
	most  int                 // how many files may be touched
	// proof are the files of a test that uses the thing end to end; they do not count.
	proof map[string]string
	runs  [][]string // what go test is called with
}

// insert is text that is put before a text that stands once in the file.
type insert struct{ before, text string }

// add makes a copy of the module, adds the thing, regenerates what is generated and runs the proof.
func add(t *testing.T, a addition) {
	t.Helper()
	dir := inCopy(t, a)
	generate := [][]string{{"./internal/assessment/attackpath", "-run", "TestKindsAreCommitted", "-update"},
		{"./internal/delivery/notify", "-run", "TestChannelSettingsAreCommitted", "-update"},
		{"./internal/api/deploytest", "-run", "TestChartKnowsEveryVariable", "-update"},
		{"./internal/api/httpapi", "-run", "Test(OpenAPI|Offered)IsCommitted", "-update"},
		{"./internal/api/docgen", "-run", "Test(Pages|Paths)AreCommitted", "-update"}}
	for _, args := range append(generate, a.runs...) {
		out := run(t, dir, "go", append([]string{"test", "-trimpath", "-count=1"}, args...)...)
		require.NotContains(t, out, "no tests to run")
	}
}

// inCopy makes a copy of the module and adds the thing and its proof.
func inCopy(t *testing.T, a addition) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles a copy of the module, which takes minutes")
	}
	dir := t.TempDir()
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.Clean(strings.TrimPrefix(path, root)))
		switch {
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || path == filepath.Join(root, "bin")):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, raw, 0o600)
	}))
	write := func(files map[string]string) {
		for path, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
		}
	}
	write(a.files)
	for path, inserts := range a.lines {
		raw, err := os.ReadFile(filepath.Join(dir, path))
		require.NoError(t, err)
		text := string(raw)
		for _, in := range inserts {
			require.Equal(t, 1, strings.Count(text, in.before), "%s in %s", in.before, path)
			text = strings.Replace(text, in.before, in.text+in.before, 1)
		}
		write(map[string]string{path: text})
	}
	touched := len(a.files) + len(a.lines)
	require.LessOrEqual(t, touched, a.most)
	t.Logf("%d hand-written files", touched)
	write(a.proof)
	return dir
}

// run runs a program and gives what it printed.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", program, strings.Join(args, " "), out)
	return string(out)
}

// TestSweepAddAFormat: an export format is its file and its line.
func TestSweepAddAFormat(t *testing.T) {
	add(t, addition{most: 2,
		files: map[string]string{"internal/delivery/export/plain.go": `package export

import (
	"io"
	"strconv"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func writePlain(w io.Writer, d Document) error {
	s := newSink(w)
	s.text("simulated: ", simulated(d), "\n")
	s.each(d, nil, func(f posture.Finding) {
		s.text(f.CheckID, " ", string(f.Result), " ", strconv.Quote(f.Message), strconv.Quote(f.Why), strconv.Quote(f.Fix), "\n")
	})
	s.text("end\n")
	return s.done("text")
}
`},
		lines: map[string][]insert{"internal/delivery/export/export.go": {{`		{Name: "csv", `,
			`		{Name: "txt", Title: "Text", ContentType: "text/plain; charset=utf-8", Extension: "txt", Write: writePlain, Use: "Reading."},` +
				"\n"}}},
		proof: map[string]string{"internal/app/added_test.go": `package app_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdded(t *testing.T) {
	s := embedded(t, small())
	s.assessed()
	got := s.call("GET", "/api/download/txt", nil)
	require.Equal(t, 200, got.status, string(got.body))
	require.Contains(t, got.header.Get("Content-Disposition"), ".txt")
	require.Contains(t, string(got.body), "CFL-")
	require.Contains(t, string(s.call("GET", "/api/download/docx", nil).body), "txt")
	for _, path := range []string{"../../web/src/api/openapi.json", "../../web/src/api/offered.json"} {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(raw), "txt", path)
	}
}
`},
		runs: [][]string{{"./internal/app", "-run", "TestAdded"}, {"./internal/delivery/export", "-run", "TestGolden", "-update"},
			{"./internal/delivery/export", "-short", "-run", "^Test[^S]|TestSweepGenerated"}}})
}

// TestSweepAddAChannel: a notification channel is its file and its line.
func TestSweepAddAChannel(t *testing.T) {
	add(t, addition{most: 2,
		files: map[string]string{"internal/delivery/notify/plain.go": `package notify

func plain() Channel {
	return Channel{Name: "plain", Title: "The pager", Word: "Pager", URLKey: "pagerWebhook", URLDoc: "Address of the pager.",
		Build: buildPlain, sign: unsigned}
}

func buildPlain(c Content) ([]byte, error) {
	return fit("the pager", c.message(), func(m message) ([]byte, bool, error) {
		body, err := encode(append(rich(m.intro), rich(m.foot)...))
		return body, true, err
	})
}
`},
		lines: map[string][]insert{"internal/delivery/notify/channel.go": {{"webhook()}", "plain(), "}}},
		proof: map[string]string{"internal/app/added_test.go": `package app_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
)

func TestAdded(t *testing.T) {
	saved, environment, brought := &inbox{}, &inbox{}, &inbox{}
	s := embedded(t, small(), onLoopback, "SERVICE_PAGER_WEBHOOK="+siemtest.Start(t, environment)+"/x")
	s.assessed()
	tell := func(body map[string]any) {
		body["channels"] = []string{"plain"}
		got := s.call("POST", "/api/notify", body)
		require.Equal(t, 200, got.status, string(got.body))
	}
	tell(map[string]any{})
	s.settings("PUT", map[string]any{"pagerWebhook": siemtest.Start(t, saved) + "/x"})
	tell(map[string]any{})
	tell(map[string]any{"pagerWebhook": siemtest.Start(t, brought) + "/x"})
	require.Equal(t, []int{1, 1, 1}, []int{environment.count(), saved.count(), brought.count()})
	require.Contains(t, string(brought.bodies[0]), "TextRun")
	require.Equal(t, 422, s.call("POST", "/api/notify", map[string]any{"channels": []string{"pigeon"}}).status)
	got := s.call("PATCH", "/api/accounts/default", map[string]any{"afterRun": map[string]any{"notify": []string{"plain"}}})
	require.Equal(t, 200, got.status, string(got.body))
	require.Len(t, s.deliveries("?target=plain"), 3)
	for _, path := range []string{"../../web/src/api/openapi.json", "../../web/src/api/offered.json",
		"../../charts/edgeposture/variables.yaml", "../../charts/edgeposture/values.schema.json"} {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Regexp(t, "pagerWebhook|SERVICE_PAGER_WEBHOOK", string(raw), path)
	}
}
`},
		runs: [][]string{{"./internal/app", "-run", "TestAdded|TestNotify"}, {"./internal/delivery/notify", "-run", "Golden", "-update"},
			{"./internal/delivery/notify", "-short"}, {"./internal/platform/...", "-short"}, {"./internal/api/httpapi", "-short"}}})
}

// TestSweepAddAJobKind: a kind of job is its file and its line.
func TestSweepAddAJobKind(t *testing.T) {
	add(t, addition{most: 2,
		files: map[string]string{"jobs/noop.go": `package jobs

import (
	"context"
	"encoding/json"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/work"
)

// Noop does nothing.
type Noop struct{}

// Kind implements work.Kind.
func (Noop) Kind() posture.JobKind { return "noop" }

// Work implements work.Kind.
func (Noop) Work(context.Context, work.Attempt) (work.Result, error) {
	return work.Result{Result: json.RawMessage("{\"done\":true}")}, nil
}
`},
		lines: map[string][]insert{"jobs/jobs.go": {{"		p.Notify,\n", "		Noop{},\n"}}},
		proof: map[string]string{"internal/app/store_test.go": `package app

import "github.com/edgeposture/edgeposture/internal/store"

func (a *App) Store() store.Store { return a.backend.store }
`, "internal/app/added_test.go": `package app_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/jobs"
)

func TestAdded(t *testing.T) {
	s := embedded(t, small())
	n, err := jobs.New("noop", uuid.Must(uuid.NewV7()).String(), "", "interactive", struct{}{}, time.Now())
	require.NoError(t, err)
	_, err = s.app.Store().Enqueue(t.Context(), n)
	require.NoError(t, err)
	var job struct {
		State  string
		Result json.RawMessage
	}
	eventually(t, time.Minute, "the job ends", func() bool { s.get("/api/jobs/"+n.ID, &job); return job.State == "succeeded" })
	require.JSONEq(t, ` + "`{\"done\":true}`" + `, string(job.Result))
	require.Contains(t, string(s.call("GET", "/api/jobs?kind=noop", nil).body), n.ID)
	raw, err := os.ReadFile("../../web/src/api/offered.json")
	require.NoError(t, err)
	require.Contains(t, string(raw), "noop")
}
`},
		runs: [][]string{{"./internal/app", "-run", "TestAdded"}, {"./internal/api/httpapi"}, {"./jobs"}}})
}

// TestSweepAddARoute: a route is the file of its handler and its row.
func TestSweepAddARoute(t *testing.T) {
	add(t, addition{most: 2,
		files: map[string]string{"internal/api/httpapi/ping.go": `package httpapi

import "context"

type pingOutput struct {
	Body struct {
		Pong bool ` + "`json:\"pong\"`" + `
	}
}

func postPing(*Server, context.Context, *struct{}) (*pingOutput, error) {
	out := &pingOutput{}
	out.Body.Pong = true
	return out, nil
}
`},
		lines: map[string][]insert{"internal/api/httpapi/routes.go": {{`		{Method: get, Path: "/api/checks", `,
			`		{Method: post, Path: "/api/ping", Role: access.Operator, Tag: "service", Summary: "Answer", Action: "ping", Object: "ping",
			mount: call(postPing)},
`}}},
		proof: map[string]string{"internal/app/added_test.go": `package app_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdded(t *testing.T) {
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	got := s.call("POST", "/api/ping", nil)
	require.Equal(t, 200, got.status, string(got.body))
	require.Equal(t, "ping", string(s.entriesOf(got)[0].Action))
	require.Equal(t, 401, s.call("POST", "/api/ping", nil, "X-API-Key", "").status)
	raw, err := os.ReadFile("../../web/src/api/openapi.json")
	require.NoError(t, err)
	require.Contains(t, string(raw), "/api/ping")
}
`},
		runs: [][]string{{"./internal/app", "-run", "TestExamplesAreCommitted", "-update"},
			{"./internal/api/httpapi", "-run", "Test(OpenAPI|Offered)IsCommitted", "-update"},
			{"./internal/app", "-run", "TestAdded|TestAuditHasEveryPrivilegedRoute|TestAuditOfRefusals|TestAnotherSite"},
			{"./internal/api/httpapi"}}})
}

// TestSweepAddAPage: a page of the dashboard is its file and its route, which is its address and its place in the menu. A
// browser goes there by the menu and by the palette.
func TestSweepAddAPage(t *testing.T) {
	dir := inCopy(t, addition{most: 2,
		files: map[string]string{"web/src/features/service/HelloPage.tsx": `import { PageHead } from "../../ui/PageHead";

export function HelloPage() {
  return (
    <>
      <title>Hello · Edgeposture</title>
      <PageHead title="Hello">A page.</PageHead>
    </>
  );
}
`},
		lines: map[string][]insert{"web/src/router.tsx": {
			{"const about = createRoute({", `const hello = createRoute({
  getParentRoute: () => root,
  path: "/hello",
  staticData: { menu: ["settings", "Hello"] },
  component: lazyRouteComponent(() => import("./features/service/HelloPage"), "HelloPage"),
});

`}, {"    about,\n", "    hello,\n"}}},
		proof: map[string]string{"web/e2e/hello.spec.ts": `import { it } from "vitest";
import { stage, watched } from "./fixtures/stage.ts";

stage();

it("is reached by the menu and by the palette", async () => {
  const { page } = watched;
  const shown = page.getByRole("heading", { name: "Hello" });
  await page.goto("/");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Hello" }).click();
  await shown.waitFor();
  await page.goto("/jobs");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("combobox", { name: /^Page, account/ }).fill("Hello");
  await page.getByRole("option", { name: "Hello" }).click();
  await shown.waitFor();
});
`}})
	modules, err := filepath.Abs(filepath.Join(root, "web", "node_modules"))
	require.NoError(t, err)
	web := filepath.Join(dir, "web")
	require.NoError(t, os.Symlink(modules, filepath.Join(web, "node_modules")))
	run(t, web, "npm", "run", "--silent", "build")
	out := run(t, web, "npx", "vitest", "run", "--project", "e2e", "e2e/hello.spec.ts")
	require.Contains(t, out, "1 passed")
}

// TestSweepAddAnAttackPath: an attack path is its file. It is in the report of an account that
// has what it looks for, not in that of a clean one, and in the docs.
func TestSweepAddAnAttackPath(t *testing.T) {
	add(t, addition{most: 1,
		files: map[string]string{"internal/assessment/attackpath/readable_bucket.go": `package attackpath

import (
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func readableBucket() Kind {
	return Kind{Name: "readable-bucket", Title: "Readable bucket", Finds: "a bucket with a public development address",
		Related: []string{"CFL-R2-004"}, find: func(w *world) []candidate {
			var out []candidate
			for _, bucket := range w.byType[graph.Bucket] {
				for _, service := range w.from(bucket.ID, graph.Reads) {
					nodes, steps := w.enter(service)
					if nodes == nil || !w.openAt(bucket.ID, "CFL-R2-004") {
						continue
					}
					nodes, steps = extend(nodes, steps, graph.Reads, bucket.ID)
					out = append(out, candidate{gains: "reads the bucket", title: bucket.Label, explanation: "Read by all.", nodes: nodes, steps: steps,
						refs: []string{service, bucket.ID},
						breaks: []posture.Break{{Change: "Switch it off.", NodeID: bucket.ID, CheckIDs: []string{"CFL-R2-004"}}}})
				}
			}
			return out
		}}
}
`},
		proof: map[string]string{"internal/app/added_test.go": `package app_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

func TestAdded(t *testing.T) {
	o := small()
	o.Accounts = []simcloud.AccountSpec{{Zones: 1, Plants: []simcloud.PlantRule{{CheckID: "CFL-R2-004"}}}}
	s := embedded(t, o)
	s.assessed()
	report := s.call("GET", "/api/download/json", nil)
	require.Equal(t, 200, report.status)
	require.Contains(t, string(report.body), "ap:readable-bucket:")
	o.Accounts = []simcloud.AccountSpec{{Zones: 1, Clean: true}}
	s = embedded(t, o)
	s.assessed()
	require.NotContains(t, string(s.call("GET", "/api/download/json", nil).body), "readable-bucket")
	page, err := os.ReadFile("../../docs/attack-paths.md")
	require.NoError(t, err)
	require.Contains(t, string(page), " | a bucket with a public development address |")
}
`},
		runs: [][]string{{"./internal/app", "-run", "TestAdded"}, {"./internal/assessment/attackpath"}, {"./internal/api/docgen"}}})
}
