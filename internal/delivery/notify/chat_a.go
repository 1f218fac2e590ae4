package notify

import "strings"

// Limits of an incoming webhook. The last one is not documented: with about 13,000 characters or more
// in all blocks together, messages were refused with msg_blocks_too_long (slackapi/bolt-js issue 2509).
// Source: docs.slack.dev, reference of Block Kit.
const (
	maxBlocks     = 50
	maxHeader     = 150
	maxBlockText  = 3000
	maxFieldText  = 2000
	maxBlocksText = 12_000
)

func chatA() Channel {
	return Channel{Name: "chat_a", Title: "Slack", Word: "Slack", URLKey: "chatAWebhook",
		URLDoc: "Incoming webhook of Slack; whoever has it can post.", Build: buildChatA, sign: unsigned}
}

// block is one of the few block types that we use.
type block struct {
	Type     string      `json:"type"`
	Text     *textPart   `json:"text,omitempty"`
	Fields   []textPart  `json:"fields,omitempty"`
	Elements []blockPart `json:"elements,omitempty"`
}

// textPart is a text object. Verbatim keeps Slack from turning plain words into links and mentions.
type textPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Emoji    *bool  `json:"emoji,omitempty"`
	Verbatim bool   `json:"verbatim,omitempty"`
}

// blockPart is a text of a context block, or a button.
type blockPart struct {
	Type     string `json:"type"`
	Text     any    `json:"text"`
	URL      string `json:"url,omitempty"`
	Verbatim bool   `json:"verbatim,omitempty"`
}

type blockMessage struct {
	Text        string  `json:"text"`
	Blocks      []block `json:"blocks"`
	UnfurlLinks bool    `json:"unfurl_links"`
	UnfurlMedia bool    `json:"unfurl_media"`
}

// buildChatA makes a Block Kit message.
func buildChatA(c Content) ([]byte, error) { return fit("Slack", c.message(), renderChatA) }

func renderChatA(m message) ([]byte, bool, error) {
	all := blocks(m)
	if !fitsChatA(all) {
		return nil, false, nil
	}
	body, err := encode(blockMessage{Text: markup(m.fallback), Blocks: all})
	return body, true, err
}

func blocks(m message) []block {
	out := []block{{Type: "header", Text: plainText(m.title)}}
	for _, l := range m.intro {
		out = append(out, block{Type: "section", Text: marked(markup(l))})
	}
	facts := block{Type: "section"}
	for _, f := range m.facts {
		facts.Fields = append(facts.Fields, *marked("*" + entities(f.name) + "*\n" + entities(f.value)))
	}
	out = append(out, facts)
	for _, s := range m.sections {
		out = append(out, block{Type: "divider"}, block{Type: "section", Text: marked("*" + entities(s.title()) + "*")})
		for _, l := range s.lines {
			out = append(out, block{Type: "section", Text: marked(markup(l))})
		}
	}
	foot := block{Type: "context"}
	for _, l := range m.foot {
		foot.Elements = append(foot.Elements, blockPart{Type: "mrkdwn", Text: markup(l), Verbatim: true})
	}
	out = append(out, foot)
	if m.link != "" {
		out = append(out, block{Type: "actions", Elements: []blockPart{{Type: "button", Text: plainText("Open the dashboard"), URL: m.link}}})
	}
	return out
}

// fitsChatA checks the limits of a message. Links count as text, to be on the safe side of an
// undocumented limit.
func fitsChatA(blocks []block) bool {
	total := 0
	for _, b := range blocks {
		limit := maxBlockText
		if b.Type == "header" {
			limit = maxHeader
		}
		if b.Text != nil {
			n := units(b.Text.Text)
			if total += n; n > limit {
				return false
			}
		}
		for _, f := range b.Fields {
			n := units(f.Text)
			if total += n; n > maxFieldText {
				return false
			}
		}
		for _, e := range b.Elements {
			total += units(e.URL)
			if text, ok := e.Text.(string); ok {
				total += units(text)
			}
		}
	}
	return len(blocks) <= maxBlocks && total <= maxBlocksText
}

func plainText(s string) *textPart {
	emoji := false
	return &textPart{Type: "plain_text", Text: s, Emoji: &emoji}
}

func marked(s string) *textPart { return &textPart{Type: "mrkdwn", Text: s, Verbatim: true} }

// markup writes spans in Slack's markup.
func markup(spans []span) string {
	var b strings.Builder
	for _, v := range spans {
		switch {
		case v.foreign:
			b.WriteString(mrkdwn(v.text, v.limit+v.limit/2)) // room for the escaping
		case v.strong:
			b.WriteString("*" + entities(v.text) + "*")
		default:
			b.WriteString(entities(v.text))
		}
	}
	return b.String()
}
