package cloudflare

import (
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// zoneBotManagement reads the bot configuration; its fields depend on the plan
// (developers.cloudflare.com/api/resources/bot_management/methods/get/).
func zoneBotManagement() Source {
	return object(snapshot.ZoneBotManagement, Source{
		Path: "/zones/{zone_id}/bot_management", Permission: "Zone: Bot Management Read",
		Example: `{"fight_mode":true,"enable_js":true,"using_latest_model":true}`,
	}, func(w snapshot.BotManagement) snapshot.BotManagement { return w })
}
