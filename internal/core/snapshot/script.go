package snapshot

// Sources of scripts the edge adds to pages and requests.
const (
	AccountTurnstile Key[[]TurnstileWidget] = "account/turnstile"
	ZoneZaraz        Key[Zaraz]             = "zone/zaraz_config"
	ZoneSnippets     Key[[]Snippet]         = "zone/snippets"
	SnippetContent   Key[SnippetScan]       = "snippet/content" // scope: zone id/snippet name
)

// TurnstileWidget is a challenge for forms. Key is a short digest of the site
// key, to tell widgets of one name apart.
type TurnstileWidget struct {
	Key     string   `json:"key"`
	Name    string   `json:"name"`
	Domains []string `json:"domains"`
}

// SortKey orders widgets by name.
func (w TurnstileWidget) SortKey() string {
	if w.Key == "" {
		return ""
	}
	return w.Name + " " + w.Key
}

// Zaraz is the configuration of the tag manager. Purposes are the ids of the
// purposes visitors may consent to.
type Zaraz struct {
	Consent   bool            `json:"consent"`
	Purposes  []string        `json:"purposes"`
	Tools     []ZarazTool     `json:"tools"`
	Variables []ZarazVariable `json:"variables"`
}

// ZarazTool is a third-party tool. Purpose is the id of the one it is tied to.
type ZarazTool struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Enabled     bool     `json:"enabled"`
	Type        string   `json:"type"`
	Component   string   `json:"component,omitempty"`
	Purpose     string   `json:"purpose,omitempty"`
	Permissions []string `json:"permissions"`
}

// ZarazVariable is a value tools share. The value is judged while it is read and
// never stored: Kind names the credential shape it matched.
type ZarazVariable struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	Kind string `json:"credential_kind,omitempty"`
}

// Snippet is a piece of code that runs on requests to a zone.
type Snippet struct {
	Name       string `json:"snippet_name"`
	ModifiedOn Time   `json:"modified_on,omitzero"`
}

// SortKey orders snippets by name.
func (s Snippet) SortKey() string { return s.Name }

// SnippetScan is what was found in the code of a snippet while it was read; the
// code itself is never stored.
type SnippetScan struct {
	Hits []SnippetHit `json:"hits"`
}

// SnippetHit is a line that holds a credential of a known shape, or, with an
// empty Kind, a long literal under the name of a secret.
type SnippetHit struct {
	Kind string `json:"credential_kind,omitempty"`
	Line int    `json:"line"`
}
