// Package deploytest holds what the chart, compose.yaml and the image give their
// processes against the code that reads it. charts/ (a module of its own) renders
// them into charts/testdata/environments.json.
package deploytest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

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
				require.True(t, is, "%s is no variable of the service", k)
				require.Equal(t, isSecret, v.Secret, "%s must come from a Secret if and only if it is one", k)
				environ = append(environ, k+"="+v.Value)
			}
			cfg, err := config.Load(environ)
			require.NoError(t, err)
			require.False(t, cfg.Embedded(), "several processes share stores")
			require.Equal(t, "/data", cfg.DataDir)
			if strings.HasSuffix(name, "/api") {
				require.False(t, config.Loopback(cfg.Host), "nobody could reach it")
				require.Equal(t, 8080, cfg.Port)
				return
			}
			require.NotContains(t, env, "SERVICE_API_KEY", "only the API needs it")
			require.True(t, config.Loopback(cfg.Host))
		})
	}
}

// TestChartKnowsEveryVariable: each can be set, where its kind belongs.
func TestChartKnowsEveryVariable(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "charts", "edgeposture", "values.schema.json"))
	require.NoError(t, err)
	var schema struct {
		Properties struct {
			Secrets struct {
				Properties struct {
					Values struct{ Properties map[string]any }
				}
			}
			Config struct{ Properties map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal(raw, &schema))
	// These have a place of their own in the chart.
	var secrets, plain []string
	for name, isSecret := range known() {
		switch {
		case slices.Contains([]string{"HOST", "PORT", "DATA_DIR", "SERVICE_WORKER_CONCURRENCY", "METRICS_ADDR", "METRICS_TRUSTED"}, name):
		case isSecret:
			secrets = append(secrets, name)
		default:
			plain = append(plain, name)
		}
	}
	require.ElementsMatch(t, secrets, slices.Collect(maps.Keys(schema.Properties.Secrets.Properties.Values.Properties)),
		"secrets.values and secrets.from of the chart")
	require.ElementsMatch(t, plain, slices.Collect(maps.Keys(schema.Properties.Config.Properties)), "config of the chart")
}
