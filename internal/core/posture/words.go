package posture

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Words holds the texts of a finding. They are templates: {name} and {id} are the name and the id
// of the resource, {zone} and {zone_id} those of its zone, {account_id} is the account. The zero
// value has no texts. Words are comparable, so that the findings of a run can share them.
type Words struct {
	Problem   string `json:"problem,omitempty"`   // the title of the finding: the resource and what is wrong with it
	Impact    string `json:"impact,omitempty"`    // what it enables an attacker to do
	Breaks    string `json:"breaks,omitempty"`    // what the fix may break
	Dashboard string `json:"dashboard,omitempty"` // where in Cloudflare's dashboard, and what to select there
	Call      Call   `json:"call,omitzero"`
	Terraform string `json:"terraform,omitempty"` // a resource of Cloudflare's provider, version 5
	// ByHand is set when the check's call and Terraform do not close this verdict.
	ByHand bool `json:"byHand,omitempty"`
}

// Call is the request to Cloudflare's API that closes a finding. Placeholders are escaped for their
// context. Values that only a person can know are written {$LIKE_THIS} and described in Choose.
type Call struct {
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Body   string `json:"body,omitempty"` // JSON; with From, a jq program that turns the answer of From into the body
	From   string `json:"from,omitempty"` // path that is read first
	Choose string `json:"choose,omitempty"`
}

// Place is where a step is carried out.
type Place string

// The places of a step.
const (
	InDashboard Place = "dashboard"
	ByAPI       Place = "api"
	ByTerraform Place = "terraform"
)

// Step is one way to close a finding.
type Step struct {
	Where Place  `json:"where" enum:"dashboard,api,terraform"`
	Text  string `json:"text"`
	Call  string `json:"call,omitempty" doc:"Method and path of the request to Cloudflare's API."`
	Code  string `json:"code,omitempty" doc:"To copy: HCL, or a command for a shell with CLOUDFLARE_API_TOKEN (curl, and jq to edit)."`
}

// Shared returns a pointer for findings to share, or nil when there are no texts.
func (w *Words) Shared() *Words {
	if *w == (Words{}) {
		return nil
	}
	return w
}

// Or fills the empty texts of w from other.
func (w Words) Or(other Words) Words {
	for _, s := range []struct{ to, from *string }{{&w.Problem, &other.Problem}, {&w.Impact, &other.Impact}, {&w.Breaks, &other.Breaks},
		{&w.Dashboard, &other.Dashboard}} {
		if *s.to == "" {
			*s.to = *s.from
		}
	}
	if w.ByHand {
		return w
	}
	w.Terraform = cmp.Or(w.Terraform, other.Terraform)
	w.Call = cmp.Or(w.Call, other.Call)
	return w
}

// Of replaces {account_id} in the texts.
func (w Words) Of(accountID string) Words {
	for _, s := range []*string{&w.Problem, &w.Impact, &w.Breaks, &w.Dashboard, &w.Terraform, &w.Call.Path, &w.Call.From, &w.Call.Body} {
		*s = strings.ReplaceAll(*s, "{account_id}", accountID)
	}
	return w
}

// About replaces the placeholders of a text with the values of a resource.
func About(text string, r Resource) string {
	return filled(text, r, func(s string) string { return s })
}

// Title returns Problem for a resource. A name of several words, which people chose, is quoted; a list
// of hostnames is not.
func (w Words) Title(r Resource) string {
	return filled(w.Problem, r, func(s string) string {
		if strings.Contains(s, " ") && !strings.Contains(s, ", ") {
			return "“" + s + "”"
		}
		return s
	})
}

// Copied reports whether one of the steps can be copied: a call or Terraform.
func (w Words) Copied() bool { return w.Call.Method != "" || w.Terraform != "" }

// Steps returns the ways to close the finding on a resource, in the order dashboard, API,
// Terraform, as far as they exist.
func (w Words) Steps(r Resource) []Step {
	steps := []Step{}
	if w.Dashboard != "" {
		steps = append(steps, Step{Where: InDashboard, Text: About(w.Dashboard, r)})
	}
	if c := w.Call; c.Method != "" {
		text := "Send this request."
		if c.Choose != "" {
			text = "Fill in what only you know, then send this request."
		}
		steps = append(steps, Step{Where: ByAPI, Text: text, Call: c.Method + " " + filled(c.Path, r, url.PathEscape), Code: c.shell(r)})
	}
	if w.Terraform != "" {
		end := r.labelled()
		own := Words{Terraform: w.ending(end), Call: w.Call}
		steps = append(steps, Step{Where: ByTerraform, Text: own.configure(r), Code: filled(own.Terraform, r, hclText) + own.variables(end)})
	}
	return steps
}

