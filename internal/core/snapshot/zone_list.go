package snapshot

import (
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// ZoneList holds all zones of the account.
const ZoneList Key[[]Zone] = "zone/list"

// Zone is a domain as returned by the zone list. Plan is plan.legacy_id.
type Zone struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Status      string   `json:"status"`
	Paused      bool     `json:"paused"`
	Type        string   `json:"type"`
	Plan        string   `json:"plan"`
	NameServers []string `json:"name_servers"`
	Vanity      []string `json:"vanity_name_servers,omitempty"` // names of the zone for its name servers
	CreatedOn   Time     `json:"created_on,omitzero"`
	DevMode     int      `json:"development_mode"`
	Phishing    bool     `json:"phishing_detected"`
}

// SortKey orders zones by id.
func (z Zone) SortKey() string { return z.ID }

// PlanWord returns the name of the plan in rule expressions.
func (z Zone) PlanWord() string {
	return map[string]string{"free": "FREE", "pro": "PRO", "business": "BIZ", "enterprise": "ENT"}[z.Plan]
}

// Partial reports whether only individual hostnames of the domain are served here.
func (z Zone) Partial() bool { return z.Type == "partial" }

// MayHave reports whether the zone is on a plan, or on one that is none of the four.
func (z Zone) MayHave(plan string) bool { return z.Plan == plan || !z.PlanKnown() }

// PlanKnown reports whether the plan is one of the four. The API marks the plan as optional.
func (z Zone) PlanKnown() bool {
	return slices.Contains([]string{"free", "pro", "business", "enterprise"}, z.Plan)
}

// International reports whether the name has a form in Unicode, too. Which of them rules compare
// with is not documented.
func (z Zone) International() bool { return strings.Contains(z.Name, "xn--") }

// Forms are the forms of the name that rules may compare with; one that is not known is empty.
func (z Zone) Forms() []string {
	if !z.International() {
		return []string{z.Name}
	}
	unicode, err := idna.ToUnicode(z.Name)
	if err != nil {
		unicode = ""
	}
	return []string{z.Name, unicode}
}

type zoneWire struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Status      string   `json:"status"`
	Paused      bool     `json:"paused"`
	Type        string   `json:"type"`
	NameServers []string `json:"name_servers"`
	Vanity      []string `json:"vanity_name_servers"`
	CreatedOn   Time     `json:"created_on"`
	DevMode     int      `json:"development_mode"`
	Plan        struct {
		LegacyID string `json:"legacy_id"`
	} `json:"plan"`
	Meta struct {
		Phishing bool `json:"phishing_detected"`
	} `json:"meta"`
}

// zoneList reads all zones of the account with plan, status and type, so that no zone is read
// individually (developers.cloudflare.com/api/resources/zones/methods/list/).
func zoneList() Source {
	return list(ZoneList, Source{
		Path: "/zones?account.id={account_id}", Paging: Paging{Kind: ByPage, Size: 50}, Permission: "Zone: Zone Read", Feeds: true,
		Example: `[{"id":"z1","name":"acme.example","status":"active","paused":false,"type":"full","verification_key":"drop",` +
			`"plan":{"legacy_id":"pro"},"name_servers":["a.ns.cloudflare.com"],"vanity_name_servers":["ns1.acme.example"]}]`,
	}, func(w zoneWire) Zone {
		return Zone{ID: w.ID, Name: ASCII(w.Name), Status: w.Status, Paused: w.Paused, Type: w.Type, Plan: w.Plan.LegacyID,
			NameServers: w.NameServers, Vanity: w.Vanity, CreatedOn: w.CreatedOn, DevMode: w.DevMode, Phishing: w.Meta.Phishing}
	})
}
