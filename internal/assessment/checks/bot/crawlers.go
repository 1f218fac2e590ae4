package bot

import (
	"regexp"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// crawlers judges whether someone decided how to handle AI training crawlers. Any enabled custom
// rule that names them counts as a decision, whatever its action.
func crawlers() check.Check {
	return check.Check{
		ID: "CFL-BOT-003", Title: "AI crawlers are handled on purpose",
		Category: "bot", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "AI companies crawl sites to train models. Unless a setting or a rule says otherwise, they may take " +
			"everything a visitor may read.",
		Fix: "Decide what AI crawlers may do, then block them, allow them by rule, or block them only on pages with " +
			"advertisements.",
		Words: posture.Words{
			Problem:   "No decision about AI crawlers on {zone}",
			Impact:    "AI companies copy the content of the site for training, without payment and without anyone having agreed.",
			Breaks:    "Answers of AI search and assistants no longer quote the site; ordinary search engines are not affected.",
			Dashboard: "Security › Settings › Bot traffic › Block AI bots: choose a scope.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/bot_management",
				Body: `{"ai_bots_protection": "block"}`},
			Terraform: `resource "cloudflare_bot_management" "zone" {
  zone_id            = "{zone_id}"
  ai_bots_protection = "block"
}`},
		References: []string{"https://developers.cloudflare.com/bots/plans/bm-subscription/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Crawlers are let through or stopped by a decision at the application layer."),
			check.Touches("soc2 CC6.6", "It decides about content collection more than about threats."),
			check.Touches("nist PR.IR-01", "Crawlers read what is public; networks are not entered."),
		},
		Aliases: []string{"union:ai-crawler-policy"},
		Remedy: &propose.Remedy{Operation: "PUT /zones/{zone_id}/bot_management", Risk: "medium", Reversible: true,
			Body:    `{"ai_bots_protection": "block"}`,
			Inverse: "PUT the captured value",
			Caution: "Search and assistant traffic may drop; needs a business decision.",
			Propose: proposeCrawlers},
		Needs:    []snapshot.Named{snapshot.ZoneList, snapshot.ZoneBotManagement, snapshot.ZoneDNSRecords},
		Optional: traffic.FirewallNeeds(),
		Evaluate: evaluateCrawlers,
	}
}

