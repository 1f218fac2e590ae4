package waf

import (
	"strconv"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// owaspRuleset judges whether the OWASP core rules run, and warns of a setting known to block
// visitors, because that usually ends with all of it being disabled.
func owaspRuleset() check.Check {
	return check.Check{
		ID: "CFL-WAF-007", Title: "The OWASP core ruleset is deployed",
		Category: "waf", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Plans: []string{"pro", "business", "enterprise"},
		Why: "The OWASP Core Ruleset adds up the signs of an attack in a request and acts on the sum. This catches " +
			"variants of SQL injection and cross-site scripting that no single signature knows.",
		Fix: "Deploy the Cloudflare OWASP Core Ruleset in log mode, adjust paranoia level and threshold to its events, " +
			"then remove the log action.",
		Words: posture.Words{
			Problem: "{zone} does not run the OWASP Core Ruleset",
			Impact:  "Anyone can try variants of known attacks until one of them passes the signatures of the other rules.",
			Breaks: "Nothing while the ruleset logs; later, unusual but harmless requests may be blocked, such as text with code " +
				"in it.",
			Dashboard: "Security › Settings › Web application exploits: turn on the OWASP Core Ruleset.",
			Call:      deployment(snapshot.OWASPRulesetID),
			Terraform: deploymentTerraform(snapshot.OWASPRulesetID)},
		References: []string{"https://developers.cloudflare.com/waf/managed-rules/",
			"https://developers.cloudflare.com/waf/managed-rules/deploy-api/"},
		Controls: check.Controls{
			check.Shows("cis 13.8", "OWASP's rules block classes of intrusions by score."),
			check.Supports("soc2 CC6.6", "Attacks nobody has named yet are recognised at the boundary."),
			check.Supports("pci 6.4.2", "Together with managed rules it makes the automated solution."),
			check.Supports("nist PR.IR-01", "Generic attacks are kept from the application."),
		},
		Aliases: []string{"prowler:zone_waf_owasp_ruleset_enabled", "flareinspect:CFL-WAF-007"},
		Remedy: &propose.Remedy{Operation: "POST /zones/{zone_id}/rulesets/{ruleset_id}/rules", Risk: "medium", Reversible: true,
			Body: `one rule appended to the existing entry point: {action: execute, expression: "true", enabled: true, action_parameters: {id: ` +
				`"4814384a9e5d4991b9815dcfc25d2f1f", overrides: {action: "log"}}, ref: <our mark>}; when the phase has no entry point, PUT it once ` +
				`with this single rule`,
			Inverse: "DELETE /zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id} of the created rule only",
			Caution: "The ruleset is added beside what is deployed; existing rules and exceptions stay. It only logs and blocks " +
				"nothing until you remove the log action (CFL-WAF-008).",
			Propose: proposeOWASP},
		Needs:    []snapshot.Named{snapshot.ZoneRulesets, snapshot.ZonePhaseManaged, snapshot.ZoneList, snapshot.ZoneDNSRecords},
		Optional: traffic.FirewallNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			unsure := false
			all := check.Read(v, snapshot.ZonePhaseManaged).Rules
			for _, r := range all {
				if threshold := scoreThreshold(r); threshold > highestThreshold {
					reach, doubt := weakenedIn(v, v.Zone(), r, all, false)
					if reach != nowhere {
						return v.Warn("The OWASP Core Ruleset of "+v.Zone().Name+" acts only from a score of "+strconv.Itoa(threshold)+
							", which hardly any attack reaches.", check.Evidence(snapshot.ZonePhaseManaged, "/rules/"+r.ID+
							"/action_parameters/overrides", "a score threshold of "+strconv.Itoa(threshold), "at most 60")).As(tooLenient())
					}
					unsure = unsure || doubt != nil
				}
				if !r.Enabled || r.Params.ExecuteID != snapshot.OWASPRulesetID || !strictest(r.Params.Overrides) {
					continue
				}
				switch check.Reaches(v, v.Zone(), r.Expression).Some {
				case truth.Undecided:
					unsure = true
				case truth.Yes:
					return v.Warn("The OWASP Core Ruleset of "+v.Zone().Name+" runs at paranoia level 4 with the lowest threshold.",
						check.Evidence(snapshot.ZonePhaseManaged, "/rules/"+r.ID+"/action_parameters/overrides",
							"paranoia level 4 with the lowest score threshold", "a lower level or a higher threshold")).As(tooStrict())
				}
			}
			if unsure {
				return v.Unknown("whether a request to the zone meets the rule with the unusual score threshold is not known")
			}
			return judgeDeployment(v, "the OWASP Core Ruleset", snapshot.OWASPRulesetID, runsRuleset(snapshot.OWASPRulesetID))
		},
	}
}

