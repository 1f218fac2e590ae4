package waf

import (
	"encoding/json"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// uploads judges whether uploaded files are scanned and the result is used.
func uploads() check.Check {
	custom := snapshot.ZonePhaseCustom
	return check.Check{
		ID: "CFL-WAF-025", Title: "Uploads are scanned",
		Category: "waf", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Plans: []string{"enterprise"},
		Why: "A file upload is a common way to place malware on a server or to hand malware to other users. Cloudflare " +
			"can scan uploads, and a rule can act on the result.",
		Fix: "Turn on the detection of malicious uploads, then add a custom rule that blocks requests with a malicious " +
			"object.",
		Words: posture.Words{
			Problem: "Uploads to {zone} are not scanned",
			Impact:  "Anyone who may upload can store malware for your staff or your customers to open.",
			Breaks:  "Nothing while uploads are only scanned; a rule that blocks may refuse a harmless file at times.",
			Dashboard: "Security › Settings › Malicious uploads: On. Then Security › Security rules › Create rule › Custom rules: " +
				"block when Has malicious content object is true.",
			Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/content-upload-scan/enable"},
			Terraform: `resource "cloudflare_content_scanning" "zone" {
  zone_id = "{zone_id}"
  value   = "enabled"
}`},
		References: []string{"https://developers.cloudflare.com/waf/"},
		Controls: check.Controls{
			check.Supports("cis 10.1", "Uploads are scanned for malware before the application has them."),
			check.Supports("cis 13.10", "Malicious uploads are filtered at the application layer."),
			check.Supports("soc2 CC6.8", "Malicious software in uploads is found and stopped."),
			check.Supports("pci 5.2.1", "Uploads are scanned; systems need protection of their own as well."),
			check.Supports("pci 6.4.2", "Uploads of malware are one of the attacks to be stopped."),
			check.Supports("nist PR.PS-05", "Software from strangers does not come in unscanned."),
		},
		Aliases: []string{"union:malicious-uploads"},
		Remedy: &propose.Remedy{Operation: "POST /zones/{zone_id}/content-upload-scan/enable", Risk: "low", Reversible: true,
			Body:    "none",
			Inverse: "POST /zones/{zone_id}/content-upload-scan/disable",
			Caution: "Only detects; the blocking rule is a separate decision.",
			Propose: proposeScan},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZoneContentScan, custom, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.FirewallNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			switch value := check.Read(v, snapshot.ZoneContentScan).Value; value {
			case "disabled":
				return v.Fail("The detection of malicious uploads is off for "+v.Zone().Name+".",
					check.Evidence(snapshot.ZoneContentScan, "/value", value, "enabled"))
			case "enabled":
			default:
				return v.Unknown("the content scan has a state this check does not know: " + value)
			}
			switch usesOf(v, maliciousUpload, traffic.CustomRules).acts {
			case truth.Yes:
				return v.Pass("Malicious uploads are acted on.")
			case truth.No:
				return v.Warn("Uploads to "+v.Zone().Name+" are scanned, but no rule acts on the result.",
					check.Evidence(custom, "/rules", "no enabled rule that acts on malicious uploads", "one")).
					As(blockUploads(check.Read(v, snapshot.ZoneRulesets)))
			}
			return undecided(v, firewall(v, traffic.CustomRules), "a custom rule could not be read, so whether one acts on malicious "+
				"uploads is not known")
		},
	}
}

