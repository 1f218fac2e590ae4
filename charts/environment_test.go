package charts_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	core "k8s.io/api/core/v1"
)

// variable is what a container finds under a name.
type variable struct {
	Value  string `json:"value"`
	Secret bool   `json:"secret"` // it comes from a Secret
}

// environment gives what the first container of api, worker or migrate finds. What
// comes from Secrets of others, or was generated, is an example.
func environment(t *testing.T, all []object, role string) map[string]variable {
	t.Helper()
	out := map[string]variable{}
	own := secrets(t, all)
	for _, e := range pods(t, all)[full+"-"+role].Spec.Containers[0].Env {
		if slices.Contains([]string{"SSL_CERT_DIR", "GOMEMLIMIT", "PGAPPNAME"}, e.Name) {
			continue // extraEnv of ci/: Go's and PostgreSQL's, not the service's
		}
		require.NotContains(t, out, e.Name, "%s has %s twice", role, e.Name)
		if e.ValueFrom == nil {
			out[e.Name] = variable{Value: e.Value}
			continue
		}
		ref := e.ValueFrom.SecretKeyRef
		data, ours := own[ref.Name]
		if ours {
			require.Contains(t, data, ref.Key, "%s asks %s for what it does not have", role, ref.Name)
		}
		out[e.Name] = variable{Value: example(e.Name, data[ref.Key]), Secret: true}
		required := slices.Contains([]string{"DATABASE_URL", "REDIS_URL", "SERVICE_API_KEY", "SERVICE_ENCRYPTION_KEY"}, e.Name)
		if required || ours {
			require.True(t, ref.Optional == nil || !*ref.Optional, "%s could start without %s", role, e.Name)
		}
	}
	return out
}

// example gives a value of the right form, the same each time.
func example(name, value string) string {
	switch name {
	case "DATABASE_URL":
		return "postgres://edgeposture:only-an-example@db.example:5432/edgeposture"
	case "REDIS_URL":
		return "redis://:only-an-example@cache.example:6379/0"
	case "SERVICE_ENCRYPTION_KEY":
		return "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	case "SERVICE_EDIT_SCOPE", "SERVICE_EDIT_SCOPE_JWT_SECRET":
		return "kV7q-Zr2xW9tM4bH8nS3jC6pD1lF5gQ-edit"
	case "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS":
		return "x-key=only-an-example-of-it"
	}
	if strings.HasSuffix(name, "_WEBHOOK") || name == "SERVICE_WEBHOOK_URL" {
		return "https://receiver.example/hook"
	}
	if value == "" || name == "SERVICE_API_KEY" {
		return "only-an-example-of-it"
	}
	return value
}

// known are the variables of the chart's schema.
type known struct{ secrets, config []string }

func variables(t *testing.T) known {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(chartDir, "values.schema.json"))
	require.NoError(t, err)
	var s struct {
		Definitions struct{ Secret, Plain struct{ Enum []string } }
	}
	require.NoError(t, json.Unmarshal(raw, &s))
	return known{s.Definitions.Secret.Enum, s.Definitions.Plain.Enum}
}

// TestEnvironmentsAreCommitted writes what every container finds to a file that
// internal/api/deploytest gives to the code that reads it in the service.
func TestEnvironmentsAreCommitted(t *testing.T) {
	got := map[string]map[string]variable{}
	for set, values := range sets(t) {
		all := render(t, values)
		for _, role := range []string{"api", "worker", "migrate"} {
			got[set+"/"+role] = environment(t, all, role)
		}
	}
	maps.Copy(got, composeEnvironments(t))
	for _, env := range got { // what a container finds begins with what the image says
		for name, value := range imageEnvironment(t) {
			if _, set := env[name]; !set {
				env[name] = variable{Value: value}
			}
		}
	}
	raw, err := json.MarshalIndent(got, "", " ")
	require.NoError(t, err)
	path := filepath.Join("testdata", "environments.json")
	if update() {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, append(raw, '\n'), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(raw), "the chart or compose.yaml changed; look at the difference, then: cd charts && go test "+
		"-update")
}

// TestSchemaIsWhole: each secret reaches the API; the worker gets all but the key of the API.
func TestSchemaIsWhole(t *testing.T) {
	v := variables(t)
	all := render(t, "secrets: {existingSecret: mine}")
	for _, n := range v.secrets {
		require.True(t, environment(t, all, "api")[n].Secret, n)
		_, has := environment(t, all, "worker")[n]
		require.Equal(t, n != "SERVICE_API_KEY", has, n)
	}
	values := []string{}
	for _, n := range v.config {
		values = append(values, n+": x")
	}
	all = render(t, "config: {"+strings.Join(values, ", ")+"}")
	for _, role := range []string{"api", "worker"} {
		for _, n := range v.config {
			require.Equal(t, variable{Value: "x"}, environment(t, all, role)[n], role+" "+n)
		}
	}
}

// TestMetricsAreOff: nothing listens unless asked.
func TestMetricsAreOff(t *testing.T) {
	for set, values := range sets(t) {
		_, api := environment(t, render(t, values), "api")["METRICS_ADDR"]
		_, worker := environment(t, render(t, values), "worker")["METRICS_ADDR"]
		on := set == "metrics" || set == "extended"
		require.Equal(t, on, api, set)
		require.Equal(t, on, worker, set)
		require.Equal(t, on, environment(t, render(t, values), "worker")["METRICS_TRUSTED"].Value == "true", set)
	}
	all := render(t, sets(t)["metrics"])
	require.EqualValues(t, 9090, listening(pods(t, all)[full+"-worker"])["metrics"])
	require.Len(t, list[core.Service](t, all), 5)
}
