// Package internal_test holds the picture of docs/architecture.md: which folder may
// import which, what is pure, and which imports belong to one package alone.
package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/edgeposture/edgeposture/"

// room is a row of the picture: a folder, its packages in the order in which they may import
// each other, and the folders it may import.
type room struct {
	packages []string
	imports  []string
}

// picture reads the table of docs/architecture.md.
func picture(t *testing.T) map[string]room {
	t.Helper()
	page, err := os.ReadFile("../docs/architecture.md")
	require.NoError(t, err)
	rooms := map[string]room{}
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\|[^|]*\\| ([^|]*) \\| ([^|]*) \\|$")
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		r := room{packages: strings.Split(m[2], ", ")}
		if m[3] != "nothing" {
			r.imports = strings.Split(m[3], ", ")
		}
		rooms[m[1]] = r
	}
	require.GreaterOrEqual(t, len(rooms), 6)
	return rooms
}

// folderOf gives the folder of a package and its name there.
func folderOf(path string) (folder, name string) {
	path = strings.TrimPrefix(path, "internal/")
	folder, name, _ = strings.Cut(path, "/")
	switch {
	case folder == "jobs":
		return "engine", "jobs"
	case folder == "assessment" && strings.HasPrefix(name, "checks/"):
		return folder, "checks" // its families
	case name == "":
		return folder, folder
	}
	return folder, name
}

// pure packages touch nothing outside their arguments.
var pure = []string{"internal/core/posture", "internal/core/credential", "internal/assessment/expression", "internal/core/mailauth",
	"internal/core/csp", "internal/core/snapshot",
	"internal/assessment/graph", "internal/core/change", "internal/assessment/truth", "internal/assessment/policy",
	"internal/assessment/exposure", "internal/assessment/admission", "internal/assessment/traffic", "internal/assessment/propose",
	"internal/assessment/check", "internal/assessment/checks",
	"internal/assessment/score", "internal/assessment/attackpath",
	"internal/assessment/compliance", "internal/assessment/drift", "internal/assessment/report", "internal/platform/schedule",
	"internal/assessment/exception", "internal/assessment/issue", "internal/core/audit", "internal/core/merkle", "internal/delivery/evidence",
	"internal/delivery/paper", "internal/assessment/trend"}

// impure is what a pure package must not import. The time package is allowed for
// its types; time.Now and the like are looked for in the source.
var impure = map[string]string{
	"os": "a disk or an environment", "net": "a network", "net/http": "a network", "log": "logging", "log/slog": "logging",
	"math/rand": "randomness", "math/rand/v2": "randomness", "crypto/rand": "randomness", "database/sql": "a database", "os/exec": "processes",
}

// owned imports belong to the packages named, for the reason given.
var owned = []struct {
	prefix  string
	allowed []string
	reason  string
}{
	{"github.com/gofiber/", []string{"internal/api/httpapi"}, "fiber's traps are fenced once"},
	{"github.com/danielgtaylor/huma", []string{"internal/api/httpapi"}, "there is one route table"},
	{"github.com/hibiken/asynq", []string{"internal/engine/queue"}, "asynq only says that something waits, the store is the truth"},
	{"github.com/redis/go-redis", []string{"internal/engine/queue", "internal/provider/budget"}, "Redis holds notices and budgets only"},
	{"github.com/alicebob/miniredis", []string{"internal/app"}, "only the wiring knows which Redis it is"},
	{"modernc.org/sqlite", []string{"internal/store/sqlite"}, "a driver belongs to its engine"},
	{"github.com/jackc/pgx", []string{"internal/store/postgres"}, "a driver belongs to its engine"},
	{"github.com/uptrace/bun", []string{"internal/store"}, "queries belong to the store"},
	{"github.com/cloudflare/cloudflare-go", []string{"internal/provider/cloudflare"}, "the vendor's client is a detail of one package"},
	{"github.com/golang-jwt/jwt", []string{"internal/platform/gate"}, "one function decides who may write"},
	{"github.com/spf13/cobra", []string{"internal/app/command"}, "there is one command line"},
	{"github.com/spf13/pflag", []string{"internal/app/command"}, "there is one command line"},
	{"github.com/robfig/cron", []string{"internal/platform/schedule", "internal/core/audit"}, "one package says when something is due"},
	{"github.com/modelcontextprotocol/", []string{"internal/api/toolserver"}, "a protocol belongs to its server"},
	{"codeberg.org/go-pdf/", []string{"internal/delivery/paper"}, "what is on a page is data, and one package draws it"},
	{"github.com/prometheus/", []string{"internal/platform/metric"}, "what is counted is told through hooks"},
	{"github.com/go-json-experiment/", []string{"internal/delivery/evidence", "internal/api/httpapi", "internal/provider/cloudflare",
		"internal/platform/oidc"}, "one package says what is canonical, one what a body may be, one what an answer may be, one what a token may"},
	{"go.opentelemetry.io/", []string{"internal/platform/trace"}, "what is traced is told through hooks"},
	{"github.com/MicahParks/", []string{"internal/platform/gate"}, "one function decides who may write"},
	{"github.com/coreos/go-oidc", []string{"internal/platform/oidc"}, "one package signs people in"},
	{"github.com/go-webauthn/", []string{"internal/platform/passkey"}, "one package checks passkeys"},
	{"golang.org/x/oauth2", []string{"internal/platform/oidc"}, "one package signs people in"},
}

