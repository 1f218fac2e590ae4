// Package internal_test holds the floors: a package may import lower floors
// only, and some imports belong to one package alone. docs/architecture.md has
// the picture; this is what keeps it true.
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
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/edgeposture/edgeposture/"

// floors gives each package its floor; the longest matching prefix counts.
var floors = map[string]int{
	"internal/posture": 0, "internal/licence": 0, "internal/secret": 0, "internal/merkle": 0, "internal/credential": 0, "internal/expression": 0, "internal/mailauth": 0, "internal/audit": 0, "internal/span": 0, "internal/clock": 0,
	"internal/snapshot": 1, "internal/trend": 1, "internal/change": 1, "internal/outbound": 1, "internal/metric": 1, "internal/redact": 1, "internal/schedule": 1, "internal/trace": 1, "internal/exception": 1, "internal/document": 1, "internal/limit": 1,
	"internal/check": 2, "internal/setting": 2,
	"internal/checks": 3, "internal/graph": 3, "internal/score": 3, "internal/compliance": 3, "internal/drift": 3,
	"internal/attackpath": 4,
	"internal/report":     5, "internal/gate": 5,
	"internal/export": 6, "internal/evidence": 6, "internal/cloudflare": 6, "internal/budget": 6, "internal/resolve": 6,
	"internal/store": 6, "internal/store/relational": 6, "internal/store/sqlite": 6, "internal/store/postgres": 6,
	"internal/siem": 7, "internal/notify": 7, "internal/deliver": 7, "internal/remedy": 7, "internal/planner": 7, "internal/assess": 7, "internal/handbook": 7, "internal/trail": 7,
	"jobs": 8, "internal/config": 8,
	"internal/queue": 9, "internal/httpapi": 9, "internal/simcloud": 9, "web": 9, "internal/client": 9, "internal/toolserver": 9,
	"internal/app": 10,
	"cmd":          11, "internal/command": 11,
}

// pure packages touch nothing outside their arguments.
var pure = []string{"internal/posture", "internal/credential", "internal/expression", "internal/mailauth", "internal/snapshot", "internal/graph", "internal/change",
	"internal/check", "internal/checks", "internal/score", "internal/attackpath", "internal/compliance", "internal/drift", "internal/report", "internal/schedule", "internal/exception", "internal/audit", "internal/merkle", "internal/evidence", "internal/trend"}

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
	{"github.com/gofiber/", []string{"internal/httpapi"}, "fiber's traps are fenced once"},
	{"github.com/danielgtaylor/huma", []string{"internal/httpapi"}, "there is one route table"},
	{"github.com/hibiken/asynq", []string{"internal/queue"}, "asynq only says that something waits, the store is the truth"},
	{"github.com/redis/go-redis", []string{"internal/queue", "internal/budget"}, "Redis holds notices and budgets only"},
	{"github.com/alicebob/miniredis", []string{"internal/app"}, "only the wiring knows which Redis it is"},
	{"modernc.org/sqlite", []string{"internal/store/sqlite"}, "a driver belongs to its engine"},
	{"github.com/jackc/pgx", []string{"internal/store/postgres"}, "a driver belongs to its engine"},
	{"github.com/uptrace/bun", []string{"internal/store"}, "queries belong to the store"},
	{"github.com/cloudflare/cloudflare-go", []string{"internal/cloudflare"}, "the vendor's client is a detail of one package"},
	{"github.com/golang-jwt/jwt", []string{"internal/gate"}, "one function decides who may write"},
	{"github.com/spf13/cobra", []string{"internal/command"}, "there is one command line"},
	{"github.com/spf13/pflag", []string{"internal/command"}, "there is one command line"},
	{"github.com/robfig/cron", []string{"internal/schedule", "internal/audit"}, "one package says when something is due"},
	{"github.com/modelcontextprotocol/", []string{"internal/toolserver"}, "a protocol belongs to its server"},
	{"github.com/prometheus/", []string{"internal/metric"}, "what is counted is told through hooks"},
	{"github.com/go-json-experiment/", []string{"internal/evidence"}, "one package says what is canonical"},
	{"go.opentelemetry.io/", []string{"internal/trace"}, "what is traced is told through hooks"},
	{"github.com/MicahParks/", []string{"internal/gate"}, "one function decides who may write"},
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
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		if len(p.GoFiles) > 0 {
			all = append(all, p)
		}
	}
	require.Greater(t, len(all), 15)
	return all
}

func within(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

func floorOf(path string) (int, bool) {
	best, floor := "", 0
	for p, f := range floors {
		if within(path, p) && len(p) > len(best) {
			best, floor = p, f
		}
	}
	return floor, best != ""
}

// testOnly packages help tests and may import anything.
func testOnly(path string) bool {
	return strings.HasSuffix(path, "test") || strings.Contains(path, "/simserver")
}

func TestFloors(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if testOnly(path) {
			continue
		}
		floor, known := floorOf(path)
		require.True(t, known, "%s has no floor; give it one in internal/arch_test.go and docs/architecture.md", path)
		for _, imp := range p.Imports {
			other, ours := strings.CutPrefix(imp, module)
			if !ours || within(other, path) || within(path, other) {
				continue
			}
			otherFloor, _ := floorOf(other)
			require.LessOrEqual(t, otherFloor, floor, "%s (floor %d) imports %s (floor %d): data flows one way, lower floors know nothing of higher ones", path, floor, other, otherFloor)
			if otherFloor == floor && floor < 5 {
				require.Fail(t, "same floor", "%s imports %s on its own floor %d", path, other, floor)
			}
		}
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
		require.Empty(t, find(t, p, regexp.MustCompile(`time\.(Now|Since|Until|Sleep|After|Tick|NewTimer|NewTicker)\(|(?m)^func init\(\)`)), "%s uses a clock or init()", path)
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
		if testOnly(path) || path == "internal/config" {
			continue
		}
		require.Empty(t, find(t, p, getenv), "%s reads the environment; internal/config does", path)
	}
}
