// Package deploytest holds what the chart, compose.yaml and the image give their
// processes against the code that reads it. charts/ (a module of its own) renders
// them into charts/testdata/environments.json.
package deploytest

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

var update = flag.Bool("update", false, "write the names of the variables into the chart")

type variable struct {
	Value  string `json:"value"`
	Secret bool   `json:"secret"`
}

func environments(t *testing.T) map[string]map[string]variable {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "charts", "testdata", "environments.json"))
	require.NoError(t, err)
	var out map[string]map[string]variable
	require.NoError(t, json.Unmarshal(raw, &out))
	require.Greater(t, len(out), 15)
	return out
}

// known tells of every variable of the service whether it is a secret.
func known() map[string]bool {
	out := map[string]bool{}
	for _, group := range []reflect.Type{reflect.TypeFor[config.Config](), reflect.TypeFor[config.Retention](),
		reflect.TypeFor[config.Limits]()} {
		for f := range group.Fields() {
			if name := f.Tag.Get("env"); name != "" {
				out[name] = f.Type == reflect.TypeFor[secret.Text]()
			}
		}
	}
	for _, d := range setting.Definitions() {
		out[d.Env] = d.Secret
	}
	return out
}

// TestProcessesWouldStart gives every environment to the service's own reading.
func TestProcessesWouldStart(t *testing.T) {
	for name, env := range environments(t) {
		t.Run(name, func(t *testing.T) {
			var environ []string
			for k, v := range env {
				isSecret, is := known()[k]
				if strings.HasPrefix(k, "SERVICE_OIDC_") { // the names of providers are people's own
					isSecret, is = strings.HasSuffix(k, "_CLIENT_SECRET"), true
				}
				require.True(t, is, "%s is no variable of the service", k)
				require.Equal(t, isSecret, v.Secret, "%s must come from a Secret if and only if it is one", k)
				environ = append(environ, k+"="+v.Value)
			}
			cfg, err := config.Load(environ)
			require.NoError(t, err)
			require.False(t, cfg.Embedded(), "several processes share stores")
			require.Equal(t, "/data", cfg.DataDir)
			if env["SERVICE_OIDC_OKTA_ISSUER"].Value != "" {
				require.Len(t, cfg.SignIn, 1)
				require.Len(t, cfg.SignIn[0].Rules, 2)
			}
			if strings.HasSuffix(name, "/api") {
				require.False(t, config.Loopback(cfg.Host), "nobody could reach it")
				require.Equal(t, 8080, cfg.Port)
				return
			}
			require.Empty(t, env["SERVICE_API_KEY"].Value, "only the API needs it")
			require.True(t, config.Loopback(cfg.Host))
		})
	}
}

// TestChartKnowsEveryVariable writes the names of the variables, by kind, into the schema of the
// chart's values, and those that a Secret may leave out beside it.
func TestChartKnowsEveryVariable(t *testing.T) {
	// These have a place of their own in the chart.
	placed := []string{"HOST", "PORT", "DATA_DIR", "SERVICE_WORKER_CONCURRENCY", "METRICS_ADDR", "METRICS_TRUSTED"}
	required := []string{"SERVICE_API_KEY", "DATABASE_URL", "REDIS_URL", "SERVICE_ENCRYPTION_KEY"}
	var secrets, optional, plain []string
	for name, isSecret := range known() {
		switch {
		case slices.Contains(placed, name):
		case !isSecret:
			plain = append(plain, name)
		default:
			secrets = append(secrets, name)
			if !slices.Contains(required, name) {
				optional = append(optional, name)
			}
		}
	}
	chart := filepath.Join("..", "..", "..", "charts", "edgeposture")
	raw, err := os.ReadFile(filepath.Join(chart, "values.schema.json"))
	require.NoError(t, err)
	schema := string(raw)
	for kind, names := range map[string][]string{"secret": secrets, "plain": plain} {
		slices.Sort(names)
		schema = regexp.MustCompile(`"`+kind+`": \{"enum": \[[^]]*\]`).ReplaceAllString(schema,
			`"`+kind+`": {"enum": [`+"\n   \""+strings.Join(names, "\",\n   \"")+"\"\n  ]")
	}
	slices.Sort(optional)
	for file, text := range map[string]string{"values.schema.json": schema,
		"variables.yaml": "# Written by make gen.\noptional:\n- " + strings.Join(optional, "\n- ") + "\n"} {
		path := filepath.Join(chart, file)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(got), "run make gen")
	}
}

func TestConfigurationIsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "configuration.md"))
	require.NoError(t, err)
	for name := range known() {
		if !strings.HasPrefix(name, "OTEL_") { // the page names their standard
			require.Contains(t, string(page), "`"+name+"`")
		}
	}
}
