package notify

func chatB() Channel {
	return Channel{Name: "chat_b", Title: "Microsoft Teams", Word: "Microsoft Teams", URLKey: "chatBWebhook",
		URLDoc: "Workflow webhook of Microsoft Teams; whoever has it can post.", Build: buildChatB, sign: unsigned}
}

// maxCardMessage is the largest size of a Teams message in bytes, including the envelope: 28 KB, taken
// as 28,000. Source: learn.microsoft.com, "Create and send messages" and the limits of Workflows
// webhooks.
const maxCardMessage = 28_000

// cardMessage is the envelope that a Workflows webhook accepts.
type cardMessage struct {
	Type        string       `json:"type"`
	Attachments []attachment `json:"attachments"`
}

type attachment struct {
	ContentType string  `json:"contentType"`
	ContentURL  *string `json:"contentUrl"` // null: the card is in the message
	Content     card    `json:"content"`
}

type card struct {
	Schema  string        `json:"$schema"`
	Type    string        `json:"type"`
	Version string        `json:"version"`
	Teams   cardWidth     `json:"msteams"`
	Body    []cardElement `json:"body"`
	Actions []cardAction  `json:"actions,omitempty"`
	Plain   string        `json:"fallbackText"`
}

type cardWidth struct {
	Width string `json:"width"`
}

// cardElement is a TextBlock, a RichTextBlock or a FactSet. Texts of foreign origin appear only in the
// runs of a RichTextBlock: a TextBlock and a fact interpret Markdown, and no escape works in all
// clients.
type cardElement struct {
	Type      string     `json:"type"`
	Text      string     `json:"text,omitempty"`
	Style     string     `json:"style,omitempty"`
	Size      string     `json:"size,omitempty"`
	Weight    string     `json:"weight,omitempty"`
	Wrap      bool       `json:"wrap,omitempty"`
	Separator bool       `json:"separator,omitempty"`
	Spacing   string     `json:"spacing,omitempty"`
	Inlines   []cardRun  `json:"inlines,omitempty"`
	Facts     []cardFact `json:"facts,omitempty"`
}

type cardRun struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Weight string `json:"weight,omitempty"`
}

type cardFact struct {
	Title string `json:"title"`
	Value string `json:"value"`
}

type cardAction struct {
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// buildChatB makes a message with an Adaptive Card 1.5.
func buildChatB(c Content) ([]byte, error) { return fit("Teams", c.message(), renderChatB) }

func renderChatB(m message) ([]byte, bool, error) {
	c := card{Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.5", Teams: cardWidth{"Full"},
		Plain: m.title, Body: []cardElement{{Type: "TextBlock", Text: m.title, Style: "heading", Size: "Large", Weight: "Bolder", Wrap: true}}}
	c.Body = append(c.Body, rich(m.intro)...)
	facts := cardElement{Type: "FactSet"}
	for _, f := range m.facts {
		facts.Facts = append(facts.Facts, cardFact{f.name, f.value})
	}
	c.Body = append(c.Body, facts)
	for _, s := range m.sections {
		c.Body = append(c.Body, cardElement{Type: "TextBlock", Text: s.title(), Weight: "Bolder", Wrap: true, Separator: true})
		c.Body = append(c.Body, rich(s.lines)...)
	}
	foot := rich(m.foot)
	foot[0].Separator = true
	c.Body = append(c.Body, foot...)
	if m.link != "" {
		c.Actions = []cardAction{{Type: "Action.OpenUrl", Title: "Open the dashboard", URL: m.link}}
	}
	body, err := encode(cardMessage{Type: "message", Attachments: []attachment{{ContentType: "application/vnd.microsoft.card.adaptive",
		Content: c}}})
	return body, len(body) <= maxCardMessage, err
}

// rich converts lines to blocks of text runs.
func rich(lines []line) []cardElement {
	out := make([]cardElement, 0, len(lines))
	for _, l := range lines {
		e := cardElement{Type: "RichTextBlock", Spacing: "Small"}
		for _, v := range l {
			r := cardRun{Type: "TextRun", Text: v.text}
			if v.foreign {
				r.Text = run(v.text, v.limit)
			}
			if v.strong {
				r.Weight = "Bolder"
			}
			e.Inlines = append(e.Inlines, r)
		}
		out = append(out, e)
	}
	return out
}
