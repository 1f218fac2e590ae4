package export

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// ASFF holds the AWS account and region for an import of findings into AWS Security Hub. An assessment
// of another provider does not know them, so the importer sets them.
type ASFF struct {
	// AccountID is the AWS account, 12 digits; empty means the placeholder
	// 000000000000, which must be replaced before the import.
	AccountID string
	// Region is the AWS region, at most 16 characters; empty means us-east-1.
	Region string
}

// Limits of BatchImportFindings. Source: AWS Security Hub API reference. KB and MB are taken as powers
// of ten, the smaller interpretation.
const (
	ASFFPerRequest   = 100
	ASFFRequestBytes = 6_000_000
	asffFindingBytes = 240_000
)

type asffFinding struct {
	SchemaVersion   string
	ID              string `json:"Id"`
	ProductArn      string
	ProductName     string
	CompanyName     string
	GeneratorID     string `json:"GeneratorId"`
	AwsAccountID    string `json:"AwsAccountId"`
	Region          string
	Types           []string
	FirstObservedAt string
	LastObservedAt  string
	CreatedAt       string
	UpdatedAt       string
	Severity        asffSeverity
	Title           string
	Description     string
	Remediation     *asffRemediation `json:",omitempty"`
	ProductFields   map[string]string
	Resources       []asffResource
	Compliance      asffCompliance
	Workflow        asffStatus
	RecordState     string
	Sample          bool `json:",omitempty"`
}

type asffSeverity struct{ Label, Original string }

type asffRemediation struct{ Recommendation struct{ Text string } }

type asffResource struct {
	Type      string
	ID        string `json:"Id"`
	Partition string
	Region    string
	Details   struct{ Other map[string]string }
}

type asffCompliance struct {
	Status              string
	RelatedRequirements []string           `json:",omitempty"`
	StatusReasons       []asffStatusReason `json:",omitempty"`
}

type asffStatusReason struct{ ReasonCode, Description string }

type asffStatus struct{ Status string }

// ASFFFinding is one finding in the form of an import, with its id there.
type ASFFFinding struct {
	ID   string
	Body []byte // one JSON object
}

