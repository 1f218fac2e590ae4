package snapshot

// ZoneBotManagement holds the bot configuration.
const ZoneBotManagement Key[BotManagement] = "zone/bot_management"

// BotManagement is the bot configuration; which fields exist depends on the plan.
type BotManagement struct {
	FightMode           *bool  `json:"fight_mode,omitempty"`
	EnableJS            *bool  `json:"enable_js,omitempty"`
	DefinitelyAutomated string `json:"sbfm_definitely_automated,omitempty"`
	LikelyAutomated     string `json:"sbfm_likely_automated,omitempty"`
	VerifiedBots        string `json:"sbfm_verified_bots,omitempty"`
	AIBots              string `json:"ai_bots_protection,omitempty"`
	AITraining          string `json:"ai_training,omitempty"`
	AISearch            string `json:"ai_search,omitempty"`
	AIUser              string `json:"ai_user,omitempty"`
	RobotsManaged       *bool  `json:"is_robots_txt_managed,omitempty"`
	CrawlerProtection   string `json:"crawler_protection,omitempty"`
	ContentBots         string `json:"content_bots_protection,omitempty"`
}

// zoneBotManagement reads the bot configuration; its fields depend on the plan
// (developers.cloudflare.com/api/resources/bot_management/methods/get/).
func zoneBotManagement() Source {
	return object(ZoneBotManagement, Source{
		Path: "/zones/{zone_id}/bot_management", Permission: "Zone: Bot Management Read",
		Example: `{"fight_mode":true,"enable_js":true,"using_latest_model":true,` +
			`"ai_training":"block","ai_search":"disabled","ai_user":"disabled"}`,
	}, asRead[BotManagement])
}
