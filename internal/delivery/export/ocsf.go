package export

import (
	"io"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// ocsfVersion is the version of the OCSF schema.
const ocsfVersion = "1.8.0"

// Classes of OCSF, both of category 2, findings.
const (
	ocsfCategory   = 2
	ocsfCompliance = 2003
	ocsfDetection  = 2004
)

// ocsfEvent has the members of both classes; those that a class does not have are omitted. Times are
// milliseconds since 1970.
type ocsfEvent struct {
	ActivityID   int            `json:"activity_id"`
	ActivityName string         `json:"activity_name"`
	CategoryUID  int            `json:"category_uid"`
	CategoryName string         `json:"category_name"`
	ClassUID     int            `json:"class_uid"`
	ClassName    string         `json:"class_name"`
	TypeUID      int            `json:"type_uid"`
	Time         int64          `json:"time"`
	SeverityID   int            `json:"severity_id"`
	Severity     string         `json:"severity"`
	StatusID     int            `json:"status_id"`
	Status       string         `json:"status"`
	Message      string         `json:"message,omitempty"`
	Metadata     ocsfMetadata   `json:"metadata"`
	Cloud        ocsfCloud      `json:"cloud"`
	FindingInfo  ocsfInfo       `json:"finding_info"`
	Compliance   *ocsfCheck     `json:"compliance,omitempty"`
	Resources    []ocsfResource `json:"resources,omitempty"`
	Evidences    []ocsfEvidence `json:"evidences,omitempty"`
	Remediation  *ocsfText      `json:"remediation,omitempty"`
	Unmapped     map[string]any `json:"unmapped,omitempty"`
}

type ocsfMetadata struct {
	Version string `json:"version"`
	Product struct {
		Name       string `json:"name"`
		VendorName string `json:"vendor_name"`
		Version    string `json:"version,omitempty"`
	} `json:"product"`
	Profiles       []string `json:"profiles"`
	UID            string   `json:"uid"`
	CorrelationUID string   `json:"correlation_uid"`
	TenantUID      string   `json:"tenant_uid,omitempty"`
	Labels         []string `json:"labels,omitempty"`
}

type ocsfNamed struct {
	UID  string `json:"uid"`
	Name string `json:"name,omitempty"`
}

type ocsfCloud struct {
	Provider string    `json:"provider"`
	Account  ocsfNamed `json:"account"`
}

type ocsfInfo struct {
	UID           string      `json:"uid"`
	Title         string      `json:"title"`
	Desc          string      `json:"desc,omitempty"`
	Types         []string    `json:"types,omitempty"`
	FirstSeenTime int64       `json:"first_seen_time,omitempty"`
	LastSeenTime  int64       `json:"last_seen_time,omitempty"`
	Analytic      ocsfRule    `json:"analytic"`
	RelatedEvents []ocsfNamed `json:"related_events,omitempty"`
	AttackGraph   *ocsfGraph  `json:"attack_graph,omitempty"`
}

// ocsfRule identifies the rule that found it; type 1 is a rule.
type ocsfRule struct {
	TypeID  int    `json:"type_id"`
	Type    string `json:"type"`
	UID     string `json:"uid"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

type ocsfCheck struct {
	StatusID      int      `json:"status_id"`
	Status        string   `json:"status"`
	StatusCode    string   `json:"status_code"`
	StatusDetails []string `json:"status_details,omitempty"`
	Control       string   `json:"control"`
	Category      string   `json:"category,omitempty"`
	Desc          string   `json:"desc,omitempty"`
	Standards     []string `json:"standards"`
	Requirements  []string `json:"requirements,omitempty"`
}

type ocsfResource struct {
	UID       string `json:"uid"`
	Name      string `json:"name,omitempty"`
	Type      string `json:"type,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Provider  string `json:"provider"`
}

type ocsfEvidence struct {
	Name string           `json:"name,omitempty"`
	Data posture.Evidence `json:"data"`
}

type ocsfText struct {
	Desc string `json:"desc"`
}

// writeOCSF writes OCSF 1.8.0 events as NDJSON: a Compliance Finding for each FAIL, WARNING, UNKNOWN or
// PASS finding and for each that was closed, then a Detection Finding with its graph for each attack path.
func writeOCSF(w io.Writer, d Document) error {
	s := newSink(w)
	drain(s, d.Judged(), func(f posture.Finding) {
		s.json(ocsfFinding(d, f))
		s.text("\n")
	})
	nodes := s.nodes(d)
	s.eachPath(d, func(p posture.AttackPath) {
		s.json(ocsfPath(d, p, nodes))
		s.text("\n")
	})
	return s.done("OCSF")
}

// ocsfBase fills the members that every event of the document has.
func ocsfBase(d Document, class, activity int, uid string, severity posture.Severity, at time.Time) ocsfEvent {
	e := ocsfEvent{
		ActivityID: activity, ActivityName: []string{"Unknown", "Create", "Update", "Close"}[activity],
		CategoryUID: ocsfCategory, CategoryName: "Findings", ClassUID: class, ClassName: "Compliance Finding", TypeUID: class*100 + activity,
		Time: at.UnixMilli(), SeverityID: severity.Rank() + 1, Severity: ocsfCaption(severity), StatusID: 1, Status: "New",
		Cloud: ocsfCloud{Provider: "Cloudflare", Account: ocsfNamed{UID: d.Assessment.Account.ID, Name: d.Assessment.Account.Name}},
	}
	if class == ocsfDetection {
		e.ClassName = "Detection Finding"
	}
	e.Metadata = ocsfMetadata{Version: ocsfVersion, Profiles: []string{"cloud"}, UID: d.Assessment.ID + "/" + uid,
		CorrelationUID: d.Assessment.ID, TenantUID: d.Assessment.Account.ID}
	e.Metadata.Product.Name, e.Metadata.Product.VendorName, e.Metadata.Product.Version = product, product, d.Version
	e.Unmapped = map[string]any{"simulated_account": d.Assessment.Demo}
	e.Metadata.Labels = notices(d.Assessment)
	return e
}

// ocsfCaption is the caption of the severity id, which is the rank plus one.
func ocsfCaption(v posture.Severity) string {
	return []string{"Informational", "Low", "Medium", "High", "Critical"}[v.Rank()]
}

func ocsfFinding(d Document, f posture.Finding) ocsfEvent {
	first, last := seenAt(d, f.FirstSeen), seenAt(d, f.LastSeen)
	activity := 1
	switch {
	case f.Status == posture.StatusResolved && recurrent(f):
		activity = 3
	case recurrent(f):
		activity = 2
	}
	e := ocsfBase(d, ocsfCompliance, activity, f.ID, shownSeverity(f), last)
	switch {
	case f.Exception != nil:
		e.StatusID, e.Status = 3, "Suppressed"
		e.Unmapped["exception"] = f.Accepted()
	case f.Status == posture.StatusResolved:
		e.StatusID, e.Status = 4, "Resolved"
	}
	e.Message = worded(d, orElse(f.Message, f.Reason, f.Title))
	e.FindingInfo = ocsfInfo{UID: f.ID, Title: orElse(f.Title, f.CheckID), Desc: f.Why, Types: []string{string(f.Category)},
		FirstSeenTime: first.UnixMilli(), LastSeenTime: last.UnixMilli(),
		Analytic: ocsfRule{TypeID: 1, Type: "Rule", UID: f.CheckID, Name: orElse(f.CheckTitle, f.Title), Version: d.Assessment.CatalogueVersion}}
	e.Compliance = ocsfCheckOf(f)
	e.Resources = []ocsfResource{{UID: f.Resource.UID(), Name: f.Resource.Name, Type: string(f.Resource.Type),
		Namespace: f.Resource.Zone, Provider: "Cloudflare"}}
	for _, fact := range f.Evidence {
		e.Evidences = append(e.Evidences, ocsfEvidence{Name: fact.Source, Data: fact})
	}
	if f.Fix != "" {
		e.Remediation = &ocsfText{Desc: advice(f)}
	}
	e.Unmapped["risk"] = f.Risk
	if f.Impact != "" {
		e.Unmapped["impact"] = f.Impact
	}
	e.Unmapped["check_severity"] = f.Severity
	e.Unmapped["node_id"] = f.NodeID
	e.Unmapped["attack_path_ids"] = orEmpty(f.AttackPathIDs)
	if f.Permission != "" {
		e.Unmapped["missing_permission"] = f.Permission
	}
	return e
}

// ocsfCheckOf returns the verdict. In OCSF "Warning" means that the check had no result for lack of
// information, which is our UNKNOWN; our WARNING, a partly met check, has no number of its own and is
// "Other". status_code is our own result.
func ocsfCheckOf(f posture.Finding) *ocsfCheck {
	c := &ocsfCheck{StatusCode: string(f.Result), Control: f.CheckID, Category: string(f.Category), Desc: orElse(f.CheckTitle,
		f.Title), Standards: []string{}}
	switch f.Result {
	case posture.Pass:
		c.StatusID, c.Status = 1, "Pass"
	case posture.Unknown:
		c.StatusID, c.Status = 2, "Warning"
	case posture.Fail:
		c.StatusID, c.Status = 3, "Fail"
	default:
		c.StatusID, c.Status = 99, "Partly Met"
	}
	if f.Reason != "" {
		c.StatusDetails = []string{f.Reason}
	}
	for _, set := range frameworks(f.Controls) {
		if len(set.ids) > 0 {
			c.Standards = append(c.Standards, set.title)
		}
		for _, id := range set.ids {
			c.Requirements = append(c.Requirements, set.title+" "+id)
		}
	}
	return c
}
