package snapshot

// AccountInsights holds what the provider itself reports about the account,
// dismissed issues included.
const AccountInsights Key[[]Insight] = "account/insights"

// Insight is one issue. Severity is Low, Moderate or Critical; Class names the
// kind of issue in more detail than Type.
type Insight struct {
	ID        string `json:"id"`
	Type      string `json:"issue_type"`
	Class     string `json:"issue_class"`
	Severity  string `json:"severity"`
	Since     Time   `json:"since,omitzero"`
	Status    string `json:"status"`
	Dismissed bool   `json:"dismissed"`
	Subject   string `json:"subject"`
	Verdict   string `json:"user_classification,omitempty"`
	ZoneID    string `json:"zone_tag,omitempty"`
	Method    string `json:"detection_method,omitempty"`
	Advice    string `json:"resolve_text,omitempty"`
}

// SortKey orders issues by id.
func (i Insight) SortKey() string { return i.ID }

// Open reports whether the issue still asks for something, as one with a status nobody knows does.
func (i Insight) Open() bool { return !i.Dismissed && i.Status != "resolved" }
