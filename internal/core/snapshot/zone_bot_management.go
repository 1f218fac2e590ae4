package snapshot

// zoneBotManagement reads the bot configuration; its fields depend on the plan
// (developers.cloudflare.com/api/resources/bot_management/methods/get/).
func zoneBotManagement() Source {
	return object(ZoneBotManagement, Source{
		Path: "/zones/{zone_id}/bot_management", Permission: "Zone: Bot Management Read",
		Example: `{"fight_mode":true,"enable_js":true,"using_latest_model":true}`,
	}, func(w BotManagement) BotManagement { return w })
}
