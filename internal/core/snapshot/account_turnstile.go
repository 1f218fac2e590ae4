package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// AccountTurnstile holds the Turnstile widgets.
const AccountTurnstile Key[[]TurnstileWidget] = "account/turnstile"

// TurnstileWidget is a challenge for forms. Key is a short digest of the site key, to distinguish
// widgets with the same name.
type TurnstileWidget struct {
	Key     string   `json:"key"`
	Name    string   `json:"name"`
	Domains []string `json:"domains"`
	// Mode is how the widget tests visitors, Clearance what it grants beyond its own form.
	Mode      string `json:"mode,omitempty"`
	Clearance string `json:"clearance_level,omitempty"`
}

// SortKey orders widgets by name.
func (w TurnstileWidget) SortKey() string {
	if w.Key == "" {
		return ""
	}
	return w.Name + " " + w.Key
}

type widgetWire struct {
	SiteKey string   `json:"sitekey"`
	Name    string   `json:"name"`
	Domains []string `json:"domains"`
	Mode    string   `json:"mode"`
	Level   string   `json:"clearance_level"`
}

// accountTurnstile lists the widgets; only a short digest of the site key is kept
// (developers.cloudflare.com/api/resources/turnstile/subresources/widgets/methods/list/).
func accountTurnstile() Source {
	return list(AccountTurnstile, Source{
		Path: "/accounts/{account_id}/challenges/widgets", Paging: Paging{Kind: ByPage, Size: 1000}, Permission: "Account: Turnstile Read",
		Example: `[{"sitekey":"0x4AAAdrop","name":"login","domains":["acme.example"],"mode":"managed","clearance_level":"no_clearance",` +
			`"bot_fight_mode":false,"offlabel":false,"secret":"drop"}]`,
	}, func(w widgetWire) TurnstileWidget {
		if w.SiteKey == "" {
			return TurnstileWidget{}
		}
		sum := sha256.Sum256([]byte(w.SiteKey))
		domains := ASCIIAll(slices.Clone(w.Domains)) // nil when Cloudflare does not tell them
		slices.Sort(domains)
		return TurnstileWidget{Key: hex.EncodeToString(sum[:4]), Name: w.Name, Domains: domains, Mode: w.Mode, Clearance: w.Level}
	})
}
