package charts_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/stretchr/testify/require"
	core "k8s.io/api/core/v1"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
)

// TestPodsAreExtended: what is set for all pods is in each, what is set for one kind is in that one, and nothing of either is
// in the stores.
func TestPodsAreExtended(t *testing.T) {
	all := render(t, sets(t)["extended"]+"\npostgresql: {bundled: true}\n")
	names := func(containers []core.Container) (out []string) {
		for _, c := range containers {
			out = append(out, c.Name)
		}
		return out
	}
	env := func(c core.Container) map[string]string {
		out := map[string]string{}
		for _, e := range c.Env {
			out[e.Name] = e.Value
		}
		return out
	}
	for name, p := range pods(t, all) {
		role := strings.TrimPrefix(name, full+"-")
		require.Equal(t, "security", p.Labels["team"], name)
		if role == "postgresql" || role == "redis" {
			require.NotContains(t, p.Labels, "cost-centre", name)
			continue
		}
		own, c := p.Spec.SecurityContext, p.Spec.Containers[0]
		require.Equal(t, "4711", p.Labels["cost-centre"], name)
		require.Equal(t, role == "api", p.Labels["tier"] == "front", name)
		require.Equal(t, "no", p.Annotations["example.com/scrape"], name)
		require.Equal(t, map[bool]string{true: "urgent", false: "standard"}[role == "api"], p.Spec.PriorityClassName)
		require.True(t, own.RunAsUser == nil && own.RunAsGroup == nil && own.FSGroup == nil, "null takes no default away")
		require.Equal(t, []int64{4000}, own.SupplementalGroups)
		require.True(t, *own.RunAsNonRoot, "a default is gone that nobody took away")
		require.Equal(t, core.SeccompProfileTypeRuntimeDefault, c.SecurityContext.SeccompProfile.Type)
		whole := role != "test" // which only asks the Service
		require.Equal(t, whole, env(c)["SSL_CERT_DIR"] == "/etc/ssl/certs:/etc/own", name)
		require.Equal(t, role == "worker", env(c)["GOMEMLIMIT"] == "1800MiB", name)
		require.Equal(t, role == "migrate", env(c)["PGAPPNAME"] == "migration", name)
		require.Equal(t, whole, len(c.EnvFrom) == 1 && c.EnvFrom[0].ConfigMapRef.Name == "proxy", name)
		require.Equal(t, whole, slices.ContainsFunc(p.Spec.Volumes, func(v core.Volume) bool { return v.Name == "authorities" }), name)
		require.Equal(t, whole, slices.ContainsFunc(c.VolumeMounts, func(m core.VolumeMount) bool {
			return m.Name == "authorities" && m.MountPath == "/etc/own" && m.ReadOnly
		}), name)
		require.Equal(t, whole, slices.Equal([]string{"wait"}, names(p.Spec.InitContainers)), name)
		require.Equal(t, map[bool][]string{true: {"api", "proxy"}, false: {role}}[role == "api"], names(p.Spec.Containers))
	}
	for _, o := range all {
		require.Equal(t, "security", o.Meta.Labels["team"], "%s", o)
	}
	taken := render(t, "commonLabels: {app.kubernetes.io/component: other}\npodLabels: {app.kubernetes.io/name: other}")
	require.Contains(t, pods(t, taken), full+"-api", "a label of one's own hides one that selectors need")
}

func TestRoute(t *testing.T) {
	all := render(t, sets(t)["extended"])
	r := find[gateway.HTTPRoute](t, all, full)
	require.Equal(t, gateway.ObjectName("public"), r.Spec.ParentRefs[0].Name)
	require.Equal(t, []gateway.Hostname{"posture.example.com"}, r.Spec.Hostnames)
	require.Equal(t, gateway.Duration("330s"), *r.Spec.Rules[0].Timeouts.Request)
	require.Equal(t, gateway.HTTPRouteFilterResponseHeaderModifier, r.Spec.Rules[0].Filters[0].Type)
	files, err := tryRender(t, sets(t)["extended"], nil)
	require.NoError(t, err)
	require.Contains(t, files["edgeposture/templates/NOTES.txt"], "https://posture.example.com/")
}

