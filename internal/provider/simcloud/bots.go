package simcloud

import "maps"

import "slices"

// makeBots adds the bot object of the plan: fight mode on free, super bot fight mode from pro on,
// model members on enterprise; see https://developers.cloudflare.com/api/resources/bot_management/.
func (z *zone) makeBots() {
	z.bots = obj{"enable_js": true, "using_latest_model": true, "ai_bots_protection": "block", "crawler_protection": "enabled",
		"is_robots_txt_managed": false}
	if z.plan == "free" {
		z.bots["fight_mode"] = true
		return
	}
	z.bots["sbfm_definitely_automated"] = "managed_challenge"
	z.bots["sbfm_verified_bots"] = "allow"
	z.bots["sbfm_static_resource_protection"] = false
	z.bots["optimize_wordpress"] = false
	if rank(z.plan) >= 2 {
		z.bots["sbfm_likely_automated"] = "managed_challenge"
	}
	if z.plan == "enterprise" {
		z.bots["auto_update_model"] = true
		z.bots["suppress_session_score"] = false
	}
}

func readBots(c *call) answer { return ok(c.zone.bots) }

// writeBots changes only the members in the request; members of a higher plan are refused.
// using_latest_model cannot be written.
func writeBots(c *call) answer {
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	values := map[string][]any{
		"ai_bots_protection": {"block", "disabled", "only_on_ad_pages"}, "crawler_protection": {"enabled", "disabled"},
	}
	for _, kind := range []string{"definitely_automated", "likely_automated"} {
		values["sbfm_"+kind] = []any{"allow", "block", "managed_challenge"}
	}
	values["sbfm_verified_bots"] = []any{"allow", "block"}
	delete(sent, "using_latest_model")
	for key, v := range sent {
		_, known := c.zone.bots[key]
		if !known && key != "ai_bots_protection" {
			return refuse(400, 1004, "The plan of the zone does not include one of the members sent")
		}
		if values[key] != nil && !slices.Contains(values[key], v) {
			return refuse(400, 1004, "The value of "+key+" is not one of those it takes")
		}
	}
	if !fits(c.zone.bots, sent) {
		return refuse(400, 1004, "A member has the wrong type")
	}
	maps.Copy(c.zone.bots, sent)
	return ok(c.zone.bots)
}
