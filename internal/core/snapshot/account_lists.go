package snapshot

const (
	// AccountLists holds the lists that rules may name.
	AccountLists Key[[]List] = "account/lists"
	// AccountListItems holds the items of the lists that rules refer to.
	AccountListItems Key[[]ListItem] = "account/list_items" // scope: list id
)

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

// ListItem is an address, an autonomous system, a hostname or a redirect of a list.
type ListItem struct {
	ID       string        `json:"id"`
	IP       string        `json:"ip,omitempty"`
	ASN      int           `json:"asn,omitempty"`
	Hostname *ListHostname `json:"hostname,omitempty"`
	Redirect *ListRedirect `json:"redirect,omitempty"`
}

// ListHostname is a hostname in a list; one that starts with "*." stands for the names below it.
type ListHostname struct {
	Host string `json:"url_hostname"`
}

// ListRedirect is a bulk redirect. A source without a scheme stands for both; what a subpath has
// besides the source is kept unless KeepSuffix says otherwise
// (developers.cloudflare.com/rules/url-forwarding/bulk-redirects/reference/parameters/).
type ListRedirect struct {
	Source     string `json:"source_url"`
	Target     string `json:"target_url"`
	Subdomains bool   `json:"include_subdomains,omitempty"`
	Subpaths   bool   `json:"subpath_matching,omitempty"`
	KeepSuffix *bool  `json:"preserve_path_suffix,omitempty"`
	KeepQuery  bool   `json:"preserve_query_string,omitempty"`
	StatusCode int    `json:"status_code,omitempty"`
}

// SortKey orders items by id.
func (i ListItem) SortKey() string { return i.ID }

// accountLists reads the lists that rules may name
// (developers.cloudflare.com/api/resources/rules/subresources/lists/methods/list/).
func accountLists() Source {
	return list(AccountLists, Source{
		Path: "/accounts/{account_id}/rules/lists", Permission: "Account: Account Filter Lists Read",
		Example: `[{"id":"l1","name":"office","kind":"ip","num_items":2,"num_referencing_filters":1}]`,
	}, asRead[List])
}

// mostRedirects is the size up to which a list of redirects is read: a request returns at most 500.
const mostRedirects = 2500

// accountListItems reads the items of the lists that rules refer to
// (developers.cloudflare.com/api/resources/rules/subresources/lists/subresources/items/methods/list/).
func accountListItems() Source {
	return list(AccountListItems, Source{
		Path: "/accounts/{account_id}/rules/lists/{item}/items", Paging: Paging{Kind: ByCursor, Size: 500},
		Permission: "Account: Account Filter Lists Read", Parent: AccountLists.Source(),
		Items: idsOf(AccountLists, func(l List) bool {
			return l.References > 0 && (l.Kind != "redirect" || l.Items <= mostRedirects)
		}),
		Example: `[{"id":"i1","ip":"10.0.0.0/8","comment":"drop"}]`,
	}, asRead[ListItem])
}