// ASFFFindings yields FAIL, WARNING, UNKNOWN and PASS findings in report order, then those that were closed,
// which Security Hub would keep for ever otherwise. An error ends it.
func ASFFFindings(d Document) iter.Seq2[ASFFFinding, error] {
	return func(yield func(ASFFFinding, error) bool) {
		target, err := asffTargetOf(d.ASFF)
		if err != nil {
			yield(ASFFFinding{}, err)
			return
		}
		for f, err := range d.Judged() {
			var out ASFFFinding
			if err == nil {
				out, err = asffBody(d, target, f)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

func asffBody(d Document, target asffTarget, f posture.Finding) (ASFFFinding, error) {
	one := asffOf(d, target, f)
	line, err := json.Marshal(one)
	if err == nil && len(line) > asffFindingBytes {
		err = fmt.Errorf("finding %s takes %d bytes, more than an import accepts", f.ID, len(line))
	}
	return ASFFFinding{ID: one.ID, Body: line}, err
}

// writeASFF writes the AWS Security Finding Format as NDJSON: each line is the
// body of one BatchImportFindings call, {"Findings":[...]}, within the limits of
// a call.
func writeASFF(w io.Writer, d Document) error {
	s := newSink(w)
	const head, tail = `{"Findings":[`, "]}\n"
	n, size := 0, 0
	for f, err := range ASFFFindings(d) {
		if s.err == nil {
			s.err = err
		}
		if s.err != nil {
			break
		}
		line := f.Body
		if n == ASFFPerRequest || n > 0 && size+len(",")+len(line)+len(tail) > ASFFRequestBytes {
			s.text(tail)
			n = 0
		}
		if n == 0 {
			s.text(head)
			size = len(head)
		}
		s.text(comma(n))
		s.bytes(line)
		size += len(comma(n)) + len(line)
		n++
	}
	if n > 0 {
		s.text(tail)
	}
	return s.done("ASFF")
}

type asffTarget struct{ account, region, partition, product string }

func asffTargetOf(a ASFF) (asffTarget, error) {
	t := asffTarget{account: orElse(a.AccountID, "000000000000"), region: orElse(a.Region, "us-east-1"), partition: "aws"}
	if !regexp.MustCompile(`^[0-9]{12}$`).MatchString(t.account) {
		return t, fmt.Errorf("the AWS account %.40q is not 12 digits", t.account)
	}
	if !regexp.MustCompile(`^[a-z0-9-]{1,16}$`).MatchString(t.region) {
		return t, fmt.Errorf("the AWS region %.40q is not a region name like us-east-1", t.region)
	}
	switch {
	case strings.HasPrefix(t.region, "cn-"):
		t.partition = "aws-cn"
	case strings.HasPrefix(t.region, "us-gov-"):
		t.partition = "aws-us-gov"
	}
	t.product = "arn:" + t.partition + ":securityhub:" + t.region + ":" + t.account + ":product/" + t.account + "/default"
	return t, nil
}

func asffOf(d Document, t asffTarget, f posture.Finding) asffFinding {
	out := asffFinding{
		SchemaVersion: "2018-10-08", ID: cut("edgeposture/"+d.Assessment.Account.ID+"/"+f.ID, 512), ProductArn: t.product, ProductName: product,
		CompanyName: product,
		GeneratorID: cut("edgeposture/"+f.CheckID, 512), AwsAccountID: t.account, Region: t.region,
		Types:           []string{"Software and Configuration Checks/Industry and Regulatory Standards"},
		FirstObservedAt: stamp(seenAt(d, f.FirstSeen)), CreatedAt: stamp(seenAt(d, f.FirstSeen)), LastObservedAt: stamp(seenAt(d, f.LastSeen)),
		UpdatedAt:     stamp(d.Assessment.CompletedAt), // it moves with each import, also when something passes
		Severity:      asffSeverity{Label: asffLabel(shownSeverity(f)), Original: cut(orElse(string(f.Severity), "none"), 64)},
		Title:         cut(orElse(f.Title, f.CheckID, "Untitled check"), 256),
		Description:   cut(worded(d, orElse(f.Message, f.Reason, f.Title, "No message.")), 1024),
		ProductFields: asffFields(d, f), Resources: []asffResource{asffResourceOf(d, t, f)},
		Compliance: asffComplianceOf(f), Workflow: asffStatus{"NEW"}, RecordState: "ACTIVE", Sample: d.Assessment.Demo,
	}
	if f.Fix != "" {
		out.Remediation = &asffRemediation{}
		out.Remediation.Recommendation.Text = cut(advice(f), 512)
	}
	switch {
	case f.Exception != nil:
		out.Workflow.Status = "SUPPRESSED"
	case f.Result == posture.Pass || f.Status == posture.StatusResolved:
		out.Workflow.Status = "RESOLVED"
	}
	if f.Status == posture.StatusResolved {
		out.RecordState = "ARCHIVED"
	}
	return out
}

func asffLabel(v posture.Severity) string {
	if v.Rank() == 0 {
		return "INFORMATIONAL"
	}
	return strings.ToUpper(string(v))
}

func asffComplianceOf(f posture.Finding) asffCompliance {
	out := asffCompliance{Status: "NOT_AVAILABLE"}
	switch f.Result {
	case posture.Fail:
		out.Status = "FAILED"
	case posture.Warning:
		out.Status = "WARNING"
	case posture.Pass:
		out.Status = "PASSED"
	case posture.Unknown, posture.NotApplicable:
		out.StatusReasons = []asffStatusReason{{ReasonCode: "EDGEPOSTURE_" + string(f.Result),
			Description: cut(orElse(f.Reason, f.Message, "The check could not judge."), 1024)}}
	}
	for _, set := range frameworks(f.Controls) {
		for _, id := range set.ids {
			if len(out.RelatedRequirements) < 32 {
				out.RelatedRequirements = append(out.RelatedRequirements, cut(set.title+"/"+id, 64))
			}
		}
	}
	return out
}

// asffResourceOf describes the resource with the type Other: AWS has no type for it.
func asffResourceOf(d Document, t asffTarget, f posture.Finding) asffResource {
	out := asffResource{Type: "Other", ID: cut(f.Resource.UID(), 512), Partition: t.partition, Region: t.region}
	out.Details.Other = fields(1024, map[string]string{
		"type": string(f.Resource.Type), "id": f.Resource.ID, "name": f.Resource.Name, "zone": f.Resource.Zone, "zoneId": f.Resource.ZoneID,
		"accountId": d.Assessment.Account.ID, "accountName": d.Assessment.Account.Name,
	})
	return out
}

// asffFields holds what has no ASFF field. At most 5 evidence items are included: with values of 1,024
// characters, each at most 6 bytes in JSON, a finding always stays below its size limit.
func asffFields(d Document, f posture.Finding) map[string]string {
	all := map[string]string{
		"category": string(f.Category), "result": string(f.Result), "status": string(f.Status), "nodeId": f.NodeID, "why": f.Why,
		"reason":     f.Reason,
		"permission": f.Permission, "exception": f.Accepted(), "attackPathIds": strings.Join(f.AttackPathIDs, " "),
		"risk":         strconv.FormatFloat(f.Risk, 'f', -1, 64),
		"assessmentId": d.Assessment.ID, "catalogueVersion": d.Assessment.CatalogueVersion,
	}
	if d.Assessment.Demo {
		all["simulatedAccount"] = demoNotice
	}
	if words := d.Assessment.Scope.Words(); words != "" {
		all["scope"] = words
	}
	for i, e := range f.Evidence {
		if i == 5 {
			all["evidenceLeftOut"] = strconv.Itoa(len(f.Evidence) - i)
			break
		}
		all["evidence/"+strconv.Itoa(i+1)] = strings.Join([]string{cut(e.Source, 1024), cut(e.Pointer, 1024), cut(e.Observed, 1024),
			cut(e.Expected, 1024)}, " ")
	}
	named := make(map[string]string, len(all))
	for name, value := range all {
		named["edgeposture/"+name] = value
	}
	return fields(1024, named)
}

// fields cuts the values of a map and drops empty ones.
func fields(limit int, all map[string]string) map[string]string {
	for name, value := range all {
		if value == "" {
			delete(all, name)
			continue
		}
		all[name] = cut(value, limit)
	}
	return all
}
