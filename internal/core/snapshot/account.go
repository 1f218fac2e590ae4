package snapshot

import "fmt"

// Account-wide sources.
const (
	AccountMembers       Key[[]Member]       = "account/members"
	AccountSSOConnectors Key[[]SSOConnector] = "account/sso_connectors"
	AccountIPAccessRules Key[[]IPAccessRule] = "account/ip_access_rules"
	AccountLogpushJobs   Key[[]LogpushJob]   = "account/logpush_jobs"
	AccountLists         Key[[]List]         = "account/lists"
	AccountListItems     Key[[]ListItem]     = "account/list_items" // scope: list id
	AlertPolicies        Key[[]AlertPolicy]  = "account/alert_policies"
	AlertAvailable       Key[[]AlertType]    = "account/alert_available"
	AlertWebhooks        Key[[]AlertWebhook] = "account/alert_webhooks"
)

// Member is a person or service with access to the account. EmailDomain is all
// that is kept of the address besides a masked form.
type Member struct {
	ID          string   `json:"id"`
	Email       string   `json:"email"` // local part masked
	EmailDomain string   `json:"email_domain"`
	Status      string   `json:"status"`
	HasUser     bool     `json:"has_user"`
	TwoFactor   bool     `json:"two_factor"`
	Roles       []string `json:"roles"`
}

// SortKey orders members by id.
func (m Member) SortKey() string { return m.ID }

// SSOConnector routes logins of one e-mail domain through an identity provider.
type SSOConnector struct {
	ID           string `json:"id"`
	EmailDomain  string `json:"email_domain"`
	Enabled      bool   `json:"enabled"`
	Verification string `json:"verification"`
}

// SortKey orders connectors by id.
func (c SSOConnector) SortKey() string { return c.ID }

// Covers reports whether the connector is in force.
func (c SSOConnector) Covers() bool { return c.Enabled && c.Verification == "verified" }

// IPAccessRule is an allow entry of the IP access rules.
type IPAccessRule struct {
	ID         string `json:"id"`
	Mode       string `json:"mode"`
	Target     string `json:"target"`
	Value      string `json:"value"`
	HasNotes   bool   `json:"has_notes"`
	Scope      string `json:"scope,omitempty"`
	CreatedOn  Time   `json:"created_on,omitzero"`
	ModifiedOn Time   `json:"modified_on,omitzero"`
}

// SortKey orders rules by id.
func (r IPAccessRule) SortKey() string { return r.ID }

// LogpushJob exports one dataset. Destination is scheme and host only.
type LogpushJob struct {
	ID           int     `json:"id"`
	Name         string  `json:"name"`
	Dataset      string  `json:"dataset"`
	Enabled      bool    `json:"enabled"`
	LastComplete Time    `json:"last_complete,omitzero"`
	LastError    Time    `json:"last_error,omitzero"`
	HasError     bool    `json:"has_error"`
	SampleRate   float64 `json:"sample_rate"`
	Destination  string  `json:"destination"`
}

// SortKey orders jobs by id, as text of fixed width.
func (j LogpushJob) SortKey() string {
	if j.ID == 0 {
		return ""
	}
	return fmt.Sprintf("%012d", j.ID)
}

// Failing reports whether the last thing the job did was fail.
func (j LogpushJob) Failing() bool {
	return !j.LastError.IsZero() && j.LastError.After(j.LastComplete.Time)
}

// List is an account list used by rules.
type List struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	Items      int    `json:"num_items"`
	References int    `json:"num_referencing_filters"`
}

// SortKey orders lists by id.
func (l List) SortKey() string { return l.ID }

// ListItem is an address, an autonomous system, a host name or a redirect of a list.
type ListItem struct {
	ID       string        `json:"id"`
	IP       string        `json:"ip,omitempty"`
	ASN      int           `json:"asn,omitempty"`
	Hostname *ListHostname `json:"hostname,omitempty"`
	Redirect *ListRedirect `json:"redirect,omitempty"`
}

// ListHostname is a host name of a list; one that starts with "*." stands for the names below it.
type ListHostname struct {
	Host string `json:"url_hostname"`
}

// ListRedirect is a bulk redirect. A source without a scheme stands for both
// (developers.cloudflare.com/rules/url-forwarding/bulk-redirects/reference/parameters/).
type ListRedirect struct {
	Source     string `json:"source_url"`
	Target     string `json:"target_url"`
	Subdomains bool   `json:"include_subdomains,omitempty"`
	Subpaths   bool   `json:"subpath_matching,omitempty"`
}

// SortKey orders items by id.
func (i ListItem) SortKey() string { return i.ID }

// AlertPolicy is a notification. Mechanisms counts destinations by type.
type AlertPolicy struct {
	ID        string              `json:"id"`
	Name      string              `json:"name"`
	Enabled   bool                `json:"enabled"`
	AlertType string              `json:"alert_type"`
	Emails    int                 `json:"emails"`
	EmailKeys []string            `json:"email_keys"` // short digests, to tell addresses apart
	Webhooks  []string            `json:"webhooks"`   // ids
	PagerDuty int                 `json:"pagerduty"`
	Filters   map[string][]string `json:"filters"`
}

// SortKey orders policies by id.
func (p AlertPolicy) SortKey() string { return p.ID }

// Mechanisms counts the destinations of the policy.
func (p AlertPolicy) Mechanisms() int { return p.Emails + len(p.Webhooks) + p.PagerDuty }

// AlertType is an alert the account may subscribe to.
type AlertType struct {
	Product string `json:"product"`
	Type    string `json:"type"`
	Name    string `json:"display_name"`
}

// AlertWebhook is a webhook destination; URL is scheme and host only.
type AlertWebhook struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Type        string `json:"type"`
	URL         string `json:"url"`
	LastSuccess Time   `json:"last_success,omitzero"`
	LastFailure Time   `json:"last_failure,omitzero"`
}

// SortKey orders webhooks by id.
func (w AlertWebhook) SortKey() string { return w.ID }
