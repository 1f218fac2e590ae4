// Code generated from notify.Channels by make gen; DO NOT EDIT.

package setting

func channelDefinitions() []Definition {
	return []Definition{
		{Key: "chatAWebhook", Env: "SERVICE_CHAT_A_WEBHOOK", Secret: true, check: hook, Doc: "Incoming webhook of Slack; whoever has it can post."},
		{Key: "chatBWebhook", Env: "SERVICE_CHAT_B_WEBHOOK", Secret: true, check: hook, Doc: "Workflow webhook of Microsoft Teams; whoever has it can post."},
		{Key: "webhookUrl", Env: "SERVICE_WEBHOOK_URL", Secret: true, check: hook, Doc: "Address of the generic webhook."},
		{Key: "webhookSecret", Env: "SERVICE_WEBHOOK_SECRET", Secret: true, For: "webhookUrl", check: phrase, Doc: "Signs what goes to webhookUrl."},
	}
}
