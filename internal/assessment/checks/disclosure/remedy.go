package disclosure

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
)

func contactInputs() []change.Input {
	return []change.Input{{Name: "contact", Description: "Where researchers write to: a mailto address in an own domain, an https page or a " +
		"tel number that somebody watches.",
		Example: "mailto:security@your-domain"}}
}

// The file is renewed for 330 days, and left unchanged while it is valid for between a month and a
// year (RFC 9116, section 2.5.5).
const (
	day   = 24 * time.Hour
	renew = 330 * day
	soon  = 30 * day
	most  = 366 * day
)

func place(c *propose.Case) change.Place {
	return change.Place{Path: c.Path("/zones/{zone_id}/security-center/securitytxt")}
}

// expiry is the expiry date of a renewed file, at midnight, so that a plan does not change during
// the hour in which it may be applied.
func expiry(c *propose.Case) string {
	return c.Now.UTC().Add(renew).Truncate(day).Format(time.RFC3339)
}

// lasting reports whether the file expires between a month and a year from now.
func lasting(c *propose.Case, live map[string]any) bool {
	at, err := time.Parse(time.RFC3339, propose.Text(live, "expires"))
	return err == nil && at.After(c.Now.Add(soon)) && at.Before(c.Now.Add(most))
}

// usable reports whether a researcher can use a contact.
func usable(contact any) bool {
	text, _ := contact.(string)
	scheme, rest, _ := strings.Cut(text, ":")
	return rest != "" && slices.Contains([]string{"mailto", "https", "tel"}, strings.ToLower(scheme))
}

// proposePublished publishes the file. Existing members are kept; a contact is only ever one that a
// person supplied.
func proposePublished(c *propose.Case) ([]change.Edit, error) {
	p := place(c)
	live, err := c.Locate(p)
	if err != nil {
		return nil, err
	}
	contacts, _ := live["contact"].([]any)
	if propose.Flag(live, "enabled") && len(contacts) > 0 {
		return nil, nil
	}
	written := propose.Copy(live)
	written["enabled"] = true
	if len(contacts) == 0 {
		contact, err := chosenContact(c)
		if err != nil {
			return nil, err
		}
		written["contact"] = []any{contact}
	}
	if !lasting(c, live) {
		written["expires"] = expiry(c)
	}
	e := propose.Replace("PUT", p, p.Path, live, written, live, "enabled", "contact", "expires")
	if len(live) == 0 { // there was no file
		e.Before, e.Undo = change.Encode(live), &change.Call{Method: "DELETE", Path: p.Path}
	}
	return []change.Edit{e}, nil
}

// chosenContact returns the contact a person chose; example addresses and addresses outside the
// organisation are never published.
func chosenContact(c *propose.Case) (string, error) {
	var contact string
	if err := c.Input("contact", &contact); err != nil {
		return "", err
	}
	scheme, rest, _ := strings.Cut(contact, ":")
	switch scheme {
	case "mailto":
		return contact, c.OwnAddress("contact", rest)
	case "tel":
		digits := strings.TrimLeft(rest, "+")
		if len(digits) >= 5 && len(digits) <= 15 && strings.Trim(digits, "0123456789-") == "" {
			return contact, nil
		}
	case "https":
		u, err := url.Parse(contact)
		if err != nil || u.Hostname() == "" || u.User != nil {
			break
		}
		own, err := c.OwnDomain(u.Hostname())
		if err != nil || own || !reserved(u.Hostname()) {
			return contact, err
		}
	}
	return "", propose.Refuse("The input contact is no address a researcher can use; give a mailto, https or tel address that somebody " +
		"watches.")
}

// reserved reports whether a name is reserved for examples and tests (RFC 2606), or is not a public
// name at all.
func reserved(host string) bool {
	return !strings.Contains(host, ".") || slices.ContainsFunc([]string{"example.com", "example.net", "example.org", "example", "test",
		"invalid", "localhost", "local"}, func(name string) bool { return exposure.Within(host, name) })
}

// proposeRenewed extends the expiry date of a file that expires or has none.
func proposeRenewed(c *propose.Case) ([]change.Edit, error) {
	p := place(c)
	live, err := c.Locate(p)
	if err != nil {
		return nil, err
	}
	contacts, _ := live["contact"].([]any)
	at, _ := time.Parse(time.RFC3339, propose.Text(live, "expires"))
	switch {
	case !propose.Flag(live, "enabled") || len(contacts) == 0:
		return nil, nil // not published: that is another check
	case !slices.ContainsFunc(contacts, usable):
		return nil, propose.Refuse("No contact of the file is an address a researcher can use, and contacts are never invented; correct them " +
			"by hand.")
	case at.After(c.Now.AddDate(1, 0, 0)):
		return nil, propose.Refuse("The file ends more than a year ahead, and the date is only ever extended; set a nearer one by hand.")
	case lasting(c, live):
		return nil, nil
	}
	written := propose.Copy(live)
	written["expires"] = expiry(c)
	return []change.Edit{propose.Replace("PUT", p, p.Path, live, written, live, "expires")}, nil
}
