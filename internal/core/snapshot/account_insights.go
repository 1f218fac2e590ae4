package snapshot

import "encoding/json"

// AccountInsights holds the issues of the account and of all its zones.
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

// Open reports whether the issue still requires action; an issue with an unknown status does.
func (i Insight) Open() bool { return !i.Dismissed && i.Status != "resolved" }

type insightsWire struct {
	Count   int           `json:"count"`
	PerPage int           `json:"per_page"`
	Issues  []insightWire `json:"issues"`
}

type insightWire struct {
	ID        string `json:"id"`
	Type      string `json:"issue_type"`
	Class     string `json:"issue_class"`
	Severity  string `json:"severity"`
	Since     Time   `json:"since"`
	Status    string `json:"status"`
	Dismissed bool   `json:"dismissed"`
	Subject   string `json:"subject"`
	Verdict   string `json:"user_classification"`
	Advice    string `json:"resolve_text"`
	Payload   struct {
		ZoneTag string `json:"zone_tag"`
		Method  string `json:"detection_method"`
	} `json:"payload"`
}

// accountInsights lists the issues of the account and of all its zones. The list returns dismissed
// issues only on request, so there are two reads
// (developers.cloudflare.com/api/resources/security_center/subresources/insights/methods/list/).
func accountInsights() Source {
	const path = "/accounts/{account_id}/security-center/insights?dismissed="
	return nested(AccountInsights, Source{
		Path: path + "false", More: []string{path + "true"}, Volatile: true, Permission: "Account: Account Security Center Insights",
		Paging: Paging{Kind: ByPage, Size: 1000, Totals: insightTotals},
		Example: `{"count":1,"page":1,"per_page":1000,"issues":[{"id":"i1","issue_type":"exposed_infrastructure",` +
			`"issue_class":"a_record_dangling","severity":"Critical",` +
			`"since":"2026-01-01T00:00:00Z","timestamp":"2026-01-02T00:00:00Z","status":"active","dismissed":false,"subject":"old.acme.example",` +
			`"resolve_link":"drop",` +
			`"payload":{"zone_tag":"z1","detection_method":"DNS","detail":"drop"}}]}`,
	}, func(page insightsWire) []insightWire { return page.Issues }, func(w insightWire) Insight {
		return Insight{ID: w.ID, Type: w.Type, Class: w.Class, Severity: w.Severity, Since: w.Since, Status: w.Status, Dismissed: w.Dismissed,
			Subject: w.Subject, Verdict: w.Verdict, ZoneID: w.Payload.ZoneTag, Method: w.Payload.Method, Advice: w.Advice}
	})
}

// insightTotals reads the paging information, which is inside the result. It is not documented
// whether the count is that of the page or of the list: only a count above the page size is
// certainly that of the list.
func insightTotals(result json.RawMessage) Totals {
	var w insightsWire
	if json.Unmarshal(result, &w) != nil {
		return Totals{}
	}
	info := Totals{Count: len(w.Issues), PerPage: w.PerPage}
	if w.PerPage > 0 && w.Count > w.PerPage {
		info.Total = w.Count
	}
	return info
}