func uploadsExamples() []goodtest.Example {
	scan := func(value string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneContentScan, goodtest.Zone, snapshot.ContentScan{Value: value})
		}
	}
	custom := snapshot.ZonePhaseCustom
	malicious := "cf.waf.content_scan.has_malicious_obj"
	return []goodtest.Example{
		{Name: "scanned and blocked", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "not scanned", Want: posture.Fail, Resource: goodtest.Zone, Edit: scan("disabled")},
		{Name: "scanned, no rule", Want: posture.Warning, Resource: goodtest.Zone, Edit: zoneRules(custom, rule("x", "block", "ssl"))},
		{Name: "scanned, the rule only logs", Want: posture.Warning, Edit: zoneRules(custom, rule("x", "log", malicious))},
		{Name: "scanned, the rule is off", Want: posture.Warning, Edit: zoneRules(custom, goodtest.Off(rule("x", "block", malicious)))},
		{Name: "the number of malicious files is read", Want: posture.Pass,
			Edit: zoneRules(custom, rule("x", "block", "cf.waf.content_scan.num_malicious_obj gt 0"))},
		{Name: "uploads without malicious files are blocked", Want: posture.Warning,
			Edit: zoneRules(custom, rule("x", "block", "cf.waf.content_scan.num_malicious_obj eq 0"))},
		{Name: "the number of malicious files is not 0", Want: posture.Pass,
			Edit: zoneRules(custom, rule("x", "block", "not cf.waf.content_scan.num_malicious_obj lt 1"))},
		{Name: "the verdict on each file is read", Want: posture.Pass,
			Edit: zoneRules(custom, rule("x", "block", `any(cf.waf.content_scan.obj_results[*] eq "infected")`))},
		{Name: "only the number of files is read", Want: posture.Warning,
			Edit: zoneRules(custom, rule("x", "block", "cf.waf.content_scan.num_obj gt 3"))},
		{Name: "an action nobody knows", Want: posture.Unknown, Edit: zoneRules(custom, rule("x", "odd", malicious))},
		{Name: "an action nobody knows, for something else", Want: posture.Pass,
			Edit: zoneRules(custom, rule("x", "odd", `http.request.uri.path eq "/odd"`), rule("y", "block", malicious))},
		{Name: "an expression nobody can read", Want: posture.Unknown, Edit: zoneRules(custom, rule("x", "block", "odd("+malicious))},
		{Name: "scanned, a rule of the account blocks", Want: posture.Pass, Edit: goodtest.Edits(zoneRules(custom),
			accountPhase(snapshot.AccountPhaseCustom, rule("x", "block", malicious)))},
		{Name: "scanned, a rule for a host of another zone", Want: posture.Warning,
			Edit: zoneRules(custom, rule("x", "block", malicious+` and http.host eq "other.example"`))},
		{Name: "scanned, and the account is not readable", Want: posture.Unknown,
			Edit: goodtest.Edits(zoneRules(custom), goodtest.Denied(snapshot.AccountPhaseCustom))},
		{Name: "a state nobody knows", Want: posture.Unknown, Edit: scan("half")},
		{Name: "below enterprise", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "business" })},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(scan("disabled"), goodtest.NotProxied())},
	}
}

// blockUploads returns the words for uploads that are scanned but not blocked by a rule.
func blockUploads(rulesets []snapshot.RulesetInfo) posture.Words {
	const block = `{"action": "block", "description": "Block malicious uploads", "expression": "cf.waf.content_scan.has_malicious_obj"}`
	w := posture.Words{ByHand: true, Problem: "Malicious uploads to {zone} are detected but not stopped",
		Breaks:    "Uploads that the scan takes for malicious by mistake are refused.",
		Dashboard: "Security › Security rules › Create rule › Custom rules: block when Has malicious content object is true.",
		Call:      firstRule(snapshot.ZonePhaseCustom, rulesets, block)}
	if w.Call.Method == "" {
		w.Call = editRules(snapshot.ZonePhaseCustom, ". + ["+block+"]")
	}
	return w
}

// maliciousUpload reports whether a field signals a malicious file
// (developers.cloudflare.com/waf/detections/malicious-uploads/#content-scanning-fields).
func maliciousUpload(field string) bool {
	return field == "cf.waf.content_scan.has_malicious_obj" || field == "cf.waf.content_scan.num_malicious_obj" ||
		field == "cf.waf.content_scan.obj_results"
}

// proposeScan turns the scan on. What to do with the result is left to people.
func proposeScan(c *propose.Case) ([]change.Edit, error) {
	at := c.Path("/zones/{zone_id}/content-upload-scan")
	place, live, err := c.At("/zones/{zone_id}/content-upload-scan/settings")
	switch {
	case err != nil:
		return nil, err
	case propose.Text(live, "value") == "enabled":
		return nil, propose.Refuse("Uploads are scanned; add a rule that acts on malicious ones by hand, once its exceptions are agreed.")
	case propose.Text(live, "value") != "disabled":
		return nil, propose.Refuse("Cloudflare does not tell whether uploads are scanned.")
	}
	value := func(v string) json.RawMessage { return change.Encode(map[string]any{"value": v}) }
	return []change.Edit{{Place: place, Before: value("disabled"), After: value("enabled"),
		Do: change.Call{Method: "POST", Path: at + "/enable"}, Undo: &change.Call{Method: "POST", Path: at + "/disable"}}}, nil
}