func owaspRulesetExamples() []goodtest.Example {
	strictFor := func(expression string, level bool, threshold int, more ...snapshot.Rule) func(*snapshot.Builder) {
		r := execute("m1", snapshot.OWASPRulesetID, expression)
		r.Params.Overrides = &snapshot.Overrides{Categories: []snapshot.CategoryOverride{{Category: "paranoia-level-4", Enabled: &level}},
			Rules: []snapshot.RuleOverride{{ID: snapshot.OWASPScoreRuleID, ScoreThreshold: threshold}}}
		return zoneRules(snapshot.ZonePhaseManaged, append([]snapshot.Rule{r}, more...)...)
	}
	strict := func(level bool, threshold int) func(*snapshot.Builder) { return strictFor("true", level, threshold) }
	whole := execute("m2", snapshot.OWASPRulesetID, "true")
	yes, no := true, false
	every := func(strictest *bool) func(*snapshot.Builder) {
		r := execute("m1", snapshot.OWASPRulesetID, "true")
		r.Params.Overrides = &snapshot.Overrides{Enabled: &yes, Categories: []snapshot.CategoryOverride{{Category: "paranoia-level-4",
			Enabled: strictest}}, Rules: []snapshot.RuleOverride{{ID: snapshot.OWASPScoreRuleID, ScoreThreshold: 25}}}
		return zoneRules(snapshot.ZonePhaseManaged, r)
	}
	return append(deploymentExamples(snapshot.OWASPRulesetID),
		goodtest.Example{Name: "the strictest level with the lowest threshold", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: strict(true, 25)},
		goodtest.Example{Name: "every level with the lowest threshold", Want: posture.Warning, Resource: goodtest.Zone, Edit: every(nil)},
		goodtest.Example{Name: "every level but the strictest with the lowest threshold", Want: posture.Pass, Edit: every(&no)},
		goodtest.Example{Name: "the strictest level with the lowest threshold, for a host of another zone", Want: posture.Pass,
			Edit: strictFor(`http.host eq "other.example"`, true, 25, whole)},
		goodtest.Example{Name: "the strictest level with the lowest threshold, for a path", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: strictFor(`starts_with(http.request.uri.path, "/api")`, true, 25, whole)},
		goodtest.Example{Name: "the strictest level with the lowest threshold, for a host of another zone alone", Want: posture.Fail,
			Resource: goodtest.Zone, Edit: strictFor(`http.host eq "other.example"`, true, 25)},
		goodtest.Example{Name: "a threshold that nothing reaches", Want: posture.Warning, Resource: goodtest.Zone, Edit: strict(false, 100_000)},
		goodtest.Example{Name: "a threshold that nothing reaches, and the ruleset in full", Want: posture.Pass,
			Edit: strictFor("true", false, 100_000, whole)},
		goodtest.Example{Name: "the highest usual threshold", Want: posture.Pass, Edit: strict(false, 60)},
		goodtest.Example{Name: "the strictest level with a higher threshold", Want: posture.Pass, Edit: strict(true, 40)},
		goodtest.Example{Name: "the strictest level with the lowest threshold, and hosts are not readable", Want: posture.Warning,
			Resource: goodtest.Zone, Edit: goodtest.Edits(strict(true, 25), goodtest.Denied(snapshot.ZoneLoadBalancers))},
		goodtest.Example{Name: "the strictest level with the lowest threshold, for hosts that are not readable", Want: posture.Unknown,
			Resource: goodtest.Zone, Edit: goodtest.Edits(strictFor(`http.host eq "old.shop.example"`, true, 25, whole),
				goodtest.Denied(snapshot.ZoneLoadBalancers))},
		goodtest.Example{Name: "the lowest threshold without the strictest level", Want: posture.Pass, Edit: strict(false, 25)})
}

