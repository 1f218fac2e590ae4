// Package charts_test holds the chart, compose.yaml and the Dockerfile against
// the types and rules of those who read them: Helm, Kubernetes, Compose,
// BuildKit. It is a module of its own, so that the service does not depend on them.
package charts_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"helm.sh/helm/v3/pkg/releaseutil"
	"sigs.k8s.io/yaml"
)

const (
	chartDir  = "edgeposture"
	release   = "posture"
	namespace = "audit"
	full      = "posture-edgeposture"
)

func update() bool { f := flag.Lookup("update"); return f != nil && f.Value.String() == "true" }

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the golden files")
	flag.Parse()
	os.Exit(m.Run())
}

func capabilities(t *testing.T) *chartutil.Capabilities {
	t.Helper()
	v, err := chartutil.ParseKubeVersion("v1.33.0")
	require.NoError(t, err)
	return &chartutil.Capabilities{KubeVersion: *v, APIVersions: chartutil.DefaultVersionSet}
}

// tryRender renders the chart with values (YAML) as Helm does: schema first, then
// the templates. cluster answers look-ups; nil is a rendering without a cluster.
func tryRender(t *testing.T, values string, cluster engine.ClientProvider) (map[string]string, error) {
	t.Helper()
	c, err := loader.Load(chartDir)
	require.NoError(t, err)
	given := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(values), &given))
	all, err := chartutil.ToRenderValues(c, given, chartutil.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1,
		IsInstall: true}, capabilities(t))
	if err != nil {
		return nil, err
	}
	if cluster == nil {
		return engine.Render(c, all)
	}
	return engine.RenderWithClientProvider(c, all, cluster)
}

// object is one rendered manifest.
type object struct {
	Kind, Name string
	Meta       meta
	Raw        []byte
}

type meta struct {
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func objects(t *testing.T, files map[string]string) []object {
	t.Helper()
	var out []object
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, doc := range releaseutil.SplitManifests(files[name]) {
			var head struct {
				Kind     string `json:"kind"`
				Metadata meta   `json:"metadata"`
			}
			require.NoError(t, yaml.Unmarshal([]byte(doc), &head), "%s\n%s", name, doc)
			if head.Kind != "" {
				out = append(out, object{head.Kind, head.Metadata.Name, head.Metadata, []byte(doc)})
			}
		}
	}
	return out
}

func render(t *testing.T, values string) []object {
	t.Helper()
	files, err := tryRender(t, values, nil)
	require.NoError(t, err)
	return objects(t, files)
}

// sets are the value sets of ci/, and some of single values.
func sets(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(chartDir, "ci", "*-values.yaml"))
	require.NoError(t, err)
	require.Len(t, paths, 6)
	out := map[string]string{"metrics": "metrics: {enabled: true, serviceMonitor: {enabled: true, labels: {release: " +
		"monitoring}}}\nautoscaling: {kind: hpa, hpa: {metric: external, external: {name: jobs_waiting, selector: {queue: all}}}}\n",
		"waiting": "autoscaling: {kind: keda, keda: {trigger: postgresql}}\n",
		"asked": "autoscaling: {kind: keda, keda: {trigger: prometheus, prometheus: {serverAddress: 'http://prometheus:9090', query: " +
			"sum(jobs)}}}\n"}
	for _, p := range paths {
		raw, err := os.ReadFile(p)
		require.NoError(t, err)
		out[strings.TrimSuffix(filepath.Base(p), "-values.yaml")] = string(raw)
	}
	return out
}

func each(t *testing.T, test func(t *testing.T, set string, all []object)) {
	t.Helper()
	for set, values := range sets(t) {
		t.Run(set, func(t *testing.T) { test(t, set, render(t, values)) })
	}
}

func TestLint(t *testing.T) {
	for set, values := range sets(t) {
		t.Run(set, func(t *testing.T) {
			given := map[string]any{}
			require.NoError(t, yaml.Unmarshal([]byte(values), &given))
			k := capabilities(t).KubeVersion
			for _, m := range lint.AllWithKubeVersion(chartDir, given, namespace, &k).Messages {
				require.Less(t, m.Severity, support.WarningSev, m.Error())
			}
		})
	}
}