// labelled is what tells the Terraform about this resource from that about another one: the name of a zone, which people know, or the
// id. An account needs nothing, as a configuration is of one.
func (r Resource) labelled() string {
	text := r.ID
	if r.Type == ResourceZone {
		text = strings.ReplaceAll(r.Name, "-", "__") // a-b.example is not a.b.example
	}
	if r.Type == ResourceAccount || text == "" {
		return ""
	}
	return "_" + strings.Map(func(c rune) rune {
		if c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
			return unicode.ToLower(c)
		}
		return '_'
	}, text)
}

// ending ends the names of resources and variables of the Terraform, so that one configuration can hold it for many resources.
func (w Words) ending(end string) string {
	parts := strings.Split(w.Terraform, "var.")
	for i, rest := range parts[1:] {
		name := variable(rest)
		parts[i+1] = name + end + rest[len(name):]
	}
	code := strings.Join(parts, "var.")
	for line := range strings.Lines(w.Terraform) {
		if kind, label, is := block(line); is {
			code = strings.NewReplacer(kind+`" "`+label+`"`, kind+`" "`+label+end+`"`, kind+"."+label+".", kind+"."+label+end+".").Replace(code)
		}
	}
	return code
}

// block is the kind and the name of the resource that a line begins.
func block(line string) (kind, name string, is bool) {
	rest, is := strings.CutPrefix(line, `resource "`)
	kind, rest, _ = strings.Cut(rest, `" "`)
	name, _, _ = strings.Cut(rest, `"`)
	return kind, name, is
}

// variable is the name that a text begins with.
func variable(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLower(r) && !unicode.IsDigit(r) }); end >= 0 {
		return text[:end]
	}
	return text
}

// configure says how to use the Terraform.
func (w Words) configure(r Resource) string {
	const set = "Set this in the configuration of the Cloudflare provider (version 5)."
	for line := range strings.Lines(w.Terraform) {
		resource, name, is := block(line)
		kind := strings.TrimPrefix(resource, "cloudflare_")
		switch {
		case !is || slices.Contains(merged(), kind):
		case strings.HasPrefix(name, "successor"):
			return set + " It makes a new one beside what exists. Do not import an old one, which would be replaced at once or stay as it " +
				"is; delete it once nothing uses it."
		case slices.Contains(notImported(), kind):
			return set + " What exists cannot be imported: the block replaces it as a whole or is refused, so name all that is " +
				"set already."
		default:
			with := "terraform plan -generate-config-out=FILE"
			if id := w.imported(kind, r); id != "" && strings.Count(w.Terraform, `"`+resource+`"`) == 1 {
				with = "an import block to " + resource + "." + name + ` with the id "` + id + `", before this block is there, and ` + with
			}
			return set + " If it exists already, import it first with all its settings (" + with + "): " +
				"applied alone, the block may replace it, add a second one or be refused."
		}
	}
	return set
}

// notImported are resources that the provider has no import for (Import in its reference).
func notImported() []string {
	return []string{"queue_consumer", "r2_bucket_cors", "r2_bucket_lifecycle", "r2_bucket_lock", "r2_custom_domain",
		"zero_trust_device_settings"}
}

// merged are resources that can be applied alone: the provider changes what they name of something that every zone, account or
// bucket has and nothing else, or adds what does no harm to what is there.
func merged() []string {
	return []string{"account_dns_settings", "content_scanning", "email_routing_catch_all", "hostname_tls_setting",
		"leaked_credential_check", "notification_policy", "r2_managed_domain", "registrar_domain", "universal_ssl_setting",
		"url_normalization_settings", "workers_script_subdomain", "zone_dnssec", "zone_setting"}
}

// collections are where Cloudflare's API has what is imported by the id of its account or zone and its own, a slash between; with a
// star, the provider wants to be told which of the two it is. Settings have no id of their own.
func collections() map[string]string {
	return map[string]string{
		"access_rule": "*firewall/access_rules/rules/", "bot_management": "", "dns_record": "dns_records/",
		"hyperdrive_config": "hyperdrive/configs/", "managed_transforms": "", "pages_project": "pages/projects/",
		"ruleset": "*rulesets/", "turnstile_widget": "challenges/widgets/", "worker": "workers/workers/",
		"workers_script": "workers/scripts/", "zero_trust_access_ai_controls_mcp_server": "access/ai-controls/mcp/servers/",
		"zero_trust_access_application": "*access/apps/", "zero_trust_access_identity_provider": "*access/identity_providers/",
		"zero_trust_access_policy": "access/policies/", "zero_trust_access_service_token": "*access/service_tokens/",
		"zero_trust_device_default_profile": "", "zero_trust_device_default_profile_local_domain_fallback": "",
		"zero_trust_dlp_settings": "", "zero_trust_dns_location": "gateway/locations/", "zero_trust_gateway_logging": "",
		"zero_trust_gateway_policy": "gateway/rules/", "zero_trust_gateway_proxy_endpoint": "gateway/proxy_endpoints/",
		"zero_trust_gateway_settings": "", "zero_trust_organization": "", "zero_trust_tunnel_cloudflared_config": "cfd_tunnel/",
		"zero_trust_tunnel_cloudflared_route": "teamnet/routes/", "zone": "", "zone_hold": "",
	}
}