type goPackage struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "../...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var all []goPackage
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if len(p.GoFiles) > 0 {
			all = append(all, p)
		}
	}
	require.Greater(t, len(all), 15)
	return all
}

func within(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

// testOnly packages help tests, or write code, and may import anything.
func testOnly(path string) bool {
	return strings.HasSuffix(path, "test") || strings.Contains(path, "/simcloud") || strings.HasSuffix(path, "/gen")
}

// TestPicture holds docs/architecture.md, the doc.go of each folder and the imports to each other.
func TestPicture(t *testing.T) {
	rooms := picture(t)
	seen := map[string]bool{}
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if testOnly(path) || within(path, "cmd") {
			continue
		}
		folder, name := folderOf(path)
		r, known := rooms[folder]
		require.True(t, known, "%s is in no folder of docs/architecture.md", path)
		at := slices.Index(r.packages, name)
		if name != folder || at >= 0 {
			require.GreaterOrEqual(t, at, 0, "the row of %s in docs/architecture.md lacks %s", folder, name)
		}
		seen[folder+"/"+name] = true
		for _, imp := range p.Imports {
			other, ours := strings.CutPrefix(imp, module)
			if !ours || within(other, path) || within(path, other) {
				continue
			}
			theirs, its := folderOf(other)
			if theirs != folder {
				require.Contains(t, r.imports, theirs, "%s imports %s: data flows one way, and %s may import %v", path, other, folder, r.imports)
				continue
			}
			require.Less(t, slices.Index(r.packages, its), at, "%s imports %s, which stands behind it in docs/architecture.md", path, other)
		}
	}
	for folder, r := range rooms {
		for _, name := range r.packages {
			require.True(t, seen[folder+"/"+name], "docs/architecture.md lists %s in %s, where it is not", name, folder)
		}
		if folder == "web" {
			continue
		}
		says := "imports no other package of this module"
		if len(r.imports) > 0 {
			says = "imports " + strings.Join(r.imports, ", ") + ", and must never"
		}
		doc := folder + "/doc.go"
		if _, err := os.Stat(doc); err != nil {
			doc = folder + "/" + folder + ".go"
		}
		src, err := os.ReadFile(doc)
		require.NoError(t, err)
		told := strings.ReplaceAll(string(src), "\n// ", " ")
		head, _, _ := strings.Cut(told, "\npackage ")
		require.Contains(t, head, says, "%s and docs/architecture.md differ", doc)
	}
}

func TestPureFloorsTouchNothing(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if testOnly(path) || !isPure(path) {
			continue
		}
		for _, imp := range p.Imports {
			reason, bad := impure[imp]
			require.False(t, bad, "%s imports %s: a pure floor has no %s", path, imp, reason)
		}
		require.Empty(t, find(t, p, regexp.MustCompile(`time\.(Now|Since|Until|Sleep|After|Tick|NewTimer|NewTicker)\(|(?m)^func init\(\)`)),
			"%s uses a clock or init()", path)
	}
}

// TestNothingShipsTheSimulation: what is built for people has no part of the simulated provider, however it comes in.
func TestNothingShipsTheSimulation(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../cmd/...").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), module+"internal/provider/demo")
	require.NotContains(t, string(out), "simcloud")
}

// TestTestMatterStaysOut: only checks import a package of test matter, for the examples in their
// files, which the linker drops.
func TestTestMatterStaysOut(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if testOnly(path) {
			continue
		}
		for _, imp := range p.Imports {
			if ours, is := strings.CutPrefix(imp, module); is && strings.HasSuffix(ours, "test") {
				require.True(t, ours == "internal/assessment/check/goodtest" && within(path, "internal/assessment/checks"), "%s imports %s", path, imp)
			}
		}
	}
}

// find lists where a pattern stands in the files of a package, tests left out.
func find(t *testing.T, p goPackage, pattern *regexp.Regexp) []string {
	t.Helper()
	var hits []string
	for _, name := range p.GoFiles {
		src, err := os.ReadFile(filepath.Join(p.Dir, name))
		require.NoError(t, err)
		for _, m := range pattern.FindAll(src, -1) {
			hits = append(hits, name+": "+string(m))
		}
	}
	return hits
}

func isPure(path string) bool {
	for _, p := range pure {
		if within(path, p) {
			return true
		}
	}
	return false
}

func TestOwnedImports(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if testOnly(path) {
			continue
		}
		for _, o := range owned {
			for _, imp := range p.Imports {
				if !strings.HasPrefix(imp, o.prefix) {
					continue
				}
				ok := false
				for _, a := range o.allowed {
					ok = ok || within(path, a)
				}
				require.True(t, ok, "%s imports %s, which belongs to %v: %s", path, imp, o.allowed, o.reason)
			}
		}
	}
}

func TestEnvironmentIsReadInOnePlace(t *testing.T) {
	getenv := regexp.MustCompile(`os\.(Getenv|LookupEnv)\(`)
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if testOnly(path) || path == "internal/platform/config" {
			continue
		}
		require.Empty(t, find(t, p, getenv), "%s reads the environment; internal/platform/config does", path)
	}
}