// TestRefusals: what cannot work is one sentence before anything is made.
func TestRefusals(t *testing.T) {
	for values, want := range map[string]string{
		"postgresql: {bundled: false}": "set secrets.existingSecret, " +
			"secrets.from.DATABASE_URL or secrets.values.DATABASE_URL",
		"redis: {bundled: false}":                                                          "set secrets.existingSecret, secrets.from.REDIS_URL",
		"secrets: {values: {DATABASE_URL: x}}":                                             "set postgresql.bundled to false",
		"secrets: {from: {REDIS_URL: {name: x}}}":                                          "set redis.bundled to false",
		"api: {replicas: 2}":                                                               "set data.existingClaim or data.create",
		"autoscaling: {kind: hpa, minReplicas: 9}":                                         "autoscaling.minReplicas is above",
		"autoscaling: {kind: hpa, hpa: {metric: external}}":                                "name the metric",
		"autoscaling: {kind: keda, keda: {trigger: prometheus}}":                           "serverAddress or query is empty",
		"autoscaling: {kind: keda}\nredis: {bundled: false}\nsecrets: {existingSecret: x}": "set autoscaling.keda.redis.address",
		"ingress: {enabled: true}":                                                         "name a host",
		"httpRoute: {enabled: true}":                                                       "name the Gateway",
		"sidecars: {name: x}":                                                              "sidecars",
		"worker: {podSecurity: {}}":                                                        "podSecurity",
		"migration: {sidecars: [{name: x}]}":                                               "sidecars",
		"metrics: {prometheusRule: {assessedWithin: soon}}":                                "assessedWithin",
		"secrets: {existingSecret: x, values: {SERVICE_API_KEY: mine}}":                    "set one of them",
		"config: {SERVICE_API_KEY: x}":                                                     "SERVICE_API_KEY", // a secret among what is no secret
		"config: {SERVICE_OIDC_OKTA_CLIENT_SECRET: x}":                                     "SERVICE_OIDC_OKTA_CLIENT_SECRET",
		"config: {SERVICE_OIDC_OKTA_ISSUR: x}":                                             "SERVICE_OIDC_OKTA_ISSUR",
		"secrets: {values: {SERVICE_OIDC_OKTA_ISSUER: x}}":                                 "SERVICE_OIDC_OKTA_ISSUER",
		"config: {TYPO: x}":                                                                "TYPO",
		"secrets: {values: {TYPO: x}}":                                                     "TYPO",
		"workers: {replicas: 3}":                                                           "workers",
		"worker: {concurrency: 0}":                                                         "concurrency",
		"image: {digest: latest}":                                                          "digest",
		"redis: {maxmemory: much}":                                                         "maxmemory",
	} {
		t.Run(values, func(t *testing.T) {
			_, err := tryRender(t, values, nil)
			require.ErrorContains(t, err, want)
		})
	}
}

func TestNotes(t *testing.T) {
	for values, want := range map[string][]string{
		"{}": {"port-forward service/" + full + " 8080:80", "get secret " + full, `index .data "SERVICE_API_KEY"`, "No shared data directory",
			"Bundled stores"},
		"secrets: {existingSecret: mine, from: {SERVICE_API_KEY: {name: theirs, key: k}}}": {"get secret theirs", `index .data "k"`},
		"data: {create: true}\ningress: {enabled: true, hosts: [{host: a.example}]}":       {"http://a.example/"},
	} {
		files, err := tryRender(t, values, nil)
		require.NoError(t, err)
		for _, w := range want {
			require.Contains(t, files["edgeposture/templates/NOTES.txt"], w, values)
		}
	}
	files, err := tryRender(t, "data: {create: true}", nil)
	require.NoError(t, err)
	require.NotContains(t, files["edgeposture/templates/NOTES.txt"], "No shared data directory")
}

func TestNumbersStayNumbers(t *testing.T) {
	all := render(t, "config: {CLOUDFLARE_REQUESTS_PER_5M: 1000000, SERVICE_ALLOW_REMEDIATION: true}")
	env := environment(t, all, "api")
	require.Equal(t, "1000000", env["CLOUDFLARE_REQUESTS_PER_5M"].Value)
	require.Equal(t, "true", env["SERVICE_ALLOW_REMEDIATION"].Value)
}

func (o object) String() string { return fmt.Sprintf("%s %s", o.Kind, o.Name) }
