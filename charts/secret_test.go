package charts_test

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"
	"sigs.k8s.io/yaml"
)

// cluster answers the look-ups of a template from manifests.
type cluster struct{ client dynamic.Interface }

func (c cluster) GetClientFor(apiVersion, kind string) (dynamic.NamespaceableResourceInterface, bool, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	return c.client.Resource(gv.WithResource(strings.ToLower(kind) + "s")), true, err
}

// holding is a cluster in which the Secrets of a rendering were made.
func holding(t *testing.T, all []object) cluster {
	t.Helper()
	var made []runtime.Object
	for _, o := range all {
		if o.Kind == "Secret" && o.Meta.Annotations["helm.sh/hook"] == "" {
			u := &unstructured.Unstructured{}
			require.NoError(t, yaml.Unmarshal(o.Raw, &u.Object))
			u.SetNamespace(namespace)
			made = append(made, u)
		}
	}
	kinds := map[schema.GroupVersionResource]string{{Version: "v1", Resource: "secrets"}: "SecretList"}
	return cluster{fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, made...)}
}

func secrets(t *testing.T, all []object) map[string]map[string]string {
	t.Helper()
	out := map[string]map[string]string{}
	for name, s := range list[core.Secret](t, all) {
		out[name] = map[string]string{}
		for k, v := range s.Data {
			out[name][k] = string(v)
		}
	}
	return out
}

func TestGeneratedSecretsAreKept(t *testing.T) {
	first := render(t, "{}")
	before := secrets(t, first)
	key, err := base64.StdEncoding.DecodeString(before[full]["SERVICE_ENCRYPTION_KEY"])
	require.NoError(t, err)
	require.Len(t, key, 32)
	require.Len(t, before[full]["SERVICE_API_KEY"], 40)
	require.Contains(t, before[full]["DATABASE_URL"], before[full+"-stores"]["POSTGRES_PASSWORD"])
	require.Contains(t, before[full]["REDIS_URL"], before[full+"-stores"]["REDIS_PASSWORD"])
	for _, s := range list[core.Secret](t, first) {
		if s.Name != full+"-migrate" {
			require.Equal(t, "keep", s.Annotations["helm.sh/resource-policy"], s.Name)
		}
	}

	files, err := tryRender(t, "secrets: {values: {CLOUDFLARE_API_TOKEN: new}}", holding(t, first))
	require.NoError(t, err)
	after := secrets(t, objects(t, files))
	require.Equal(t, "new", after[full]["CLOUDFLARE_API_TOKEN"])
	delete(after[full], "CLOUDFLARE_API_TOKEN")
	require.Equal(t, before, after, "an upgrade changed a generated value")

	files, err = tryRender(t, "secrets: {values: {SERVICE_API_KEY: chosen-by-somebody}}", holding(t, first))
	require.NoError(t, err)
	require.Equal(t, "chosen-by-somebody", secrets(t, objects(t, files))[full]["SERVICE_API_KEY"])

	// Without the cluster's answer each rendering makes others: this is what is kept from happening.
	require.NotEqual(t, before[full]["SERVICE_ENCRYPTION_KEY"], secrets(t, render(t, "{}"))[full]["SERVICE_ENCRYPTION_KEY"])
}

// TestMigrationComesFirst holds what the hook needs to be there before it runs.
func TestMigrationComesFirst(t *testing.T) {
	for set, when := range map[string]string{"default": "post-install,pre-upgrade", "keda": "post-install,pre-upgrade",
		"external": "pre-install,pre-upgrade", "existing": "pre-install,pre-upgrade"} {
		t.Run(set, func(t *testing.T) {
			all := render(t, sets(t)[set])
			job := find[batch.Job](t, all, full+"-migrate")
			require.Equal(t, when, job.Annotations["helm.sh/hook"])
			require.Equal(t, []string{"migrate"}, job.Spec.Template.Spec.Containers[0].Args)
			require.Empty(t, job.Spec.Template.Spec.ServiceAccountName, "the account of the release is made after the hook")
			require.Equal(t, []string{"DATABASE_URL", "REDIS_URL", "SERVICE_ENCRYPTION_KEY"},
				slices.Sorted(maps.Keys(environment(t, all, "migrate"))))
			own, hook := secrets(t, all)[full], secrets(t, all)[full+"-migrate"]
			for k, v := range hook {
				require.Equal(t, own[k], v, "the migration gets another %s than the service", k)
			}
			for _, e := range job.Spec.Template.Spec.Containers[0].Env {
				ref := e.ValueFrom.SecretKeyRef
				require.NotEqual(t, full, ref.Name, "the Secret of the release is made after the hook")
				if ref.Name == full+"-migrate" {
					require.Contains(t, hook, ref.Key)
				}
			}
		})
	}
	require.Empty(t, list[batch.Job](t, render(t, "migration: {enabled: false}")))
}

// TestSecretsStayInSecrets plants a value for every variable that is a secret and
// looks for it in everything that is not a Secret.
func TestSecretsStayInSecrets(t *testing.T) {
	values := "postgresql: {bundled: false}\nredis: {bundled: false}\nautoscaling: {kind: keda, keda: {redis: {address: 'h:1'}}}\nsecrets: " +
		"{values: {"
	names := variables(t).secrets
	require.Len(t, names, 20)
	for _, n := range names {
		values += n + ": canary-" + n + ", "
	}
	all := render(t, values+"}}")
	found := 0
	for _, o := range all {
		for _, n := range names {
			canary := "canary-" + n
			require.NotContains(t, string(o.Raw), canary, "%s", o)
			if o.Kind == "Secret" {
				if strings.Contains(string(o.Raw), base64.StdEncoding.EncodeToString([]byte(canary))) {
					found++
				}
			} else {
				require.NotContains(t, string(o.Raw), base64.StdEncoding.EncodeToString([]byte(canary)), "%s", o)
			}
		}
	}
	require.GreaterOrEqual(t, found, len(names), "the Secret has every value")
	each(t, func(t *testing.T, _ string, all []object) {
		for _, data := range secrets(t, all) {
			for name, value := range data {
				for _, o := range all {
					if o.Kind != "Secret" {
						require.NotContains(t, string(o.Raw), value, "%s shows %s", o, name)
					}
				}
			}
		}
	})
}
