package assess

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/require"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// tfRequests are the requests that version 5.24 of the provider makes of a resource, as it sent them to the simulation. Attributes
// that the path names are not part of the body. A ruleset is changed by its id after an import, which is the same as by its phase.
var tfRequests = map[string]string{ //nolint:gochecknoglobals // a table of this test
	"cloudflare_account_dns_settings":              "PATCH /accounts/{account_id}/dns_settings",
	"cloudflare_bot_management":                    "PUT /zones/{zone_id}/bot_management",
	"cloudflare_dns_record":                        "POST /zones/{zone_id}/dns_records",
	"cloudflare_email_routing_catch_all":           "PUT /zones/{zone_id}/email/routing/rules/catch_all",
	"cloudflare_hostname_tls_setting":              "PUT /zones/{zone_id}/hostnames/settings/{setting_id}/{hostname}",
	"cloudflare_leaked_credential_check":           "POST /zones/{zone_id}/leaked-credential-checks",
	"cloudflare_notification_policy":               "POST /accounts/{account_id}/alerting/v3/policies",
	"cloudflare_r2_bucket_cors":                    "PUT /accounts/{account_id}/r2/buckets/{bucket_name}/cors",
	"cloudflare_r2_managed_domain":                 "PUT /accounts/{account_id}/r2/buckets/{bucket_name}/domains/managed",
	"cloudflare_ruleset":                           "PUT /zones/{zone_id}/rulesets/phases/{phase}/entrypoint",
	"cloudflare_universal_ssl_setting":             "PATCH /zones/{zone_id}/ssl/universal/settings",
	"cloudflare_url_normalization_settings":        "PUT /zones/{zone_id}/url_normalization",
	"cloudflare_workers_script_subdomain":          "POST /accounts/{account_id}/workers/scripts/{script_name}/subdomain",
	"cloudflare_zero_trust_access_application":     "POST /accounts/{account_id}/access/apps",
	"cloudflare_zero_trust_device_default_profile": "PATCH /accounts/{account_id}/devices/policy",
	"cloudflare_zero_trust_gateway_logging":        "PUT /accounts/{account_id}/gateway/logging",
	"cloudflare_zero_trust_gateway_policy":         "POST /accounts/{account_id}/gateway/rules",
	"cloudflare_zone_dnssec":                       "PATCH /zones/{zone_id}/dnssec",
	"cloudflare_zone_setting":                      "PATCH /zones/{zone_id}/settings/{setting_id}",
}

// blocksLeft names the findings whose Terraform does not close every planted case, with the reason.
var blocksLeft = map[string]string{ //nolint:gochecknoglobals // a table of this test
	"CFL-DNS-001/disabled":         "DNSSEC stays pending until the registrar publishes the DS record",
	"CFL-DNS-001/pending-disabled": "DNSSEC stays pending until the registrar publishes the DS record",
	"CFL-EMAIL-011/no-dmarc":       "the SPF record is right and has to be imported",
	"CFL-EMAIL-011/no-spf":         "the DMARC record is right and has to be imported",
	"CFL-SSL-014/default":          "cipher suites can be chosen only with Advanced Certificate Manager, which the planted zone lacks",
}

// TestSweepTerraformClosesItsFindings makes, for each planted case, the requests that the provider makes of the Terraform a person
// would copy, after the import it asks for: the finding is gone afterwards. Left out are blocks of resources that the table does not
// have, and those that ask for what has no example.
func TestSweepTerraformClosesItsFindings(t *testing.T) {
	t.Parallel()
	all := func(check.Check) bool { return true }
	closePlanted(t, all, blocksLeft, func(w *workshop, f posture.Finding) bool {
		calls := w.blockCalls(f)
		for _, c := range calls {
			w.somebody(c)
		}
		return len(calls) > 0
	})
}

// blockCalls are the requests that the provider makes of the Terraform of a finding, none when they cannot be told.
func (w *workshop) blockCalls(f posture.Finding) (calls []change.Call) {
	w.t.Helper()
	at := slices.IndexFunc(f.Steps, func(s posture.Step) bool { return s.Where == posture.ByTerraform })
	if at < 0 || f.Result != posture.Fail && f.Result != posture.Warning {
		return nil
	}
	code := f.Steps[at].Code
	declared := regexp.MustCompile(`variable "(\w+)" \{(?:\n  description = ".* \(such as (.*)\)"\n)?\}`)
	for _, v := range declared.FindAllStringSubmatch(code, -1) {
		if v[2] == "" {
			return nil
		}
		code = strings.NewReplacer("${var."+v[1]+"}", v[2], "var."+v[1], `"`+v[2]+`"`).Replace(code)
	}
	file, diags := hclsyntax.ParseConfig([]byte(code), "block.tf", hcl.InitialPos)
	require.False(w.t, diags.HasErrors(), "%s\n%s", diags, code)
	for _, b := range file.Body.(*hclsyntax.Body).Blocks {
		if b.Type != "resource" {
			continue
		}
		request, known := tfRequests[b.Labels[0]]
		if !known {
			return nil
		}
		body := map[string]any{}
		for name, a := range b.Body.Attributes {
			body[name] = w.literal(a.Expr)
		}
		if body["account_id"] != nil {
			request = strings.Replace(request, "/zones/{zone_id}", "/accounts/{account_id}", 1)
		}
		method, path, _ := strings.Cut(request, " ")
		for name, v := range body {
			if text, is := v.(string); is && strings.Contains(path, "{"+name+"}") || name == "account_id" || name == "zone_id" {
				path = strings.ReplaceAll(path, "{"+name+"}", text)
				delete(body, name)
			}
		}
		if method == http.MethodPost && !strings.Contains(f.Steps[at].Text, "import") {
			calls = append(calls, change.Call{Method: method, Path: path, Body: change.Encode(body)})
			continue
		}
		switch f.Resource.Type {
		case posture.ResourceDNSRecord, posture.ResourceRule, posture.ResourceAccessApp: // what exists, imported
			if method == http.MethodPost {
				live := w.at(path + "/" + f.Resource.ID).(map[string]any)
				maps.Copy(live, body)
				method, path, body = http.MethodPut, path+"/"+f.Resource.ID, live
			}
		}
		calls = append(calls, change.Call{Method: method, Path: path, Body: change.Encode(body)})
	}
	return calls
}

// literal is the value of an expression without variables, as JSON.
func (w *workshop) literal(e hclsyntax.Expression) (out any) {
	w.t.Helper()
	value, diags := e.Value(nil)
	require.False(w.t, diags.HasErrors(), "%s", diags)
	raw, err := ctyjson.Marshal(value, value.Type())
	require.NoError(w.t, err)
	require.NoError(w.t, json.Unmarshal(raw, &out))
	return out
}
