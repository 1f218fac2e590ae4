package simcloud

import "encoding/json"

// makeBots gives the bot object of the plan: fight mode on free, super bot
// fight mode from pro on, model members on enterprise; see
// https://developers.cloudflare.com/api/resources/bot_management/.
func (z *zone) makeBots() {
	z.bots = obj{"enable_js": true, "using_latest_model": true, "ai_bots_protection": "block", "crawler_protection": "enabled", "is_robots_txt_managed": false}
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

// writeBots merges the members sent; members of a higher plan are refused.
func writeBots(c *call) answer {
	var body obj
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	for key := range body {
		if _, known := c.zone.bots[key]; !known {
			return refuse(400, 1004, "The plan of the zone does not include one of the members sent")
		}
	}
	for key, v := range body {
		c.zone.bots[key] = v
	}
	return ok(c.zone.bots)
}
