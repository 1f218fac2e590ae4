package checktest

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// provider reads what Cloudflare's Terraform provider takes: attributes by resource, required ones with a star
// and "!import" where the provider cannot import it (tools/terraformfacts wrote it from the reference of version 5.24).
var provider = sync.OnceValues(func() (map[string][]string, error) {
	raw, err := os.ReadFile("testdata/terraform.txt")
	out := map[string][]string{}
	for line := range strings.Lines(string(raw)) {
		words := strings.Fields(line)
		out[words[0]] = words[1:]
	}
	return out, err
})

// free are attributes whose value may be any object, and the variables of a Pages project, which have the names people give them.
func free(path string) bool {
	return path == "cloudflare_zone_setting value" || strings.HasPrefix(path, "cloudflare_zone_setting value.") ||
		strings.HasPrefix(path, "cloudflare_pages_project ") && strings.Contains(path, ".env_vars.")
}

// terraform holds a snippet against the reference of the provider. What only a person knows is a variable: an alert to a made-up
// mailbox would close its finding, and a rule for a made-up domain keep everyone out.
func terraform(t *testing.T, where string, w posture.Words) {
	require.NotRegexp(t, `example|@shop|203\.0\.113\.|192\.0\.2\.|2001:db8|[0-9a-f]{8}-[0-9a-f]{4}-`, w.Terraform, where)
	published, err := provider()
	require.NoError(t, err)
	hostile := posture.Resource{Type: posture.ResourceRule, ID: "id", Name: "n\"${x}\\", ZoneID: "z", Zone: "zone.example"}
	steps := w.Steps(hostile)
	step := steps[len(steps)-1]
	if strings.Contains(w.Terraform, `"cloudflare_ruleset"`) {
		require.Regexp(t, `(?m)^  name +=  ?"default"$`, w.Terraform, "%s: with another name the provider deletes what is there", where)
	}
	require.Equal(t, string(hclwrite.Format([]byte(step.Code))), step.Code, "%s: terraform fmt", where)
	for resource, attributes := range resources(t, step.Code) {
		require.Contains(t, published, resource, where)
		imports := !slices.Contains(published[resource], "!import") ||
			resource == "cloudflare_zero_trust_organization" // its page says no, the provider does
		require.False(t, strings.Contains(step.Text, "import it first") && !imports, "%s: %s cannot be imported", where, resource)
		require.False(t, strings.Contains(step.Text, "cannot be imported") && imports, "%s: %s can be imported", where, resource)
		for _, a := range attributes {
			require.True(t, free(resource+" "+a) || slices.Contains(published[resource], a) || slices.Contains(published[resource], a+"*"),
				"%s: %s has no attribute %s", where, resource, a)
		}
		for _, p := range published[resource] {
			path, required := strings.CutSuffix(p, "*")
			within := path[:strings.LastIndexByte(path, '.')+1] // "" for the resource itself
			if required && !free(resource+" "+path) &&
				slices.ContainsFunc(attributes, func(a string) bool { return strings.HasPrefix(a, within) }) {
				require.Contains(t, attributes, path, "%s: %s needs %s", where, resource, path)
			}
		}
		require.Equal(t, slices.Contains(attributes, "content_file"), slices.Contains(attributes, "content_sha256"),
			"%s: the provider takes one only with the other", where)
	}
}

// resources parses a snippet as HCL and returns its resources: by type, the paths of the attributes
// that are set.
func resources(t *testing.T, code string) map[string][]string {
	t.Helper()
	f, diags := hclsyntax.ParseConfig([]byte(code), "snippet.tf", hcl.InitialPos)
	require.False(t, diags.HasErrors(), "%s\n%s", diags, code)
	body, ok := f.Body.(*hclsyntax.Body)
	require.True(t, ok)
	out := map[string][]string{}
	for _, b := range body.Blocks {
		if b.Type == "resource" {
			require.Len(t, b.Labels, 2, code)
			require.Empty(t, b.Body.Blocks, "version 5 of the provider has attributes where there were blocks: %s", code)
			out[b.Labels[0]] = append(out[b.Labels[0]], attributes("", b.Body.Attributes)...)
		}
	}
	require.NotEmpty(t, out, "no resource in %s", code)
	return out
}

func attributes(prefix string, all hclsyntax.Attributes) (out []string) {
	for name, a := range all {
		out = append(out, prefix+name)
		out = append(out, members(prefix+name+".", a.Expr)...)
	}
	return out
}

// members lists the attributes inside objects and lists of objects.
func members(prefix string, e hclsyntax.Expression) (out []string) {
	switch e := e.(type) {
	case *hclsyntax.ObjectConsExpr:
		for _, item := range e.Items {
			name := hcl.ExprAsKeyword(item.KeyExpr)
			if name == "" { // the key of a map, which users choose
				out = append(out, members(prefix, item.ValueExpr)...)
				continue
			}
			out = append(out, prefix+name)
			out = append(out, members(prefix+name+".", item.ValueExpr)...)
		}
	case *hclsyntax.TupleConsExpr:
		for _, x := range e.Exprs {
			out = append(out, members(prefix, x)...)
		}
	}
	return out
}
