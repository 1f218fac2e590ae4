package notify

// Mrkdwn and Run are open to the tests of hostile texts.
func Mrkdwn(s string, limit int) string { return mrkdwn(s, limit) }

// Run is what stands in a text run of a card.
func Run(s string, limit int) string { return run(s, limit) }

// Cut and Units are open to the tests of lengths.
func Cut(s string, limit int) string { return cut(s, limit) }

// Units counts as Slack may count.
func Units(s string) int { return units(s) }

// Visible is the one line a reader sees of a text.
func Visible(s string) string { return visible(s) }
