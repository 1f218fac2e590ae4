package charts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	machinery "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
)

// pods gives the pod template of everything that makes pods, by name, and holds
// that it selects what it makes.
func pods(t *testing.T, all []object) map[string]core.PodTemplateSpec {
	t.Helper()
	out := map[string]core.PodTemplateSpec{}
	for name, d := range list[apps.Deployment](t, all) {
		require.True(t, matches(t, d.Spec.Selector, d.Spec.Template.Labels), name)
		out[name] = d.Spec.Template
	}
	for name, s := range list[apps.StatefulSet](t, all) {
		require.True(t, matches(t, s.Spec.Selector, s.Spec.Template.Labels), name)
		require.Contains(t, list[core.Service](t, all), s.Spec.ServiceName)
		out[name] = s.Spec.Template
	}
	for name, j := range list[batch.Job](t, all) {
		out[name] = j.Spec.Template
	}
	for name, p := range list[core.Pod](t, all) {
		out[name] = core.PodTemplateSpec{ObjectMeta: p.ObjectMeta, Spec: p.Spec}
	}
	return out
}

func matches(t *testing.T, selector *machinery.LabelSelector, of map[string]string) bool {
	t.Helper()
	s, err := machinery.LabelSelectorAsSelector(selector)
	require.NoError(t, err)
	require.False(t, s.Empty(), "a selector that matches every pod")
	return s.Matches(labels.Set(of))
}

func TestPodsAreConfined(t *testing.T) {
	each(t, func(t *testing.T, set string, all []object) {
		for name, p := range pods(t, all) {
			require.False(t, *p.Spec.AutomountServiceAccountToken, name)
			s := p.Spec.SecurityContext
			require.True(t, *s.RunAsNonRoot, name)
			if own := strings.HasSuffix(name, "-postgresql") || strings.HasSuffix(name, "-redis"); set != "extended" || own {
				require.Positive(t, *s.RunAsUser, name)
				require.Positive(t, *s.RunAsGroup, name)
				require.Empty(t, p.Spec.InitContainers, name)
				require.Len(t, p.Spec.Containers, 1, name)
				require.Empty(t, p.Spec.Containers[0].EnvFrom, "%s takes more of a Secret than it needs", name)
			}
			require.Equal(t, core.SeccompProfileTypeRuntimeDefault, s.SeccompProfile.Type, name)
			require.False(t, p.Spec.HostNetwork || p.Spec.HostPID || p.Spec.HostIPC, name)
			for _, v := range p.Spec.Volumes {
				require.Nil(t, v.HostPath, name)
			}
			mounted := map[string]bool{}
			for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
				require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem, name)
				require.True(t, *c.SecurityContext.RunAsNonRoot, name)
				require.False(t, *c.SecurityContext.AllowPrivilegeEscalation, name)
				require.Equal(t, []core.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop, name)
				require.Nil(t, c.SecurityContext.RunAsUser, name)
				require.False(t, c.Resources.Requests.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero(),
					name)
				for _, m := range c.VolumeMounts {
					mounted[m.Name] = true
				}
			}
			for _, v := range p.Spec.Volumes {
				require.True(t, mounted[v.Name], "%s does not mount its volume %s", name, v.Name)
			}
		}
	})
}

func TestProbes(t *testing.T) {
	each(t, func(t *testing.T, _ string, all []object) {
		deployments := list[apps.Deployment](t, all)
		require.Len(t, deployments, 2)
		api := deployments[full+"-api"].Spec.Template.Spec.Containers[0]
		require.Equal(t, "/healthz", api.LivenessProbe.HTTPGet.Path)
		require.Equal(t, "/healthz", api.StartupProbe.HTTPGet.Path)
		require.Equal(t, "/readyz", api.ReadinessProbe.HTTPGet.Path)
		worker := deployments[full+"-worker"].Spec.Template.Spec.Containers[0]
		require.Equal(t, []string{"/usr/local/bin/edgeposture", "worker", "health"}, worker.ReadinessProbe.Exec.Command)
		require.Nil(t, worker.LivenessProbe, "a worker must not start anew because Redis is away")
		for name, s := range list[apps.StatefulSet](t, all) {
			require.NotNil(t, s.Spec.Template.Spec.Containers[0].ReadinessProbe, name)
			require.NotNil(t, s.Spec.Template.Spec.Containers[0].LivenessProbe, name)
		}
		for name, d := range deployments {
			require.Greater(t, *d.Spec.Template.Spec.TerminationGracePeriodSeconds, int64(24+5), "%s is killed before it handed its jobs back", name)
		}
	})
}

