package bot

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// stopped judges whether the bot protection of the zone's plan is active.
func stopped() check.Check {
	return check.Check{
		ID: "CFL-BOT-001", Title: "Automated traffic is stopped with the means of the plan",
		Category: "bot", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Scripts test stolen passwords, copy content and buy up stock. Every plan has a way to stop traffic that " +
			"Cloudflare knows to be automated.",
		Fix: "Turn on the bot protection of the plan, after a skip rule for your own API clients and monitors.",
		Words: posture.Words{
			Problem: "Automated traffic is not stopped on {zone}",
			Impact:  "Anyone can run scripts against logins, search and checkout pages as fast as the origin answers.",
			Breaks: "API clients, webhooks and monitors that match no skip rule are blocked or challenged. Bot Fight Mode on the " +
				"Free plan cannot be skipped by rules.",
			Dashboard: "Security › Settings › Bot traffic: turn on Bot Fight Mode (Free), set Definitely automated to Managed " +
				"Challenge (Pro, Business), or add a rule on the bot score (Enterprise).",
		},
		References: []string{"https://developers.cloudflare.com/bots/plans/bm-subscription/",
			"https://developers.cloudflare.com/bots/additional-configurations/javascript-detections/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "The means of the plan filter automated traffic at the application layer."),
			check.Supports("soc2 CC6.6", "Automated threats are stopped at the boundary."),
			check.Supports("pci 6.4.2", "It is part of an automated solution; attacks by hand are for the WAF."),
			check.Supports("nist PR.IR-01", "Definite automation does not reach the application."),
		},
		Aliases: []string{"prowler:zone_bot_fight_mode_enabled", "grclanker:CF-TRF-03", "flareinspect:CFL-BOT-001", "flareinspect:CFL-WAF-004"},
		Remedy: &propose.Remedy{Operation: "PUT /zones/{zone_id}/bot_management", Risk: "medium", Reversible: true,
			Body: `plan free: {"fight_mode": true}; pro and business: {"sbfm_definitely_automated": "managed_challenge"}; only the changed ` +
				`member is sent`,
			Inverse: "PUT the captured value of the same member",
			Caution: "Automated clients are challenged. On the Free plan, Bot Fight Mode cannot be scoped and may block API clients " +
				"and monitors; it is not planned for a zone with saved API operations. The setting for verified bots stays as it is.",
			Propose: proposeStopped},
		Needs:    []snapshot.Named{snapshot.ZoneList, snapshot.ZoneBotManagement, snapshot.ZoneDNSRecords},
		Optional: traffic.FirewallNeeds(),
		Evaluate: evaluateStopped,
	}
}

