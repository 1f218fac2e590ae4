package posture

import "time"

// AlertEvent is a change of an issue that is reported.
type AlertEvent string

// The events of alerts.
const (
	AlertOpened   AlertEvent = "opened"   // a run found the issue, or more of it than is accepted
	AlertWorse    AlertEvent = "worse"    // it is more severe than before
	AlertResolved AlertEvent = "resolved" // a run no longer found any of it
	AlertReturned AlertEvent = "returned" // an exception expired, so that it counts again
	AlertOverdue  AlertEvent = "overdue"  // its due date has passed
)

// AlertEvents lists the events in the order of messages.
func AlertEvents() []AlertEvent {
	return []AlertEvent{AlertOpened, AlertWorse, AlertReturned, AlertOverdue, AlertResolved}
}

// AlertRule says which issues are reported to a channel, and when.
type AlertRule struct {
	ID         string       `json:"id"`
	Name       string       `json:"name"`
	Events     []AlertEvent `json:"events" enum:"opened,worse,returned,overdue,resolved"`
	Severity   Severity     `json:"severity" enum:"critical,high,medium,low,informational" doc:"The least severity."`
	Accounts   []string     `json:"accounts" doc:"Cloudflare account ids; all when empty."`
	Owners     []string     `json:"owners" doc:"Owners of issues, none for those without; all when empty."`
	Channel    string       `json:"channel" enum:"chat_a,chat_b,webhook"`
	OwnAddress bool         `json:"ownAddress" doc:"Whether the rule has an address of its own; that of the settings when not."`
	Daily      string       `json:"daily,omitempty" doc:"Time of day, as 08:30, of one message about all since the last; absent: at once."`
	Quiet      *QuietHours  `json:"quiet,omitempty" doc:"When nothing is sent; what came meanwhile is told afterwards, if it is still so."`
	TimeZone   string       `json:"timeZone" doc:"A name of the IANA database, of the times above."`
	Paused     bool         `json:"paused" doc:"Nothing is sent, and what comes meanwhile is never told."`
	CreatedAt  time.Time    `json:"createdAt"`
	UpdatedAt  time.Time    `json:"updatedAt"`
	LastSentAt *time.Time   `json:"lastSentAt,omitempty"`
	Problem    string       `json:"problem,omitempty" doc:"Why the last message was not delivered; it is tried again."`
}

// QuietHours are the times of day between which no alerts are sent; To may be on the next day. Both
// may be empty when only weekends are quiet.
type QuietHours struct {
	From     string `json:"from" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9])?$" doc:"As 20:00."`
	To       string `json:"to" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9])?$" doc:"As 07:30."`
	Weekends bool   `json:"weekends,omitempty" doc:"Saturday and Sunday as well, all day."`
}
