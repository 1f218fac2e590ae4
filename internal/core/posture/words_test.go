package posture

import (
	"encoding/json"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/require"
	"github.com/zclconf/go-cty/cty"
)

// hostile are names that somebody else chose, to be copied into a shell, a JSON body, a jq program and HCL.
func hostile() []string {
	return []string{"www.shop.example", "it's", `"; rm -rf ~; "`, "$(touch /tmp/x)", "`id`", `\(env)`, "${file(\"/etc/passwd\")}",
		"%{ if true }",
		"a\nb", "{id}", "{$HOME}", "-d @/etc/passwd", "../../user/tokens", "?x=1#y", "ünï", "\\'", "'{$PATH}'"}
}

// TestNamesStayDataInCommands runs the command of a step in a shell whose curl and jq print what they are given.
func TestNamesStayDataInCommands(t *testing.T) {
	simple := Call{Method: "PATCH", Path: "/zones/{zone_id}/x/{name}", Body: `{"name": "{name}", "group": "{$GROUP}"}`,
		Choose: "GROUP: the group of your administrators (such as g1)"}
	edit := Call{Method: "PUT", Path: "/zones/{zone_id}/y", From: "/zones/{zone_id}/x/{name}", Body: `.result | .name = "{name}"`}
	for _, name := range hostile() {
		r := Resource{Type: ResourceRule, ID: "id", Name: name, ZoneID: "z", Zone: "shop.example"}
		steps := Words{Call: simple}.Steps(r)
		require.Len(t, steps, 1)
		require.NotContains(t, steps[0].Call, "\n")
		code := strings.Replace(steps[0].Code, "GROUP=''", "GROUP=g1", 1)
		args := given(t, code)
		require.Equal(t, "curl", args[0])
		require.Contains(t, args, API+"/zones/z/x/"+url.PathEscape(name))
		var body struct{ Name, Group string }
		require.NoError(t, json.Unmarshal([]byte(args[len(args)-1]), &body), "%q", args)
		require.Equal(t, name, body.Name)
		require.Equal(t, "g1", body.Group)

		args = given(t, Words{Call: edit}.Steps(r)[0].Code)
		program := args[len(args)-1]
		run := exec.Command("jq", "-n", program)
		run.Stdin = strings.NewReader(`{"success":true,"result":{}}`)
		out, err := run.Output()
		require.NoError(t, err, "%q", program)
		require.NoError(t, json.Unmarshal(out, &body))
		require.Equal(t, name, body.Name)
	}
}

// TestWhatCannotBeReadIsNotReplaced runs, in two shells, a command that edits a list of rules, while the read of the list fails.
func TestWhatCannotBeReadIsNotReplaced(t *testing.T) {
	code := Words{Call: Call{Method: "PUT", Path: "/zones/{zone_id}/rules", From: "/zones/{zone_id}/rules",
		Body: `{rules: ([{action: "block"}] + .result.rules)}`}}.Steps(Resource{ZoneID: "z"})[0].Code
	for answer, sends := range map[string]bool{
		`{"success":true,"result":{"rules":[{"action":"log","expression":"a\\nb"}]}}; return 0`: true,
		`{"success":false,"errors":[{"code":971}],"result":null}; return 22`:                    false,
		`{"success":false,"errors":[{"code":971}],"result":null}; return 0`:                     false,
		`<html>; return 22`: false, `; return 7`: false, `; return 0`: false,
	} {
		text, status, _ := strings.Cut(answer, "; return ")
		for _, shell := range []string{"sh", "bash"} {
			run := exec.Command(shell, "-c", `curl() { case "$*" in *PUT*) cat;; *) printf '%s' "$ANSWER"; return "$STATUS";; esac; }`+"\n"+code)
			run.Env = append(run.Environ(), "ANSWER="+text, "STATUS="+status)
			sent, err := run.Output()
			if !sends {
				require.Error(t, err, "%s after %s", shell, answer)
				require.Empty(t, string(sent), "%s sends this after %s", shell, answer)
				continue
			}
			require.NoError(t, err)
			require.JSONEq(t, `{"rules":[{"action":"block"},{"action":"log","expression":"a\\nb"}]}`, string(sent))
		}
	}
}