// imported is the id under which the provider imports what the call of the finding changes; "" when it makes something new.
func (w Words) imported(kind string, r Resource) string {
	collection, known := collections()[kind]
	at := strings.SplitN(filled(w.Call.Path, r, url.PathEscape), "/", 4) // "", accounts or zones, its id, the rest
	if !known || len(at) < 3 || strings.EqualFold(w.Call.Method, "post") {
		return ""
	}
	path, starred := strings.CutPrefix(collection, "*")
	id := at[2]
	if starred {
		id = at[1] + "/" + id
	}
	if path == "" {
		return id
	}
	rest, is := strings.CutPrefix(strings.Join(at[3:], ""), path)
	own, _, _ := strings.Cut(rest, "/")
	if !is || own == "" || own == "phases" {
		return ""
	}
	return id + "/" + own
}

// variables declares what the Terraform leaves to a person, as Choose describes it, so that Terraform asks for it.
func (w Words) variables(end string) (declared string) {
	for _, rest := range strings.Split(w.Terraform, "var.")[1:] {
		name := variable(rest)
		if strings.Contains(declared, `"`+name+`"`) {
			continue
		}
		declared += "\n\nvariable \"" + name + "\" {"
		for line := range strings.Lines(w.Call.Choose) {
			if chosen, what, _ := strings.Cut(strings.TrimSpace(line), ": "); strings.EqualFold(chosen+end, name) {
				declared += "\n  description = \"" + hclText(what) + "\"\n"
			}
		}
		declared += "}"
	}
	return declared
}

// API is the base address for the commands made from a Call.
const API = "https://api.cloudflare.com/client/v4"

// shell writes the call as a POSIX shell command. Templates are quoted before names are filled in,
// so that a name can never be executed.
func (c Call) shell(r Resource) string {
	var b strings.Builder
	for line := range strings.Lines(c.Choose) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		b.WriteString(name + "=''  # " + what + "\n")
	}
	const header = " \\\n  -H \"Authorization: Bearer $CLOUDFLARE_API_TOKEN\""
	address := func(path string) string {
		return filled(word(API+path), r, func(s string) string { return quoted(url.PathEscape(s)) })
	}
	body := c.Body
	if c.From != "" {
		body = "input | if .success then " + body + " else error(.errors) end"
	}
	body = filled(word(body), r, func(s string) string { return quoted(jsonText(s)) })
	send := "curl -sS --fail-with-body -X " + c.Method + " " + address(c.Path) + header
	switch {
	case c.From != "": // a body made from an answer that failed would replace what is there, and a pipe does not stop for that
		b.WriteString("live=$(curl -sS --fail-with-body " + address(c.From) + header + ") &&\n" +
			"body=$(printf '%s\\n' \"$live\" |\n  jq -n " + body + ") &&\n" +
			"printf '%s\\n' \"$body\" |\n  " + send + " \\\n  -H 'Content-Type: application/json' --data @-")
	case c.Body != "":
		b.WriteString(send + " \\\n  -H 'Content-Type: application/json' --data " + body)
	default:
		b.WriteString(send)
	}
	return b.String()
}

// jsonText escapes a text for a JSON string, which is also a jq string.
func jsonText(s string) string {
	text, err := json.Marshal(s)
	if err != nil { // marshalling a string never fails
		return ""
	}
	return string(text[1 : len(text)-1])
}

// quoted escapes a text for a single-quoted shell word.
func quoted(s string) string { return strings.ReplaceAll(s, "'", `'\''`) }

// word quotes a template for a shell, except for the names in {$...}, which the shell expands.
func word(template string) string {
	out := "'" + quoted(template) + "'"
	for {
		before, rest, found := strings.Cut(out, "{$")
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return out
		}
		out = before + `'"$` + name + `"'` + after
	}
}

// filled replaces the placeholders in one pass, so that no value is read as a template.
func filled(text string, r Resource, escape func(string) string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		if !found && b.Len() == 0 {
			return text
		}
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if value, known := r.placeholder(name); known && closed {
			b.WriteString(escape(value))
			text = after
		} else {
			b.WriteByte('{')
			text = rest
		}
	}
}

// placeholder returns the value of a placeholder.
func (r Resource) placeholder(name string) (string, bool) {
	switch {
	case name == "name", name == "zone" && r.Type == ResourceZone:
		return r.Name, true
	case name == "id", name == "zone_id" && r.Type == ResourceZone:
		return r.ID, true
	case name == "zone":
		return r.Zone, true
	case name == "zone_id":
		return r.ZoneID, true
	default:
		return "", false
	}
}

// hclText escapes a text for a quoted template of HCL
// (https://developer.hashicorp.com/terraform/language/expressions/strings).
func hclText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "${", "$${", "%{", "%%{").Replace(s)
}
