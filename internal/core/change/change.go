// Package change holds the data of remediation: one write to the provider, the edit it is part of,
// the plan people read, and the bundle that records what was done and how to undo it. It is pure;
// nothing here can send.
package change

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Call is one write to the provider. Path is relative to the base address of the API and may hold
// {created}, which stands for the id of the object at the Place of its Edit. A nil Body sends none.
type Call struct {
	Method string            `json:"method"`
	Path   string            `json:"path"`
	Header map[string]string `json:"header,omitempty"`
	Body   json.RawMessage   `json:"body,omitempty"`
}

// Created in the path of a Call stands for an id only the provider knows.
const Created = "{created}"

// Parent in the path of a Call stands for the id of the object's parent: of the result of the Path
// of its Place.
const Parent = "{parent}"

// Place is where an object of the provider is read. Without Match it is the result of Path itself.
// With Match, it is the first item of a list that has all the members of Match: of the result, or
// of its member Within. An empty result and "not found" are equivalent: the object is absent, which
// is null.
type Place struct {
	Path   string            `json:"path"`
	Header map[string]string `json:"header,omitempty"`
	Within string            `json:"within,omitempty"`
	Match  map[string]any    `json:"match,omitempty"`
}

// Edit is one change to one object. Before and After hold the members that change, as they are and
// as they will be; null means that there is no object. Undo is nil when the change cannot be
// undone. Whole is set when Undo writes the complete object, so it may run only while nobody else
// has changed any of it. Again is where the restored object is found when it gets a new id.
type Edit struct {
	Place  Place           `json:"place"`
	Again  *Place          `json:"again,omitempty"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	Do     Call            `json:"do"`
	Undo   *Call           `json:"undo,omitempty"`
	// Or is an alternative to After that the provider may show after the change, such as pending
	// for what takes effect later.
	Or json.RawMessage `json:"or,omitempty"`
	// Moved is set when the provider chooses the new value: the change has landed when the old
	// value is gone, and After is a description in words.
	Moved bool `json:"moved,omitempty"`
	Whole bool `json:"whole,omitempty"`
	// Bar prevents Undo from being sent while it would do harm; force does not override it.
	Bar *Bar `json:"bar,omitempty"`
	// Label distinguishes edits of one finding, for example by the name of a bucket's domain.
	Label string `json:"label,omitempty"`
}

// Bar is a state of the object in which Undo must not be sent, and why, as half a sentence without
// a final dot.
type Bar struct {
	When json.RawMessage `json:"when"`
	Why  string          `json:"why"`
}

// Risk of a change, as stated by the check it belongs to.
const (
	Low    = "low"
	Medium = "medium"
	High   = "high"
)

// Change is one edit in readable form.
type Change struct {
	ID         string           `json:"id"`
	CheckID    string           `json:"checkId"`
	Title      string           `json:"title"`
	Severity   posture.Severity `json:"severity"`
	FindingID  string           `json:"findingId"`
	Resource   posture.Resource `json:"resource"`
	Object     string           `json:"object,omitempty" doc:"Which part of the resource, when the finding covers several."`
	Operation  string           `json:"operation" doc:"Method and path of Cloudflare's API."`
	Before     json.RawMessage  `json:"before" doc:"The members that change, as they are; null: the object does not exist."`
	After      json.RawMessage  `json:"after" doc:"The members that change, as they will be; null: the object will not exist."`
	Risk       string           `json:"risk" enum:"low,medium,high"`
	Reversible bool             `json:"reversible"`
	Caution    string           `json:"caution,omitempty"`
	Exception  string           `json:"exception,omitempty" doc:"Why the risk is accepted, when the finding was named all the same."`
	// RemovesPathIDs are the attack paths that this change breaks by itself.
	RemovesPathIDs []string `json:"removesPathIds"`
	Rationale      string   `json:"rationale,omitempty" doc:"A note of the AI planner."`
}

// Manual is a finding that a person has to fix, or has to choose a value for.
type Manual struct {
	FindingID string           `json:"findingId"`
	CheckID   string           `json:"checkId"`
	Resource  posture.Resource `json:"resource"`
	Fix       string           `json:"fix"`
	Inputs    []Input          `json:"inputs,omitempty" doc:"Values that would let the service make the change; send them as inputs."`
}

// Input is a value only a person can choose. It has no default.
type Input struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Example     string `json:"example"`
}

// Skipped is a finding that is left alone, and why.
type Skipped struct {
	FindingID string           `json:"findingId"`
	CheckID   string           `json:"checkId"`
	Resource  posture.Resource `json:"resource"`
	Reason    string           `json:"reason"`
	// Compliant is set when the live value is already right.
	Compliant bool `json:"compliant,omitempty"`
}

// Advice describes the part the AI planner had in a plan.
type Advice struct {
	Used     bool   `json:"used"`
	Provider string `json:"provider,omitempty"`
	Note     string `json:"note,omitempty"`
	// Sent is the redacted request, so that people can see what left the service.
	Sent json.RawMessage `json:"sent,omitempty"`
}

// Plan is what would be changed, in the order of execution.
type Plan struct {
	ID           string             `json:"id"`
	AssessmentID string             `json:"assessmentId"`
	Account      posture.AccountRef `json:"account"`
	RequestedBy  *access.Party      `json:"requestedBy,omitempty" doc:"Who asked for it, and so may not approve it; absent when nobody knows."`
	CreatedAt    time.Time          `json:"createdAt"`
	ExpiresAt    time.Time          `json:"expiresAt"`
	Digest       string             `json:"digest" doc:"SHA-256 over what would be sent and what is there now, as hex."`
	Changes      []Change           `json:"changes"`
	Manual       []Manual           `json:"manual"`
	Skipped      []Skipped          `json:"skipped"`
	PathsRemoved []string           `json:"pathsRemoved"`
	AI           Advice             `json:"ai"`
}

// Has reports whether the plan says anything about a check.
func (p Plan) Has(checkID string) bool {
	return slices.ContainsFunc(p.Changes, func(c Change) bool { return c.CheckID == checkID }) ||
		slices.ContainsFunc(p.Manual, func(m Manual) bool { return m.CheckID == checkID }) ||
		slices.ContainsFunc(p.Skipped, func(s Skipped) bool { return s.CheckID == checkID })
}

// Step is a change with the edit behind it.
type Step struct {
	Change Change `json:"change"`
	Edit   Edit   `json:"edit"`
}

// Kept is a plan as stored: what was shown, and the steps behind it, in the same order. Inputs are
// the values the caller chose.
type Kept struct {
	Plan   Plan   `json:"plan"`
	Steps  []Step `json:"steps"`
	Inputs Inputs `json:"inputs,omitempty"`
}

// Inputs are the values people chose, by check id and name.
type Inputs map[string]map[string]json.RawMessage