// lowestThreshold is the score of high sensitivity in Cloudflare's form; lower ones cannot be
// selected there (developers.cloudflare.com/waf/managed-rules/reference/owasp-core-ruleset/).
const lowestThreshold = 25

// tooStrict returns the words for a ruleset that is likely to be disabled after complaints.
func tooStrict() posture.Words {
	return posture.Words{ByHand: true, Problem: "The OWASP Core Ruleset blocks many visitors of {zone}",
		Impact: "Real visitors are blocked, so someone is likely to turn the whole ruleset off, and then attacks pass.",
		Breaks: "Attacks that show only few signs reach the application.",
		Dashboard: "Security › Security rules › Managed rules › the OWASP Core Ruleset: set the score threshold to Medium, or the " +
			"paranoia level to PL2.",
		Call: editRules(snapshot.ZonePhaseManaged, `map(if .action_parameters.id == "`+snapshot.OWASPRulesetID+`" then `+
			`.action_parameters.overrides.rules |= map(if .id == "`+snapshot.OWASPScoreRuleID+`" then .score_threshold = 40 `+
			`else . end) else . end)`)}
}

// highestThreshold is the score of low sensitivity in Cloudflare's form.
const highestThreshold = 60

// tooLenient returns the words for a ruleset that hardly ever acts.
func tooLenient() posture.Words {
	w := tooStrict()
	w.Problem = "The OWASP Core Ruleset of {zone} hardly ever acts"
	w.Impact = "Attacks that show several signs still stay below the threshold and reach the application."
	w.Breaks = "Visitors whose requests look like attacks may be blocked."
	w.Dashboard = "Security › Security rules › Managed rules › the OWASP Core Ruleset: set the score threshold to Medium."
	return w
}

// scoreThreshold returns the score from which an enabled rule lets the OWASP Core Ruleset act, 0 when
// it does not say.
func scoreThreshold(r snapshot.Rule) int {
	if !r.Enabled || r.Params.ExecuteID != snapshot.OWASPRulesetID || r.Params.Overrides == nil {
		return 0
	}
	for _, o := range r.Params.Overrides.Rules {
		if o.ID == snapshot.OWASPScoreRuleID {
			return o.ScoreThreshold
		}
	}
	return 0
}

func strictest(o *snapshot.Overrides) bool {
	if o == nil {
		return false
	}
	level, threshold := o.Enabled != nil && *o.Enabled, false // what is said of a category counts more than what is said of all
	for _, c := range o.Categories {
		if c.Category == "paranoia-level-4" && c.Enabled != nil {
			level = *c.Enabled
		}
	}
	for _, r := range o.Rules {
		threshold = threshold || r.ID == snapshot.OWASPScoreRuleID && r.ScoreThreshold > 0 && r.ScoreThreshold <= lowestThreshold
	}
	return level && threshold
}

// proposeOWASP deploys the ruleset; the strictness of a deployed one is left to people.
func proposeOWASP(c *propose.Case) ([]change.Edit, error) {
	edits, err := proposeDeployment(snapshot.OWASPRulesetID)(c)
	if err == nil && len(edits) == 0 && c.Finding.Result == posture.Warning {
		return nil, propose.Refuse("The ruleset runs on all traffic; which paranoia level and threshold suit the application is judged in its " +
			"log.")
	}
	return edits, err
}