func stoppedExamples() []goodtest.Example {
	sbfm := func(action string) func(*snapshot.Builder) {
		return config(func(c *snapshot.BotManagement) { c.DefinitelyAutomated = action })
	}
	fight := func(on bool) func(*snapshot.Builder) {
		return config(func(c *snapshot.BotManagement) { c.DefinitelyAutomated, c.FightMode = "", &on })
	}
	score := func(action, text string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			sbfm("allow")(b)
			snapshot.Put(b, snapshot.ZonePhaseCustom, goodtest.Zone,
				snapshot.Ruleset{ID: "r", Rules: []snapshot.Rule{{ID: "b1", Enabled: true, Action: action, Expression: text}}})
		}
	}
	below := "cf.bot_management.score lt 30"
	accountScore := func(condition string) func(*snapshot.Builder) {
		return goodtest.Edits(score("block", "ssl and not ssl"), func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountPhaseCustom, goodtest.Account,
				snapshot.Ruleset{ID: "ar", Rules: []snapshot.Rule{{ID: "a1", Enabled: true,
					Action: "execute", Expression: condition, Params: snapshot.RuleParams{ExecuteID: "cr"}}}})
			snapshot.Put(b, snapshot.AccountRulesetCustom, "cr", snapshot.Ruleset{ID: "cr", Rules: []snapshot.Rule{{ID: "a2", Enabled: true,
				Action: "block", Expression: below}}})
		})
	}
	return []goodtest.Example{
		{Name: "enterprise, blocked", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "free without fight mode", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(goodtest.Plan("free"), fight(false))},
		{Name: "free without fight mode, and content bots are blocked", Want: posture.Pass, Edit: goodtest.Edits(goodtest.Plan("free"),
			fight(false), config(func(c *snapshot.BotManagement) { c.ContentBots = "block" }))},
		{Name: "pro, allowed, and content bots are not blocked", Want: posture.Fail, Edit: goodtest.Edits(goodtest.Plan("pro"), sbfm("allow"),
			config(func(c *snapshot.BotManagement) { c.ContentBots = "disabled" }))},
		{Name: "free, the field is absent", Want: posture.Unknown, Edit: goodtest.Plan("free")},
		{Name: "free with fight mode", Want: posture.Pass, Edit: goodtest.Edits(goodtest.Plan("free"), fight(true))},
		{Name: "pro, allowed", Want: posture.Fail, Edit: goodtest.Edits(goodtest.Plan("pro"), sbfm("allow"))},
		{Name: "business, absent", Want: posture.Unknown, Edit: goodtest.Edits(goodtest.Plan("business"), sbfm(""))},
		{Name: "pro, challenged", Want: posture.Pass, Edit: goodtest.Edits(goodtest.Plan("pro"), sbfm("managed_challenge"))},
		{Name: "fight mode does not count on pro", Want: posture.Fail, Edit: goodtest.Edits(goodtest.Plan("pro"), fight(true), sbfm("allow"))},
		{Name: "enterprise, a rule on the score", Want: posture.Pass, Edit: score("block", below)},
		{Name: "enterprise, a rule that only counts", Want: posture.Warning, Resource: goodtest.Zone, Edit: score("log", below)},
		{Name: "enterprise, a rule on the score of people", Want: posture.Fail, Edit: score("block", "cf.bot_management.score gt 80")},
		{Name: "enterprise, a rule on the score of people, or on a path", Want: posture.Fail,
			Edit: score("block", `cf.bot_management.score gt 80 or http.request.uri.path eq "/x"`)},
		{Name: "enterprise, a rule on all scores but those of people", Want: posture.Pass,
			Edit: score("block", "not cf.bot_management.score ge 30")},
		{Name: "enterprise, a limit on the score", Want: posture.Pass, Edit: goodtest.Edits(score("block", "ssl"), limitOnScore(10))},
		{Name: "enterprise, a limit on the score that nobody reaches", Want: posture.Fail, Edit: goodtest.Edits(score("block", "ssl"),
			limitOnScore(1_000_000))},
		{Name: "pro, challenged, and skipped for everyone", Want: posture.Fail, Edit: goodtest.Edits(goodtest.Plan("pro"),
			sbfm("managed_challenge"), skipMode("true"))},
		{Name: "pro, challenged, and skipped for a path", Want: posture.Pass, Edit: goodtest.Edits(goodtest.Plan("pro"),
			sbfm("managed_challenge"), skipMode(`http.request.uri.path eq "/webhook"`))},
		{Name: "pro, challenged, and perhaps skipped for everyone", Want: posture.Unknown, Edit: goodtest.Edits(goodtest.Plan("pro"),
			sbfm("managed_challenge"), skipMode("odd("))},
		{Name: "enterprise, nothing", Want: posture.Fail, Edit: score("block", "ssl")},
		{Name: "enterprise, a rule that skips", Want: posture.Fail, Edit: score("skip", below)},
		{Name: "enterprise, the score in a text is no test", Want: posture.Fail,
			Edit: score("block", `http.user_agent contains "cf.bot_management.score"`)},
		{Name: "enterprise, an expression nobody can read", Want: posture.Unknown, Edit: score("block", "odd(cf.bot_management.score)")},
		{Name: "enterprise, the rules are not readable", Want: posture.Unknown, Edit: goodtest.Edits(sbfm("allow"), func(b *snapshot.Builder) {
			b.Mark(snapshot.ZonePhaseCustom.Source(), snapshot.Denied, "WAF Read", "")
		})},
		{Name: "enterprise, a rule of the account", Want: posture.Pass, Edit: accountScore("true")},
		{Name: "enterprise, a rule of the account for another zone", Want: posture.Fail, Edit: accountScore(`cf.zone.name eq "other.example"`)},
		{Name: "enterprise, a rule for a host the zone does not serve", Want: posture.Fail,
			Edit: score("block", below+` and http.host eq "gone.shop.example"`)},
		{Name: "enterprise, the account is not readable", Want: posture.Unknown, Edit: goodtest.Edits(score("block", "ssl"),
			func(b *snapshot.Builder) {
				b.Mark(snapshot.AccountPhaseCustom.Source(), snapshot.Denied, "WAF Read", "")
			})},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true })},
		{Name: "an action nobody knows", Want: posture.Unknown, Edit: goodtest.Edits(goodtest.Plan("pro"), sbfm("smile"))},
		{Name: "a plan nobody knows", Want: posture.Unknown, Edit: goodtest.Plan("odd")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}

// skipMode is an example edit: a rule skips Super Bot Fight Mode.
func skipMode(text string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZonePhaseCustom, goodtest.Zone, snapshot.Ruleset{ID: "r", Rules: []snapshot.Rule{{ID: "b1", Enabled: true,
			Action: "skip", Expression: text, Params: snapshot.RuleParams{Phases: []string{botMode}}}}})
	}
}

// limitOnScore is an example edit: a rate limit for surely automated requests.
func limitOnScore(requests int) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.ZonePhaseRate, goodtest.Zone, snapshot.Ruleset{ID: "rr", Rules: []snapshot.Rule{{ID: "l1", Enabled: true,
			Action: "block", Expression: "cf.bot_management.score lt 30", Limit: &snapshot.RateLimit{Requests: requests, Period: 10}}}})
	}
}

