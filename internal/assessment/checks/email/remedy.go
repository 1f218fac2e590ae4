package email

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// recordTTL is how long resolvers may cache the published records, in seconds.
const recordTTL = 3600

// atApex returns the name of the zone and its TXT records at that name.
func atApex(c *propose.Case) (zone string, texts []map[string]any, err error) {
	live, err := c.Locate(change.Place{Path: c.Path("/zones/{zone_id}")})
	if err != nil {
		return "", nil, err
	}
	zone = strings.ToLower(snapshot.ASCII(propose.Text(live, "name")))
	if zone == "" || propose.Text(live, "type") == "partial" {
		return "", nil, propose.Refuse("The zone is gone, or its apex lies elsewhere.")
	}
	texts, err = c.Records(c.Finding.Resource.ZoneID, "TXT", zone)
	return zone, texts, err
}

// usesMail returns what shows that mail is received in the zone or sent from it, "" when nothing
// does.
func usesMail(c *propose.Case) (string, error) {
	records, err := c.Records(c.Finding.Resource.ZoneID, "", "")
	if err != nil {
		return "", err
	}
	for _, r := range records {
		if why := mailSign(propose.Text(r, "type"), propose.Text(r, "name"), propose.Text(r, "content")); why != "" {
			return why, nil
		}
	}
	routing, err := c.Locate(change.Place{Path: c.Path("/zones/{zone_id}/email/routing")})
	if err != nil {
		return "", err
	}
	if routing != nil && routing["enabled"] != false {
		return "Email Routing is on in the zone", nil
	}
	return "", nil
}

// mailSign returns what one record shows. A null MX (RFC 7505) names no host, an SPF record that only
// refuses no sender, and a DKIM key that is empty is revoked.
func mailSign(kind, name, content string) string {
	text := mailauth.Text(content)
	switch {
	case kind == "MX" && strings.Trim(content, ". ") != "":
		return "The zone has a mail host"
	case kind == "TXT" && mailauth.IsSPF(text) && admitsSenders(mailauth.ParseSPF(text)):
		return "The SPF record of " + name + " does not refuse every sender"
	case mailauth.Selector(name) && (kind == "TXT" && mailauth.HasKey(text) || kind == "CNAME" || kind == "NS"):
		return "Mail is signed with the DKIM key at " + name
	}
	return ""
}

// admitsSenders reports whether an SPF record names somebody who may send, or does not refuse the rest.
func admitsSenders(s mailauth.SPF) bool {
	return s.Broken != "" || s.All() != '-' ||
		slices.ContainsFunc(s.Terms, func(t mailauth.Term) bool { return t.Qualifier != 0 && t.Qualifier != '-' })
}

// publish creates a TXT record that is found again by its comment.
func publish(c *propose.Case, name, text string) change.Edit {
	body := map[string]any{"type": "TXT", "name": name, "content": `"` + text + `"`, "ttl": recordTTL, "comment": c.Mark()}
	collection := c.Path("/zones/{zone_id}/dns_records")
	e := propose.Create(change.Place{Path: propose.RecordsPath(c.Finding.Resource.ZoneID, "TXT", name), Match: map[string]any{"type": "TXT",
		"name": name, "comment": c.Mark()}}, collection, body)
	body["content"] = text // some answers omit the quotes
	e.Or = change.Encode(body)
	return e
}
