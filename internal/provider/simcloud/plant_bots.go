package simcloud

import "strings"

func plantsBots() []Plant {
	return []Plant{
		zonal("CFL-BOT-001", "fight-mode-off", failed, "bots", func(z *zone) { z.bots["fight_mode"] = false }).on("free"),
		zonal("CFL-BOT-001", "allow", failed, "bots", func(z *zone) { z.bots["sbfm_definitely_automated"] = "allow" }).on("pro", "business"),
		botRule("no-score-rule", failed, func(z *zone) { z.scoreRules(func([]obj) []obj { return nil }) }),
		botRule("log-rule", warning, func(z *zone) {
			z.scoreRules(func(rules []obj) []obj {
				for _, r := range rules {
					r["action"] = "log"
				}
				return rules
			})
		}),
		zonal("CFL-BOT-002", "off", failed, "detections", func(z *zone) { z.bots["enable_js"] = false }).on("pro", "business", "enterprise"),
	}
}

// botRule returns a plant for enterprise zones, where bots can be stopped by the mode or by a rule
// on the score.
func botRule(variant, result string, change func(*zone)) Plant {
	p := zonal("CFL-BOT-001", variant, result, "bots", func(z *zone) {
		z.bots["sbfm_definitely_automated"] = "allow"
		change(z)
	}).on("enterprise")
	p.slots = []string{"bots", slotCustom}
	return p
}

// scoreRules replaces the custom rules that act on the bot score.
func (z *zone) scoreRules(change func([]obj) []obj) {
	s := z.entrypoint(phaseCustom)
	var others, score []obj
	for _, r := range s.Rules {
		if strings.Contains(asText(r["expression"]), "cf.bot_management.score") {
			score = append(score, r)
		} else {
			others = append(others, r)
		}
	}
	s.Rules = append(others, change(score)...)
}
