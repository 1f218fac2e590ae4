package notify

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

// Content is the content of a message: a Summary of an assessment, a Failure of a run, or an Alert about issues.
type Content interface {
	message() message // for people
	document() any    // for machines, encoded as JSON
}

// Channel is one way for messages to leave the service.
type Channel struct {
	Name      string // as in POST /api/notify
	Title     string // for people
	Word      string // its name in the dashboard
	URLKey    string // settings key of the address
	URLDoc    string // the description of the address in the settings
	SecretKey string // settings key of the signing secret; "" when messages are not signed
	// Build makes the body of a message: JSON in UTF-8, the same for the same content. It has no side
	// effects.
	Build func(Content) ([]byte, error)
	// sign returns the headers of one attempt.
	sign func(t Address, d Delivery, body []byte) (http.Header, error)
}

// Channels lists every channel in the order in which they are offered.
func Channels() []Channel {
	return []Channel{chatA(), chatB(), webhook()}
}

// Find returns the channel with a name. The error is a *posture.Problem that lists the choices.
func Find(name string) (Channel, error) {
	for _, c := range Channels() {
		if c.Name == name {
			return c, nil
		}
	}
	return Channel{}, posture.Invalid("body.channels",
		"The channel is not one of "+strings.Join(Names(), ", ")+"; choose from these.", name)
}

// Names lists the names of the channels.
func Names() []string {
	var out []string
	for _, c := range Channels() {
		out = append(out, c.Name)
	}
	return out
}

// Address is where a channel sends to. The addresses of chats are secrets: anyone who has one can post.
// Secret is required when the channel has a SecretKey.
type Address struct {
	URL    secret.Text
	Secret secret.Text
}

// Delivery identifies one message being sent. ID stays the same over all attempts, so that a receiver
// can recognize repeats: 1 to 200 letters, digits, dashes and underscores, preferably a UUID. At is the
// time of the attempt. Event is the event name of the message, that of a summary when empty.
type Delivery struct {
	ID    string
	At    time.Time
	Event string
}

// Check validates an address. The error is a *posture.Problem that names the settings key and never
// shows the value.
func (c Channel) Check(t Address) error {
	if t.URL.IsZero() {
		return c.problem(c.URLKey, "it has no address")
	}
	if u, err := url.Parse(t.URL.Reveal()); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return c.problem(c.URLKey, "its address is not an http or https URL")
	}
	if c.SecretKey == "" {
		return nil
	}
	if t.Secret.IsZero() {
		return c.problem(c.SecretKey, "it has no secret to sign with, and nothing is sent unsigned")
	}
	if _, err := standardKey(t.Secret); err != nil {
		return c.problem(c.SecretKey, "what follows whsec_ in its secret is not standard base64")
	}
	return nil
}

func (c Channel) problem(key, why string) error {
	return posture.Invalid("body."+key, fmt.Sprintf("%s cannot be sent to because %s; set %s.", c.Title, why, key), nil)
}

func unsigned(Address, Delivery, []byte) (http.Header, error) { return http.Header{}, nil }

// valid reports whether an id is safe in a header and in signed text, whose parts are joined by dots.
func (d Delivery) valid() bool { return deliveryID.MatchString(d.ID) }

var deliveryID = regexp.MustCompile(`^[0-9a-zA-Z_-]{1,200}$`)
