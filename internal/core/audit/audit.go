// Package audit is the vocabulary of the service's own audit log: what an entry is, how entries are
// chained, and how the chain is verified. The store keeps the entries. An entry never holds a body,
// a token, a query string or a header.
package audit

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Ending is how a call ended.
type Ending string

// The outcomes. An admitted call was let through and ends later; a job records the result.
const (
	Admitted  Ending = "admitted"
	Refused   Ending = "refused"
	Succeeded Ending = "succeeded"
	Failed    Ending = "failed"
)

// Outcomes lists every outcome.
func Outcomes() []Ending { return []Ending{Admitted, Refused, Succeeded, Failed} }

// Action is what was called. API actions follow from the routes; the others are listed here.
type Action string

// The actions that are not API calls.
const (
	Start        Action = "process.start"
	Stop         Action = "process.stop"
	GateApply    Action = "gate.apply"     // a worker asked the gate before the writes of a job
	GateRollback Action = "gate.rollback"  //
	Write        Action = "provider.write" // one change at the provider
	Fired        Action = "schedules.fire" // a due time started a job
	Tool         Action = "mcp.call"
	Read         Action = "read"      // a read that was refused; never an admitted one
	Cut          Action = "audit.cut" // a checkpoint: older entries were removed
)

// Actions lists the actions that are not API routes.
func Actions() []Action {
	return []Action{Start, Stop, GateApply, GateRollback, Write, Fired, Tool, Read, Cut}
}

// Target is the object of a call.
type Target struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// Entry is one line of the log. Times are UTC with microsecond precision.
type Entry struct {
	Seq int64     `json:"seq" doc:"From 1, without gaps."`
	At  time.Time `json:"at"`
	// Actor is key:<8 hex digits>, local, anonymous, schedule:<id>, or the
	// name of a process (api:<host>:<pid>, worker:<host>:<pid>).
	Actor     string `json:"actor" doc:"user:EMAIL, token:NAME, key:8 DIGITS, schedule:ID, api: or worker: (processes), local, anonymous."`
	Address   string `json:"address,omitempty" doc:"The IP address a call came from."`
	Action    Action `json:"action"`
	Method    string `json:"method,omitempty"`
	Target    Target `json:"target"`
	Outcome   Ending `json:"outcome" enum:"admitted,refused,succeeded,failed"`
	Status    int    `json:"status,omitempty"`
	Code      string `json:"code,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	JobID     string `json:"jobId,omitempty"`
	// Detail says what a call granted, and to whom. It holds no secret.
	Detail   string `json:"detail,omitempty" doc:"What a call granted: the person, program or account, and its roles or labels."`
	Count    int    `json:"count" doc:"How many calls the entry stands for; more than 1 only for refusals of one address in one minute."`
	Previous string `json:"previous" doc:"The hash of the entry before, as hex; 64 zeros before the first."`
	Hash     string `json:"hash" doc:"SHA-256 over this entry and the hash before, as hex."`
}

// Head names the newest entry. Noted elsewhere, it later proves that nothing before it was changed
// or removed.
type Head struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// Limits of the texts of an entry, in bytes.
const (
	maxShort = 64
	maxText  = 300
	// A role for a thousand accounts is truncated; the API lists who has it.
	maxDetail = 2000
)

// Normal returns the entry in the form that is stored and hashed: valid text of bounded length
// without control characters, and a time in whole microseconds.
func (e Entry) Normal() Entry {
	e.At = e.At.UTC().Truncate(time.Microsecond)
	e.Actor, e.Address, e.Action = printable(e.Actor, maxText), printable(e.Address, maxShort), Action(printable(string(e.Action), maxShort))
	e.Method, e.Code = printable(e.Method, maxShort), printable(e.Code, maxShort)
	e.Target = Target{Type: printable(e.Target.Type, maxShort), ID: printable(e.Target.ID, maxText)}
	e.Outcome = Ending(printable(string(e.Outcome), maxShort))
	e.RequestID, e.JobID = printable(e.RequestID, maxShort), printable(e.JobID, maxShort)
	e.Detail = printable(e.Detail, maxDetail)
	e.Count = max(e.Count, 1)
	return e
}

func printable(s string, most int) string {
	if len(s) > most {
		s = s[:most]
		for !utf8.ValidString(s) && len(s) > most-utf8.UTFMax {
			s = s[:len(s)-1]
		}
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s)
}