func evaluateStopped(v *check.View) check.Outcome {
	zone, c := v.Zone(), check.Read(v, snapshot.ZoneBotManagement)
	action := c.DefinitelyAutomated
	observed := action
	if observed == "" {
		observed = "absent"
	}
	allowed := action == "" || action == "allow" // absent with Bot Management, which has the score in its place
	seen := check.Evidence(snapshot.ZoneBotManagement, "/sbfm_definitely_automated", observed, "block or managed_challenge")
	switch {
	case c.ContentBots == "block" && zone.PlanKnown(): // whatever has a low score, but for verified bots that are safe
		return metByMode(v, "surely", "block")
	case zone.Plan == "free" && c.FightMode == nil:
		return v.Unknown("Cloudflare did not return fight_mode")
	case zone.Plan == "free" && *c.FightMode:
		return v.Pass("Bot fight mode is on.")
	case zone.Plan == "free":
		return v.Fail("Bot fight mode of "+zone.Name+" is off.", check.Evidence(snapshot.ZoneBotManagement, "/fight_mode", "off", "on"))
	case !slices.Contains([]string{"pro", "business", "enterprise"}, zone.Plan):
		return v.Unknown("the plan of the zone is one this check does not know: " + zone.Plan)
	case action == "block" || action == "managed_challenge":
		return metByMode(v, "surely", action)
	case zone.Plan != "enterprise" && action == "":
		return v.Unknown("Cloudflare did not return sbfm_definitely_automated")
	case zone.Plan != "enterprise" && allowed:
		return v.Fail("Requests to "+zone.Name+" that are surely automated are let through.", seen)
	case zone.Plan != "enterprise":
		return v.Unknown("sbfm_definitely_automated has a value this check does not know: " + action)
	}
	stops, counts, _ := onScore(v, "eq 1")
	switch {
	case stops == truth.Yes:
		return v.Pass("A rule acts on the bot score.")
	case !allowed:
		return v.Unknown("sbfm_definitely_automated has a value this check does not know: " + action)
	case stops == truth.No && counts == truth.No:
		return v.Fail("Nothing stops requests to "+zone.Name+" that are surely automated.", seen)
	case stops == truth.No && counts == truth.Yes:
		return v.Warn("Rules of "+zone.Name+" only count requests by their bot score.", seen).
			As(posture.Words{Problem: "Rules on {zone} only count automated traffic"})
	}
	return v.Unknown("the bot mode lets automated requests through; whether a rule acts on the bot score is not known")
}

// onScore reports whether some rule that reads the bot score acts on requests with such a score, or
// only counts them, and what leaves that undecided. A rule that skips lets bots in, so it does not
// count.
func onScore(v *check.View, such string) (stops, counts truth.Value, doubt *traffic.Doubt) {
	const score = "cf.bot_management.score"
	reads := func(acts bool) func(traffic.Act) truth.Value {
		return func(a traffic.Act) truth.Value {
			l := a.Rule.Limit
			if a.Rule.Action == "skip" || traffic.Stops(a.Rule.Action) != acts || !l.InReach() || !strings.Contains(a.Rule.Expression, score) {
				return truth.No
			}
			// A rule for high scores, or for anything else, stops a bot only by the way.
			return truth.If(a.Expr != nil, a.Expr != nil && expression.Asks(a.Expr, func(f expression.Field) (any, bool) {
				return int64(99), f.Name == score
			}))
		}
	}
	for _, phase := range []string{traffic.CustomRules, traffic.RateLimits} {
		lanes := check.Lanes(v, traffic.Firewall(phase).Of("", score+" "+such), v.Zone())
		stops, counts = truth.Or(stops, traffic.Guarding(lanes, reads(true)).Some), truth.Or(counts, traffic.Acting(lanes, reads(false)).Some)
		for _, l := range lanes {
			if len(l.Value.Doubts) > 0 && doubt == nil {
				doubt = &l.Value.Doubts[0]
			}
		}
	}
	return stops, counts, doubt
}

// proposeStopped turns on the bot mode of the plan. The Enterprise plan has the bot score, and a
// rule on it is left to people.
func proposeStopped(c *propose.Case) ([]change.Edit, error) {
	switch c.ZonePlan {
	case "free":
		operations, err := c.List(c.Path("/zones/{zone_id}/api_gateway/operations"))
		if err != nil {
			return nil, err
		}
		if len(operations) > 0 {
			return nil, propose.Refuse("The zone serves an API, and fight mode would stop its clients without exception; stop bots by a rule or a " +
				"higher plan.")
		}
		return proposeMember("fight_mode", true)(c)
	case "pro", "business":
		return proposeMember("sbfm_definitely_automated", "managed_challenge", "block")(c)
	}
	return nil, propose.Refuse("This plan needs a custom rule on the bot score. Write it by hand, with the exceptions your clients need.")
}
