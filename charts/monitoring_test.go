package charts_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// told are the metrics of the service with their labels, as internal/platform/metric writes them.
func told(t *testing.T) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "metrics.json"))
	require.NoError(t, err)
	var out map[string][]string
	require.NoError(t, json.Unmarshal(raw, &out))
	require.Greater(t, len(out), 20)
	return out
}

// unknown names the metrics and labels of an expression that the service does not tell.
func unknown(t *testing.T, expression string) []string {
	t.Helper()
	e, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	require.NoError(t, err, expression)
	all, ofScrape := told(t), []string{labels.MetricName, "namespace", "instance"}
	var used, out []string
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		s, ok := n.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		if _, is := all[s.Name]; !is {
			out = append(out, s.Name)
		}
		used = append(used, all[s.Name]...)
		for _, m := range s.LabelMatchers {
			if !slices.Contains(append(ofScrape, all[s.Name]...), m.Name) {
				out = append(out, s.Name+" "+m.Name)
			}
		}
		return nil
	})
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if a, ok := n.(*parser.AggregateExpr); ok {
			for _, l := range a.Grouping {
				if !slices.Contains(append(ofScrape, used...), l) {
					out = append(out, "by "+l)
				}
			}
		}
		return nil
	})
	return out
}

func TestUnknownBites(t *testing.T) {
	require.Equal(t, []string{"edgeposture_nothing", "edgeposture_jobs colour", "by size"},
		unknown(t, `sum by (size, state) (edgeposture_nothing or edgeposture_jobs{colour="red"})`))
}

// TestAlerts reads the rules as Prometheus does. Each is about what the service tells, has a line in docs/observe.md, and
// a case in testdata/alerts.yaml in which it fires and one in which it does not (scripts/helm-check runs them).
func TestAlerts(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(chartDir, "monitoring", "rules.yaml"))
	require.NoError(t, err)
	rules, errs := rulefmt.Parse(raw, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	require.Empty(t, errs)
	page, err := os.ReadFile(filepath.Join("..", "docs", "observe.md"))
	require.NoError(t, err)
	var cases struct {
		Tests []struct {
			Cases []struct {
				Alert string `json:"alertname"`
				Fires []any  `json:"exp_alerts"`
			} `json:"alert_rule_test"`
		}
	}
	raw, err = os.ReadFile(filepath.Join("testdata", "alerts.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(raw, &cases))
	fires := map[string]map[bool]bool{}
	for _, test := range cases.Tests {
		for _, c := range test.Cases {
			if fires[c.Alert] == nil {
				fires[c.Alert] = map[bool]bool{}
			}
			fires[c.Alert][len(c.Fires) > 0] = true
		}
	}
	var names []string
	for _, r := range rules.Groups[0].Rules {
		names = append(names, r.Alert)
		require.Empty(t, unknown(t, r.Expr), r.Alert)
		require.Contains(t, []string{"critical", "warning"}, r.Labels["severity"], r.Alert)
		require.True(t, strings.HasSuffix(r.Annotations["runbook_url"], "/docs/observe.md#alerts"), r.Alert)
		require.Equal(t, map[bool]bool{true: true, false: true}, fires[r.Alert], r.Alert)
	}
	var lines []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(Edgeposture[A-Za-z]+)` \\| .{20,} \\|$").FindAllStringSubmatch(string(page), -1) {
		lines = append(lines, m[1])
	}
	require.Equal(t, names, lines, "docs/observe.md has one line for each alert, in their order")

	set := find[monitoring.PrometheusRule](t, render(t, sets(t)["extended"]), full)
	require.Equal(t, "monitoring", set.Labels["release"])
	require.Len(t, set.Spec.Groups[0].Rules, len(names))
	for i, r := range set.Spec.Groups[0].Rules {
		require.Equal(t, strings.ReplaceAll(rules.Groups[0].Rules[i].Expr, "26h", "8d"), r.Expr.StrVal)
		require.Equal(t, strings.ReplaceAll(rules.Groups[0].Rules[i].Annotations["summary"], "26h", "8d"), r.Annotations["summary"])
	}
}

// TestDashboard: Grafana's schema takes the dashboard, and every expression of every panel is one that Prometheus reads,
// about metrics that the service tells.
func TestDashboard(t *testing.T) {
	c := find[core.ConfigMap](t, render(t, sets(t)["extended"]), full+"-dashboard")
	require.Equal(t, "1", c.Labels["grafana_dashboard"], "the sidecar of Grafana would not find it")
	require.Equal(t, "Security", c.Annotations["grafana_folder"])
	type source struct{ Type, UID string }
	var d struct {
		UID, Title    string
		SchemaVersion int
		Templating    struct {
			List []struct {
				Name, Type string
				Query      any
			}
		}
		Panels []struct {
			ID                       int
			Type, Title, Description string
			Datasource               source
			GridPos                  struct{ X, Y, W, H int }
			Targets                  []struct {
				Expr, LegendFormat string
				Datasource         source
			}
		}
	}
	raw := []byte(c.Data["edgeposture.json"])
	plugins.RegisterDefaultPlugins()
	var grafana dashboard.Dashboard
	require.Empty(t, grafana.UnmarshalJSONStrict(raw), "what Grafana would not take")
	require.NoError(t, grafana.Validate())
	require.NoError(t, json.Unmarshal(raw, &d))
	require.Greater(t, len(d.Panels), 10)
	variables := map[string]bool{"__rate_interval": true}
	for _, v := range d.Templating.List {
		variables[v.Name] = true
	}
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		require.False(t, ids[p.ID], p.Title)
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				require.Less(t, x, 24, p.Title)
				require.Empty(t, taken[[2]int{x, y}], "%s lies on it", p.Title)
				taken[[2]int{x, y}] = p.Title
			}
		}
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			require.Equal(t, source{"prometheus", "${datasource}"}, target.Datasource)
			for _, m := range regexp.MustCompile(`\$(\w+)`).FindAllStringSubmatch(target.Expr, -1) {
				require.True(t, variables[m[1]], "%s asks for %s", p.Title, m[0])
			}
			require.Contains(t, target.Expr, `namespace=~"$namespace"`, p.Title)
			require.Empty(t, unknown(t, strings.ReplaceAll(target.Expr, "$__rate_interval", "5m")), p.Title)
			for _, m := range regexp.MustCompile(`{{(\w+)}}`).FindAllStringSubmatch(target.LegendFormat, -1) {
				require.Regexp(t, `by \([^)]*\b`+m[1]+`\b`, target.Expr, "%s has no label of that name", p.Title)
			}
		}
	}
}