// TestHelmTest: helm test starts a pod after the release that asks the Service, and may.
func TestHelmTest(t *testing.T) {
	each(t, func(t *testing.T, _ string, all []object) {
		p := find[core.Pod](t, all, full+"-test")
		require.Equal(t, "test", p.Annotations["helm.sh/hook"])
		require.Equal(t, core.RestartPolicyNever, p.Spec.RestartPolicy)
		c := p.Spec.Containers[0]
		require.Equal(t, []string{"/usr/local/bin/edgeposture", "serve", "health"}, slices.Concat(c.Command, c.Args))
		env := environment(t, all, "test")
		require.Len(t, env, 3)
		require.Contains(t, list[core.Service](t, all), env["HOST"].Value)
		require.Equal(t, "80", env["PORT"].Value)
		require.True(t, env["SERVICE_API_KEY"].Secret, "the program reads no address that others can reach without a key")
	})
}

// TestValuesAreDescribed: the README names every value, and the schema knows every one that values.yaml has, by its own hand.
func TestValuesAreDescribed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(chartDir, "README.md"))
	require.NoError(t, err)
	raw, err := os.ReadFile(filepath.Join(chartDir, "values.schema.json"))
	require.NoError(t, err)
	var schema struct {
		Properties map[string]struct{ Properties map[string]any }
	}
	require.NoError(t, json.Unmarshal(raw, &schema))
	for name, s := range schema.Properties {
		if name == "global" {
			continue // Helm's own
		}
		require.Regexp(t, "`"+name+"[.`]", string(page), "the README says nothing of it")
		if name == "metrics" {
			for below := range s.Properties {
				require.Contains(t, string(page), below, name)
			}
		}
	}
	for _, name := range []string{"api", "worker", "migration"} {
		for key := range schema.Properties {
			if strings.HasPrefix(key, "extra") || strings.HasPrefix(key, "pod") && key != "podDisruptionBudget" || key == "initContainers" {
				require.Contains(t, schema.Properties[name].Properties, key, name)
			}
		}
	}
}

// TestTutorial runs the blocks of docs/tutorials/cluster.md as a reader would, at the root of a clone, with the helm of this
// module, which the first run builds (two to three minutes).
func TestTutorial(t *testing.T) {
	root := t.TempDir()
	// A release of Helm is told the version of Kubernetes in this way, too; without it, it takes the oldest.
	version := "-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=33 " +
		"-X helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor=33"
	out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags", version, "-o", filepath.Join(root, "bin", "helm"),
		"helm.sh/helm/v3/cmd/helm").CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.CopyFS(filepath.Join(root, "charts", chartDir), os.DirFS(chartDir)))
	page, err := os.ReadFile(filepath.Join("..", "docs", "tutorials", "cluster.md"))
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```sh chart\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 2)
	for _, b := range blocks {
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", b[1]) //nolint:gosec // the commands of our own page
		cmd.Dir = root
		cmd.Env = []string{"PATH=" + filepath.Join(root, "bin") + ":" + os.Getenv("PATH"), "HOME=" + root}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", b[1], out)
	}
	manifests, err := os.ReadFile(filepath.Join(root, "manifests.yaml"))
	require.NoError(t, err)
	all := objects(t, map[string]string{"manifests.yaml": string(manifests)})
	require.Len(t, list[monitoring.ServiceMonitor](t, all), 1)
	for _, role := range []string{"api", "worker", "migrate"} {
		for name, v := range environment(t, all, role) {
			require.NotEmpty(t, v.Value, "%s of %s", name, role)
		}
	}
	require.Empty(t, list[core.Secret](t, all), "the page says that the secrets are one's own")
}