// given runs a command and returns the words that its first program, and jq if there is one, were given.
func given(t *testing.T, code string) []string {
	t.Helper()
	const spies = `curl() { [ -n "$said" ] || printf 'curl\0'; said=1; printf '%s\0' "$@" >&3; }
`
	script := spies + "exec 3>&1 4>&1\n" + code
	if strings.Contains(code, "\n  jq -n ") { // only jq is of interest
		script = "curl() { cat > /dev/null; }\njq() { cat > /dev/null; printf '%s\\0' \"$2\" >&4; }\nexec 4>&1\n" + code
	}
	out, err := exec.Command("bash", "-euo", "pipefail", "-c", "said=; CLOUDFLARE_API_TOKEN=t\n"+script).CombinedOutput()
	require.NoError(t, err, "%s\n%s", code, out)
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func TestNamesStayDataInTerraform(t *testing.T) {
	for _, name := range hostile() {
		code := Words{Terraform: `name = "{name}"`}.Steps(Resource{Name: name})[0].Code
		f, diags := hclsyntax.ParseConfig([]byte(code), "x.tf", hcl.InitialPos)
		require.False(t, diags.HasErrors(), "%s", code)
		value, diags := f.Body.(*hclsyntax.Body).Attributes["name"].Expr.Value(nil)
		require.False(t, diags.HasErrors(), "%s", code)
		require.Equal(t, name, value.AsString())
	}
}

// TestTerraformAsksForWhatItLeavesOpen: a block is complete as it is copied, and says when it must not be applied alone.
func TestTerraformAsksForWhatItLeavesOpen(t *testing.T) {
	w := Words{Terraform: `resource "cloudflare_zone_setting" "x" {
  value = "${var.mail_domain} ${var.mail_domain}"
  other = var.key
}`,
		Call: Call{Method: "PUT", Choose: "OTHER: another\nMAIL_DOMAIN: the ${domain} \"of mail\" (such as corp.example)"}}
	step := w.Steps(Resource{})[1]
	require.NotContains(t, step.Text, "import")
	f, diags := hclsyntax.ParseConfig([]byte(step.Code), "x.tf", hcl.InitialPos)
	require.False(t, diags.HasErrors(), "%s", step.Code)
	said := map[string]string{}
	for _, b := range f.Body.(*hclsyntax.Body).Blocks[1:] {
		require.Equal(t, "variable", b.Type)
		said[b.Labels[0]] = ""
		for _, a := range b.Body.Attributes {
			value, diags := a.Expr.Value(nil)
			require.False(t, diags.HasErrors())
			said[b.Labels[0]] = value.AsString()
		}
	}
	require.Equal(t, map[string]string{"mail_domain": "the ${domain} \"of mail\" (such as corp.example)", "key": ""}, said)
	require.Len(t, f.Body.(*hclsyntax.Body).Blocks, 3, "each variable is declared once")
}

// TestTerraformSaysWhatToDoWithWhatExists: the provider merges some resources, replaces others, and cannot import some.
func TestTerraformSaysWhatToDoWithWhatExists(t *testing.T) {
	const imported, replaced, added = "import it first", "name all that is set already", "Do not import"
	for block, want := range map[string]string{
		`resource "cloudflare_zone_setting" "x" {`:                                                 "",
		"# all rules\nresource \"cloudflare_ruleset\" \"x\" {":                                     imported,
		"resource \"cloudflare_zone_setting\" \"x\" {\n}\nresource \"cloudflare_ruleset\" \"y\" {": imported,
		`resource "cloudflare_bot_management" "x" {`:                                               imported, // resets is_robots_txt_managed
		`resource "cloudflare_zone_hold" "x" {`:                                                    imported,
		`resource "cloudflare_r2_bucket_lock" "x" {`:                                               replaced,
		`resource "cloudflare_zero_trust_access_service_token" "token" {`:                          imported,
		`resource "cloudflare_zero_trust_access_service_token" "successor" {`:                      added,
	} {
		text := Words{Terraform: block}.Steps(Resource{})[0].Text
		for _, said := range []string{imported, replaced, added} {
			require.Equal(t, said == want, strings.Contains(text, said), "%s: %s", block, text)
		}
	}
}

// TestTerraformSaysUnderWhichIDItIsImported: the ids are those of the import section of each page of the provider's reference.
func TestTerraformSaysUnderWhichIDItIsImported(t *testing.T) {
	zone := Resource{Type: ResourceZone, ID: "z1", Name: "shop.example"}
	of := func(kind ResourceType) Resource {
		return Resource{Type: kind, ID: "r-1", Name: "n", ZoneID: "z1", Zone: "shop.example"}
	}
	for _, c := range []struct {
		kind, path string
		about      Resource
		want       string
	}{
		{"dns_record", "/zones/{zone_id}/dns_records/{id}", of(ResourceDNSRecord), `cloudflare_dns_record.x_r_1 with the id "z1/r-1"`},
		{"dns_record", "/zones/{zone_id}/dns_records", zone, ""}, // makes a new one
		{"bot_management", "/zones/{zone_id}/bot_management", zone, `cloudflare_bot_management.x_shop_example with the id "z1"`},
		{"zero_trust_access_application", "/accounts/a/access/apps/{id}", of(ResourceAccessApp), `with the id "accounts/a/r-1"`},
		{"zero_trust_access_policy", "/accounts/a/access/policies/{id}", of(ResourceAccessPolicy), `with the id "a/r-1"`},
		{"zero_trust_access_policy", "/accounts/a/access/apps/b/policies/{id}", of(ResourceAccessPolicy), ""}, // of one application
		{"ruleset", "/zones/{zone_id}/rulesets/s/rules/{id}", of(ResourceRule), `with the id "zones/z1/s"`},
		{"ruleset", "/zones/{zone_id}/rulesets/phases/p/entrypoint", of(ResourceRule), ""},
		{"zero_trust_tunnel_cloudflared_config", "/accounts/a/cfd_tunnel/{id}/configurations", of(ResourceTunnel), `with the id "a/r-1"`},
		{"zone_hold", "POST /zones/{zone_id}/hold", zone, ""},                                          // there is none yet
		{"zone_setting", "/zones/{zone_id}/settings/ssl", zone, ""},                                    // applied alone
		{"list", "/accounts/a/rules/lists/l/items", Resource{Type: ResourceAccount, ID: "a"}, ""},      // not a call on the list itself
		{"zero_trust_organization", "", Resource{Type: ResourceAccount, ID: "a", Name: "Example"}, ""}, // no call
	} {
		method, path, said := strings.Cut(c.path, " ")
		if !said {
			method, path = "PUT", c.path
		}
		w := Words{Terraform: `resource "cloudflare_` + c.kind + `" "x" {`, Call: Call{Method: method, Path: path}}
		steps := w.Steps(c.about)
		text := steps[len(steps)-1].Text
		require.Contains(t, text, c.want, "%s %s", c.kind, c.path)
		require.Equal(t, c.want != "", strings.Contains(text, "with the id"), "%s %s: %s", c.kind, c.path, text)
	}
	pair := Words{Terraform: "resource \"cloudflare_dns_record\" \"a\" {\n}\nresource \"cloudflare_dns_record\" \"b\" {\n}",
		Call: Call{Method: "PUT", Path: "/zones/z1/dns_records/{id}"}}
	require.NotContains(t, pair.Steps(of(ResourceDNSRecord))[1].Text, "with the id", "which of the two it is cannot be told")
}

// TestTerraformOfManyResourcesFitsOneConfiguration: names of resources and variables are those of one finding only.
func TestTerraformOfManyResourcesFitsOneConfiguration(t *testing.T) {
	w := Words{Terraform: `resource "cloudflare_list" "key" {
  name = var.name
}

resource "cloudflare_ruleset" "x" {
  id   = cloudflare_list.key.id
  name = "{name} ${var.name_of}"
}`, Call: Call{Method: "PUT", Choose: "NAME: what to call it"}}
	seen := map[string]bool{}
	for _, r := range []Resource{
		{Type: ResourceZone, ID: "1", Name: "a-b.example"}, {Type: ResourceZone, ID: "2", Name: "a.b.example"},
		{Type: ResourceZone, ID: "3", Name: "1-2.example"}, {Type: ResourceRule, ID: "q1", Name: "var.name ${x} \"❤\"\n%{if}"},
		{Type: ResourceRule, ID: "q2", Name: "var.name"}, {Type: ResourceAccount, ID: "a", Name: "Example"},
	} {
		code := w.Steps(r)[1].Code
		f, diags := hclsyntax.ParseConfig([]byte(code), "x.tf", hcl.InitialPos)
		require.False(t, diags.HasErrors(), "%s", code)
		blocks := f.Body.(*hclsyntax.Body).Blocks
		require.Len(t, blocks, 4)
		for _, b := range blocks {
			name := b.Type + "." + strings.Join(b.Labels, ".")
			require.False(t, seen[name], name)
			require.True(t, hclsyntax.ValidIdentifier(b.Labels[len(b.Labels)-1]), name)
			seen[name] = true
		}
		require.Contains(t, code, "= cloudflare_list."+blocks[0].Labels[1]+".id\n")
		names := hcl.EvalContext{Variables: map[string]cty.Value{"var": cty.ObjectVal(map[string]cty.Value{
			blocks[2].Labels[0]: cty.StringVal("one"), blocks[3].Labels[0]: cty.StringVal("two")})}}
		value, diags := blocks[1].Body.Attributes["name"].Expr.Value(&names)
		require.False(t, diags.HasErrors(), "%s %s", diags, code)
		require.Equal(t, r.Name+" two", value.AsString())
		require.Contains(t, code, `description = "what to call it"`)
	}
}

func TestOnlyWhatIsWrongHasWords(t *testing.T) {
	w := &Words{Problem: "{name} of {zone} is open", Impact: "Anyone in.", Breaks: "Nothing.", Dashboard: "A › {name}"}
	f := Finding{CheckTitle: "All is closed", Words: w, Resource: Resource{Type: ResourceRule, Name: "r", Zone: "z.example"}}
	for result, title := range map[Result]string{Fail: "r of z.example is open", Warning: "r of z.example is open", Pass: "All is closed",
		Unknown: "All is closed", NotApplicable: "All is closed"} {
		f.Result = result
		got := f.Worded()
		require.Equal(t, title, got.Title)
		require.Equal(t, got.Titled(), got.Impact != "" && len(got.Steps) == 1)
	}
	require.Equal(t, Words{Problem: "P", Impact: "Anyone in.", Breaks: "Nothing.", Dashboard: "A › {name}"}, Words{Problem: "P"}.Or(*w))
	call := Words{Call: Call{Method: "PUT"}, Terraform: "x"}
	require.Equal(t, call, Words{}.Or(call))
	require.Equal(t, Words{ByHand: true}, Words{ByHand: true}.Or(call))
	require.Equal(t, "/accounts/a/x", Words{Call: Call{Path: "/accounts/{account_id}/x"}}.Of("a").Call.Path)
}