// TestPortsMeet follows every port by name from who asks to who listens.
func TestPortsMeet(t *testing.T) {
	each(t, func(t *testing.T, set string, all []object) {
		services := list[core.Service](t, all)
		for name, s := range services {
			targets := 0
			for _, p := range pods(t, all) {
				if labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(p.Labels)) {
					targets++
					for _, port := range s.Spec.Ports {
						require.Contains(t, listening(p), port.TargetPort.StrVal, "%s in %s", name, set)
					}
				}
			}
			require.Equal(t, 1, targets, "%s finds not exactly one kind of pod", name)
		}
		for name, i := range list[networking.Ingress](t, all) {
			require.NotEmpty(t, i.Spec.Rules)
			for _, r := range i.Spec.Rules {
				b := r.HTTP.Paths[0].Backend.Service
				require.Contains(t, services, b.Name, name)
				require.Equal(t, services[b.Name].Spec.Ports[0].Name, b.Port.Name)
			}
		}
		for name, r := range list[gateway.HTTPRoute](t, all) {
			for _, b := range r.Spec.Rules[0].BackendRefs {
				require.Contains(t, services, string(b.Name), name)
				require.Equal(t, services[string(b.Name)].Spec.Ports[0].Port, *b.Port)
			}
		}
		for name, p := range pods(t, all) {
			for _, c := range p.Spec.Containers {
				for _, probe := range []*core.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
					if probe != nil && probe.HTTPGet != nil {
						require.Contains(t, listening(p), probe.HTTPGet.Port.StrVal, name)
					}
					if probe != nil && probe.TCPSocket != nil {
						require.Contains(t, listening(p), probe.TCPSocket.Port.StrVal, name)
					}
				}
			}
		}
		api := find[apps.Deployment](t, all, full+"-api").Spec.Template
		require.Equal(t, "8080", environment(t, all, "api")["PORT"].Value)
		require.EqualValues(t, 8080, listening(api)["http"])
	})
}

func listening(p core.PodTemplateSpec) map[string]int32 {
	out := map[string]int32{}
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			out[port.Name] = port.ContainerPort
		}
	}
	return out
}

// TestBudgetsAndScalers: each is about one kind of pod, and who scales decides alone.
func TestBudgetsAndScalers(t *testing.T) {
	each(t, func(t *testing.T, set string, all []object) {
		for name, b := range list[policy.PodDisruptionBudget](t, all) {
			require.True(t, matches(t, b.Spec.Selector, pods(t, all)[name].Labels), name)
			require.Nil(t, b.Spec.MinAvailable, "a single pod could never be moved")
		}
		worker := find[apps.Deployment](t, all, full+"-worker")
		scalers := 0
		for _, h := range list[autoscaling.HorizontalPodAutoscaler](t, all) {
			scalers++
			require.Equal(t, worker.Name, h.Spec.ScaleTargetRef.Name)
			require.Equal(t, worker.Kind, h.Spec.ScaleTargetRef.Kind)
		}
		for _, s := range list[scaledObject](t, all) {
			scalers++
			require.Equal(t, worker.Name, s.Spec.ScaleTargetRef.Name)
			for _, trigger := range s.Spec.Triggers {
				if trigger.AuthenticationRef != nil {
					auth := find[triggerAuthentication](t, all, trigger.AuthenticationRef.Name)
					for _, ref := range auth.Spec.SecretTargetRef {
						require.Contains(t, secrets(t, all)[ref.Name], ref.Key)
					}
				}
			}
		}
		require.Equal(t, scalers == 0, worker.Spec.Replicas != nil, "replicas in the Deployment would undo the scaler in %s", set)
		require.LessOrEqual(t, scalers, 1)
	})
	s := find[scaledObject](t, render(t, sets(t)["keda"]), full+"-worker")
	require.Len(t, s.Spec.Triggers, 3)
	require.Equal(t, map[string]string{"address": full + "-redis.audit.svc:6379", "listName": "asynq:{interactive}:pending",
		"listLength": "4", "enableTLS": "false"}, s.Spec.Triggers[0].Metadata)
}

// TestNetworkPolicies asks the policies, as a cluster would, who may talk to whom.
func TestNetworkPolicies(t *testing.T) {
	all := render(t, "{}")
	policies := list[networking.NetworkPolicy](t, all)
	made := pods(t, all)
	delete(made, full+"-test") // nobody's policy: it asks the Service once
	require.ElementsMatch(t, slices.Collect(maps.Keys(made)), slices.Collect(maps.Keys(policies)), "a pod without a policy")
	for name, p := range policies {
		require.True(t, matches(t, &p.Spec.PodSelector, made[name].Labels), name)
		require.Len(t, p.Spec.PolicyTypes, 2, name)
		for other, pod := range made {
			require.Equal(t, name == other, matches(t, &p.Spec.PodSelector, pod.Labels), "%s governs %s", name, other)
		}
	}
	talks := map[string]bool{}
	for from, a := range made {
		for to, b := range made {
			if from != to && reaches(t, policies[from].Spec.Egress, b) && admits(t, policies[to].Spec.Ingress, a) {
				talks[strings.TrimPrefix(from, full+"-")+" to "+strings.TrimPrefix(to, full+"-")] = true
			}
		}
	}
	require.Equal(t, []string{"api to postgresql", "api to redis", "migrate to postgresql", "worker to postgresql", "worker to redis"},
		slices.Sorted(maps.Keys(talks)))
}

// reaches: some rule with peers inside the cluster names the pod on one of its ports.
func reaches(t *testing.T, rules []networking.NetworkPolicyEgressRule, to core.PodTemplateSpec) bool {
	for _, r := range rules {
		for _, peer := range r.To {
			if matches(t, peer.PodSelector, to.Labels) && slices.Contains(slices.Collect(maps.Values(listening(to))), r.Ports[0].Port.IntVal) {
				return true
			}
		}
	}
	return false
}

func admits(t *testing.T, rules []networking.NetworkPolicyIngressRule, from core.PodTemplateSpec) bool {
	for _, r := range rules {
		for _, peer := range r.From {
			if matches(t, peer.PodSelector, from.Labels) {
				return true
			}
		}
	}
	return false
}
