package charts_test

import (
	"errors"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/stretchr/testify/require"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	machinery "k8s.io/apimachinery/pkg/apis/meta/v1"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// kinds gives an empty value of the type that the API server reads a manifest
// into, by apiVersion and kind.
func kinds() map[string]func() any {
	return map[string]func() any{
		"v1 Secret": func() any { return new(core.Secret) }, "v1 ConfigMap": func() any { return new(core.ConfigMap) },
		"v1 Service": func() any { return new(core.Service) }, "v1 ServiceAccount": func() any { return new(core.ServiceAccount) },
		"v1 PersistentVolumeClaim":                func() any { return new(core.PersistentVolumeClaim) },
		"apps/v1 Deployment":                      func() any { return new(apps.Deployment) },
		"apps/v1 StatefulSet":                     func() any { return new(apps.StatefulSet) },
		"batch/v1 Job":                            func() any { return new(batch.Job) },
		"policy/v1 PodDisruptionBudget":           func() any { return new(policy.PodDisruptionBudget) },
		"networking.k8s.io/v1 Ingress":            func() any { return new(networking.Ingress) },
		"networking.k8s.io/v1 NetworkPolicy":      func() any { return new(networking.NetworkPolicy) },
		"autoscaling/v2 HorizontalPodAutoscaler":  func() any { return new(autoscaling.HorizontalPodAutoscaler) },
		"monitoring.coreos.com/v1 ServiceMonitor": func() any { return new(monitoring.ServiceMonitor) },
		"monitoring.coreos.com/v1 PrometheusRule": func() any { return new(monitoring.PrometheusRule) },
		"gateway.networking.k8s.io/v1 HTTPRoute":  func() any { return new(gateway.HTTPRoute) },
		"v1 Pod":                                  func() any { return new(core.Pod) },
		"keda.sh/v1alpha1 ScaledObject":           func() any { return new(scaledObject) },
		"keda.sh/v1alpha1 TriggerAuthentication":  func() any { return new(triggerAuthentication) },
	}
}

// scaledObject and triggerAuthentication are the parts of KEDA's objects that the
// chart may use, after https://keda.sh/docs/2.18/reference/scaledobject-spec/ and
// https://keda.sh/docs/2.18/concepts/authentication/. KEDA's own module needs a
// whole controller to be compiled.
type scaledObject struct {
	machinery.TypeMeta   `json:",inline"`
	machinery.ObjectMeta `json:"metadata"`
	Spec                 struct {
		ScaleTargetRef  reference `json:"scaleTargetRef"`
		MinReplicaCount int32     `json:"minReplicaCount"`
		MaxReplicaCount int32     `json:"maxReplicaCount"`
		PollingInterval int32     `json:"pollingInterval"`
		CooldownPeriod  int32     `json:"cooldownPeriod"`
		Fallback        struct {
			FailureThreshold int32 `json:"failureThreshold"`
			Replicas         int32 `json:"replicas"`
		} `json:"fallback"`
		Triggers []struct {
			Type              string            `json:"type"`
			Metadata          map[string]string `json:"metadata"` // KEDA takes texts only
			AuthenticationRef *reference        `json:"authenticationRef"`
		} `json:"triggers"`
	} `json:"spec"`
}

type reference struct {
	Name string `json:"name"`
}

type triggerAuthentication struct {
	machinery.TypeMeta   `json:",inline"`
	machinery.ObjectMeta `json:"metadata"`
	Spec                 struct {
		SecretTargetRef []struct {
			Parameter string `json:"parameter"`
			Name      string `json:"name"`
			Key       string `json:"key"`
		} `json:"secretTargetRef"`
	} `json:"spec"`
}

// decode reads a manifest into its type; a field that the type does not have, or
// that comes twice, is an error.
func decode(t *testing.T, o object) any {
	t.Helper()
	var head machinery.TypeMeta
	require.NoError(t, yaml.Unmarshal(o.Raw, &head))
	make, known := kinds()[head.APIVersion+" "+head.Kind]
	require.True(t, known, "%s of %q is no kind that the tests know", o, head.APIVersion)
	into := make()
	require.NoError(t, strict(o.Raw, into), "%s\n%s", o, o.Raw)
	return into
}

// strict is the API server's own reading with strict field validation: it minds
// the case of names, unknown names, and those that come twice.
func strict(doc []byte, into any) error {
	raw, err := yaml.YAMLToJSONStrict(doc)
	if err != nil {
		return err
	}
	unknown, err := json.UnmarshalStrict(raw, into)
	return errors.Join(append(unknown, err)...)
}

func TestEveryManifestIsItsType(t *testing.T) {
	seen := map[string]bool{}
	each(t, func(t *testing.T, _ string, all []object) {
		names := map[string]bool{}
		for _, o := range all {
			decode(t, o)
			require.False(t, names[o.String()], "%s is there twice", o)
			names[o.String()] = true
			var head machinery.TypeMeta
			require.NoError(t, yaml.Unmarshal(o.Raw, &head))
			seen[head.APIVersion+" "+head.Kind] = true
		}
		require.GreaterOrEqual(t, len(all), 9)
	})
	for kind := range kinds() {
		require.True(t, seen[kind], "no value set renders a %s", kind)
	}
}

// TestStrictnessBites shows that the decoder refuses what it is there to find.
func TestStrictnessBites(t *testing.T) {
	for _, doc := range []string{
		"apiVersion: apps/v1\nkind: Deployment\nspec: {replica: 1}",
		"apiVersion: v1\nkind: Service\nspec: {ports: [{port: 1, targetport: http}]}",
		"apiVersion: v1\nkind: Service\nspec: {type: ClusterIP, type: NodePort}",
		"apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nspec: {triggers: [{type: redis, metadata: {listLength: 4}}]}",
	} {
		var head machinery.TypeMeta
		require.NoError(t, yaml.Unmarshal([]byte(doc), &head))
		require.Error(t, strict([]byte(doc), kinds()[head.APIVersion+" "+head.Kind]()), doc)
	}
}

// find gives the only manifest of a kind and name.
func find[T any](t *testing.T, all []object, name string) *T {
	t.Helper()
	got := list[T](t, all)
	require.Contains(t, got, name)
	return got[name]
}

// list gives the manifests of a type by name.
func list[T any](t *testing.T, all []object) map[string]*T {
	t.Helper()
	out := map[string]*T{}
	for _, o := range all {
		if v, ok := decode(t, o).(*T); ok {
			out[o.Name] = v
		}
	}
	return out
}
