package posture

import "time"

// PermissionReport says what a token may read and which checks are UNKNOWN as a result.
type PermissionReport struct {
	Account   AccountName `json:"account"`
	Token     TokenInfo   `json:"token"`
	CheckedAt time.Time   `json:"checkedAt"`
	Requests  int         `json:"requests" doc:"Provider requests the report cost."`
	// Zone is the zone on which the zone permissions were tested.
	Zone        string               `json:"zone,omitempty"`
	Permissions []PermissionStatus   `json:"permissions"`
	Categories  []CategoryPermission `json:"categories"`
	Missing     []string             `json:"missing" doc:"Permissions the token was refused, sorted."`
	// Form opens the provider's token form with the missing permissions filled in, FullForm with
	// all of them, for a new token.
	Form     TokenForm `json:"form"`
	FullForm TokenForm `json:"fullForm"`
}

// AccountName names an account; ID is the provider's id.
type AccountName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// TokenForm is a link to the provider's token form. ByHand lists permissions that the link cannot
// preselect; people select them in the form.
type TokenForm struct {
	URL    string   `json:"url"`
	ByHand []string `json:"byHand"`
	// Undocumented permissions are in the link under a key that Cloudflare's reference of the form
	// does not list.
	Undocumented []string `json:"undocumented" doc:"In the link under a key Cloudflare does not document; check that the form shows them."`
}

// The states of a permission. Untried means that no read could tell: the account has nothing the
// permission applies to.
const (
	PermissionGranted = "granted"
	PermissionMissing = "missing"
	PermissionUntried = "untried"
)

// PermissionStatus is one permission and what depends on it.
type PermissionStatus struct {
	Permission string     `json:"permission" doc:"As the dashboard calls it."`
	Group      string     `json:"group" doc:"As the API calls it."`
	Status     string     `json:"status" enum:"granted,missing,untried"`
	Reason     string     `json:"reason,omitempty"`
	CheckIDs   []string   `json:"checkIds" doc:"Checks that are UNKNOWN without it."`
	Categories []Category `json:"categories"`
}

// CategoryPermission is what one category lacks.
type CategoryPermission struct {
	Category Category `json:"category"`
	Checks   int      `json:"checks"`
	Blind    []string `json:"blind" doc:"Checks that are UNKNOWN with this token."`
	Missing  []string `json:"missing"`
}
