// Package compliance maps the verdicts of one assessment to the controls of a framework. Every
// control of the framework is listed; a control for which nothing was judged is not assessed, which
// is neither good nor bad. It is pure.
package compliance

import "github.com/edgeposture/edgeposture/internal/core/posture"

// Status is the status of a control.
type Status string

// Pass: every check that decides passed, and one of them shows the control. Fail: none did.
// Partial: some did, or only checks that support it, or what could be read passed and the rest
// could not be read. NotAssessed: no check decides, none ran, or nothing could be read.
// NotApplicable: every check that ran found nothing to judge. The exact rule is in standing.go.
const (
	Pass          Status = "pass"
	Fail          Status = "fail"
	Partial       Status = "partial"
	NotAssessed   Status = "not_assessed"
	NotApplicable Status = "not_applicable"
)

// Framework names a catalogue of controls.
type Framework struct {
	ID      string `json:"id" enum:"cis,soc2,pci,nist"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// Control is one control with the result of the assessment.
type Control struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Group      string   `json:"group"`
	Status     Status   `json:"status" enum:"pass,fail,partial,not_assessed,not_applicable"`
	PassRate   *float64 `json:"passRate" doc:"Share of judged resources that passed, 0 to 1; a warning counts half. Null without any."`
	CheckIDs   []string `json:"checkIds" doc:"Checks that give evidence for the control, those that did not run included."`
	FindingIDs []string `json:"findingIds" doc:"FAIL, WARNING and UNKNOWN findings."`
	Checks     []Reason `json:"checks" doc:"The checks with how strong their evidence is, and why; in the order of checkIds."`
}

// Reason is why a check is evidence for a control. Touches decides nothing; only shows can make a
// control pass.
type Reason struct {
	CheckID  string           `json:"checkId"`
	Strength posture.Strength `json:"strength" enum:"shows,supports,touches"`
	Reason   string           `json:"reason"`
}

// Totals counts controls by status.
type Totals struct {
	Controls      int `json:"controls"`
	Pass          int `json:"pass"`
	Fail          int `json:"fail"`
	Partial       int `json:"partial"`
	NotAssessed   int `json:"notAssessed"`
	NotApplicable int `json:"notApplicable"`
}

// Report is the report of one framework on one assessment.
type Report struct {
	Framework    Framework `json:"framework"`
	AssessmentID string    `json:"assessmentId"`
	Score        *int      `json:"score" doc:"Mean pass rate of the controls, 0 to 100, rounded; 100 only when all are 1. Null without any."`
	Controls     []Control `json:"controls"`
	Totals       Totals    `json:"totals"`
}
