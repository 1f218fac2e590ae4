package charts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// filled is a filled-in .env.
func filled() []string {
	return []string{"POSTGRES_PASSWORD=0123456789abcdef", "SERVICE_ENCRYPTION_KEY=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
		"SERVICE_API_KEY=9f3c71e0b5a84d26", "CLOUDFLARE_API_TOKEN=only-an-example-token"}
}

// compose loads compose.yaml as docker compose config does: merged, filled in, held
// against the specification's schema and its rules.
func compose(t *testing.T, environ []string) (*types.Project, error) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "compose.yaml"))
	require.NoError(t, err)
	dir := t.TempDir() // where no .env of a reader lies
	require.NoError(t, os.WriteFile(filepath.Join(dir, "compose.yaml"), raw, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".env"), []byte(strings.Join(environ, "\n")), 0o600))
	o, err := cli.NewProjectOptions([]string{filepath.Join(dir, "compose.yaml")}, cli.WithEnv(environ), cli.WithName("edgeposture"))
	require.NoError(t, err)
	return o.LoadProject(t.Context())
}

func loaded(t *testing.T) *types.Project {
	t.Helper()
	p, err := compose(t, filled())
	require.NoError(t, err)
	return p
}

func composeEnvironments(t *testing.T) map[string]map[string]variable {
	t.Helper()
	secret := variables(t).secrets
	out := map[string]map[string]variable{}
	for _, role := range []string{"api", "worker", "migrate"} {
		env := map[string]variable{}
		for k, v := range loaded(t).Services[role].Environment {
			if k == "POSTGRES_PASSWORD" {
				continue // it comes with .env, and is in DATABASE_URL
			}
			require.NotNil(t, v, "%s would take %s from whoever starts it", role, k)
			env[k] = variable{Value: *v, Secret: slices.Contains(secret, k)}
		}
		out["compose/"+role] = env
	}
	return out
}

// TestComposePassesEveryVariable: whatever the service reads and .env has reaches the API and the workers.
func TestComposePassesEveryVariable(t *testing.T) {
	v := variables(t)
	given := append(filled(), "SERVICE_OIDC_OKTA_ISSUER=x", "SERVICE_OIDC_OKTA_CLIENT_SECRET=x",
		`SERVICE_OIDC_OKTA_ROLE_MAP=a b=viewer; *=viewer`)
	for _, n := range slices.Concat(v.secrets, v.config) {
		if !slices.Contains([]string{"DATABASE_URL", "REDIS_URL", "SERVICE_LOG_FORMAT"}, n) && // compose.yaml decides
			!slices.ContainsFunc(given, func(kv string) bool { return strings.HasPrefix(kv, n+"=") }) {
			given = append(given, n+"=x")
		}
	}
	p, err := compose(t, given)
	require.NoError(t, err)
	for _, kv := range given {
		name, value, _ := strings.Cut(kv, "=")
		for _, role := range []string{"api", "worker"} {
			got := p.Services[role].Environment[name]
			require.NotNil(t, got, "%s %s", role, name)
			if role == "worker" && name == "SERVICE_API_KEY" {
				value = ""
			}
			require.Equal(t, value, *got, "%s %s", role, name)
		}
		require.Len(t, p.Services["migrate"].Environment, 3)
	}
}

func TestComposeNeedsItsSecrets(t *testing.T) {
	for i, kv := range filled()[:3] {
		name, _, _ := strings.Cut(kv, "=")
		for _, without := range [][]string{slices.Delete(filled(), i, i+1), append(slices.Delete(filled(), i, i+1), name+"=")} {
			_, err := compose(t, without)
			require.ErrorContains(t, err, name)
		}
	}
}

// TestExampleHoldsNoSecret: every variable of compose.yaml is explained in
// .env.example, and none that is a secret has a value there or a default.
func TestExampleHoldsNoSecret(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("..", "compose.yaml"))
	require.NoError(t, err)
	sample, err := os.ReadFile(filepath.Join("..", ".env.example"))
	require.NoError(t, err)
	used := regexp.MustCompile(`\$\{([A-Z_0-9]+)(?::([-?])([^}]*))?\}`).FindAllStringSubmatch(string(file), -1)
	require.Greater(t, len(used), 8)
	for _, m := range used {
		require.Regexp(t, `(?m)^#?`+m[1]+`=`, string(sample))
		if slices.Contains(append(variables(t).secrets, "POSTGRES_PASSWORD"), m[1]) {
			require.True(t, m[2] == "?" || m[3] == "", "%s has a default", m[1])
			require.Regexp(t, `(?m)^#?`+m[1]+`=$`, string(sample))
		}
	}
}

func TestComposeIsConfined(t *testing.T) {
	p := loaded(t)
	require.Len(t, p.Services, 5)
	require.True(t, p.Networks["stores"].Internal)
	for name, s := range p.Services {
		require.True(t, s.ReadOnly, name)
		require.Equal(t, []string{"ALL"}, s.CapDrop, name)
		require.Empty(t, s.CapAdd, name)
		require.Equal(t, []string{"no-new-privileges:true"}, s.SecurityOpt, name)
		require.False(t, s.Privileged, name)
		require.NotEqual(t, "root", s.User, name)
		require.False(t, strings.HasPrefix(s.User, "0"), name)
		require.NotEmpty(t, s.Tmpfs, name)
		require.NotNil(t, s.HealthCheck, name)
		require.Equal(t, map[bool]string{true: "no", false: "unless-stopped"}[name == "migrate"], s.Restart, name)
		for _, port := range s.Ports {
			require.Equal(t, "127.0.0.1", port.HostIP, "%s is open to the network", name)
			require.Equal(t, "api", name)
		}
		for _, v := range s.Volumes {
			require.Equal(t, types.VolumeTypeVolume, v.Type, name)
			require.Contains(t, p.Volumes, v.Source, name)
		}
		_, outside := s.Networks["outside"]
		require.Equal(t, name == "api" || name == "worker", outside, name)
		for _, word := range append(append([]string{}, s.Command...), s.Entrypoint...) {
			for _, kv := range filled() {
				_, value, _ := strings.Cut(kv, "=")
				require.NotContains(t, word, value, "%s shows a secret among its arguments", name)
			}
		}
	}
}

// TestComposeOrder: stores, then the migration, then the service.
func TestComposeOrder(t *testing.T) {
	p := loaded(t)
	for _, name := range []string{"api", "worker"} {
		d := p.Services[name].DependsOn
		require.Equal(t, types.ServiceConditionCompletedSuccessfully, d["migrate"].Condition)
		require.Equal(t, types.ServiceConditionHealthy, d["postgres"].Condition)
		require.Equal(t, types.ServiceConditionHealthy, d["redis"].Condition)
		require.Equal(t, p.Services["migrate"].Image, p.Services[name].Image, "one image for all")
		require.Greater(t, time.Duration(*p.Services[name].StopGracePeriod), 24*time.Second, "killed before it handed its jobs back")
	}
	require.Equal(t, types.ServiceConditionHealthy, p.Services["migrate"].DependsOn["postgres"].Condition)
	require.Equal(t, 2, *p.Services["worker"].Deploy.Replicas)
	redis := strings.Join(p.Services["redis"].Command, " ")
	require.Contains(t, redis, "--appendonly yes")
	require.Contains(t, redis, "--maxmemory-policy noeviction")
}