func crawlersExamples() []goodtest.Example {
	ai := func(value string) func(*snapshot.Builder) {
		return config(func(c *snapshot.BotManagement) { c.AIBots = value })
	}
	rule := func(text string, enabled bool) func(*snapshot.Builder) {
		return goodtest.Edits(ai("disabled"), func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePhaseCustom, goodtest.Zone,
				snapshot.Ruleset{ID: "r", Rules: []snapshot.Rule{{ID: "a1", Enabled: enabled, Action: "block", Expression: text}}})
		})
	}
	on := true
	return []goodtest.Example{
		{Name: "blocked", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "blocked on pages with ads", Want: posture.Pass, Edit: ai("only_on_ad_pages")},
		{Name: "disabled", Want: posture.Fail, Resource: goodtest.Zone, Edit: ai("disabled")},
		{Name: "absent", Want: posture.Fail, Edit: ai("")},
		{Name: "training is disallowed", Want: posture.Pass,
			Edit: config(func(c *snapshot.BotManagement) { c.AIBots, c.AITraining = "disabled", "disallow" })},
		{Name: "search is blocked", Want: posture.Pass, Edit: config(func(c *snapshot.BotManagement) { c.AIBots, c.AISearch = "", "block" })},
		{Name: "every kind is let in", Want: posture.Fail, Edit: config(func(c *snapshot.BotManagement) {
			c.AIBots, c.AITraining, c.AISearch, c.AIUser = "disabled", "disabled", "disabled", "disabled"
		})},
		{Name: "a value of a kind that nobody knows", Want: posture.Unknown,
			Edit: config(func(c *snapshot.BotManagement) { c.AIBots, c.AIUser = "disabled", "charge" })},
		{Name: "Cloudflare keeps robots.txt", Want: posture.Pass,
			Edit: config(func(c *snapshot.BotManagement) { c.AIBots, c.RobotsManaged = "disabled", &on })},
		{Name: "a maze for crawlers", Want: posture.Pass,
			Edit: config(func(c *snapshot.BotManagement) { c.AIBots, c.CrawlerProtection = "disabled", "enabled" })},
		{Name: "the maze is off", Want: posture.Fail, Edit: config(func(c *snapshot.BotManagement) {
			c.AIBots, c.CrawlerProtection = "disabled",
				"disabled"
		})},
		{Name: "a rule names a crawler", Want: posture.Pass, Edit: rule(`http.user_agent contains "GPTBot"`, true)},
		{Name: "a rule names the category", Want: posture.Pass, Edit: rule(`cf.verified_bot_category eq "AI Crawler"`, true)},
		{Name: "the rule is disabled", Want: posture.Fail, Edit: rule(`http.user_agent contains "GPTBot"`, false)},
		{Name: "the rule is for a host of another zone", Want: posture.Fail,
			Edit: rule(`http.host eq "other.example" and http.user_agent contains "GPTBot"`, true)},
		{Name: "the rule stands in the account", Want: posture.Pass, Edit: goodtest.Edits(ai("disabled"), func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountRulesets, goodtest.Account,
				[]snapshot.RulesetInfo{{ID: "root", Kind: "root", Phase: "http_request_firewall_custom"}})
			snapshot.Put(b, snapshot.AccountPhaseCustom, goodtest.Account, snapshot.Ruleset{ID: "root", Kind: "root",
				Rules: []snapshot.Rule{{ID: "e1", Enabled: true, Action: "execute", Expression: `cf.zone.plan eq "ENT"`,
					Params: snapshot.RuleParams{ExecuteID: "own"}}}})
			snapshot.Put(b, snapshot.AccountRulesetCustom, "own", snapshot.Ruleset{ID: "own", Kind: "custom", Rules: []snapshot.Rule{{ID: "a1",
				Enabled: true, Action: "block", Expression: `http.user_agent contains "GPTBot"`}}})
		})},
		{Name: "a rule on something else", Want: posture.Fail, Edit: rule(`http.request.uri.path contains "/claudebotany"`, true)},
		{Name: "the rules are not readable", Want: posture.Unknown, Edit: goodtest.Edits(ai("disabled"), func(b *snapshot.Builder) {
			b.Mark(snapshot.ZonePhaseCustom.Source(), snapshot.Denied, "WAF Read", "")
		})},
		{Name: "a value nobody knows", Want: posture.Unknown, Edit: ai("charge")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

// crawlerMode is a member of the bot configuration about AI crawlers: those of all kinds, or those
// that train models, build an index for search, or fetch a page for a user.
type crawlerMode struct{ member, value string }

func (m crawlerMode) decided() bool {
	return slices.Contains([]string{"block", "only_on_ad_pages", "disallow"}, m.value)
}

func (m crawlerMode) odd() bool { return m.value != "" && m.value != "disabled" && !m.decided() }

func evaluateCrawlers(v *check.View) check.Outcome {
	c := check.Read(v, snapshot.ZoneBotManagement)
	modes := []crawlerMode{{"ai_bots_protection", c.AIBots}, {"ai_training", c.AITraining}, {"ai_search", c.AISearch}, {"ai_user", c.AIUser}}
	decided := slices.IndexFunc(modes, crawlerMode.decided)
	odd := slices.IndexFunc(modes, crawlerMode.odd)
	switch {
	case decided >= 0:
		return v.Pass("AI crawlers meet the mode %s of %s.", modes[decided].value, modes[decided].member)
	case c.RobotsManaged != nil && *c.RobotsManaged:
		return v.Pass("Cloudflare keeps a robots.txt that speaks to AI crawlers.")
	case c.CrawlerProtection == "enabled":
		return v.Pass("AI crawlers that ignore the rules are led astray.")
	}
	named := traffic.Guarding(check.Lanes(v, traffic.Firewall(traffic.CustomRules), v.Zone()), func(a traffic.Act) truth.Value {
		return truth.Is(namesCrawlers(*a.Rule))
	}).Some
	observed := c.AIBots
	if observed == "" {
		observed = "absent"
	}
	switch {
	case named == truth.Yes:
		return v.Pass("A custom rule names AI crawlers.")
	case odd >= 0:
		return v.Unknown(modes[odd].member + " has a value this check does not know: " + modes[odd].value)
	case named == truth.No:
		return v.Fail("Nobody decided what AI crawlers may do on "+v.Zone().Name+".",
			check.Evidence(snapshot.ZoneBotManagement, "/ai_bots_protection", observed, "block, only_on_ad_pages, or a rule that names AI crawlers"))
	}
	return v.Unknown("the AI crawler mode is off; whether a custom rule names AI crawlers is not known")
}

// namesCrawlers looks for the user agents of training crawlers and for the
// provider's categories of AI bots.
func namesCrawlers(r snapshot.Rule) bool {
	names := regexp.MustCompile(`(?i)\b(gptbot|oai-searchbot|chatgpt-user|claudebot|claude-web|claude-user|claude-searchbot|anthropic-ai|cc` +
		`bot|google-extended|googleother|bytespider|` +
		`amazonbot|applebot-extended|perplexitybot|perplexity-user|meta-externalagent|facebookbot|cohere-ai|diffbot|imagesiftbot|omgili|timpib` +
		`ot|youbot|ai2bot|petalbot|mistralai-user|duckassistbot|` +
		`ai crawler|ai assistant|ai search)\b`)
	return r.Enabled && names.MatchString(r.Expression)
}

// proposeCrawlers blocks AI crawlers unless someone has since decided otherwise.
func proposeCrawlers(c *propose.Case) ([]change.Edit, error) {
	live, err := c.Locate(change.Place{Path: c.Path(configPath)})
	if err != nil {
		return nil, err
	}
	_, rules, err := c.Rules("http_request_firewall_custom")
	if err != nil {
		return nil, err
	}
	named := slices.ContainsFunc(rules, func(r map[string]any) bool {
		return namesCrawlers(snapshot.Rule{Enabled: propose.Flag(r, "enabled"), Expression: propose.Text(r, "expression")})
	})
	decided := slices.ContainsFunc([]string{"ai_training", "ai_search", "ai_user"}, func(member string) bool {
		return crawlerMode{member, propose.Text(live, member)}.decided()
	})
	if named || decided || propose.Flag(live, "is_robots_txt_managed") || propose.Text(live, "crawler_protection") == "enabled" {
		return nil, nil
	}
	return proposeMember("ai_bots_protection", "block", "only_on_ad_pages")(c)
}
