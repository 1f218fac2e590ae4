package notify

import (
	"cmp"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// FailureEvent is the event name of webhook messages about runs that failed.
const FailureEvent = "assessment.failed"

// Failure is the content of a message about a run that failed, so that there is no assessment.
type Failure struct {
	Account posture.AccountRef
	Run     posture.Job
	Last    *posture.AssessmentSummary // the newest assessment of the account; nil: it has none
	Link    string                     // the account in the dashboard
}

func (f Failure) why() *posture.Problem {
	return cmp.Or(f.Run.Error, &posture.Problem{Code: posture.CodeInternal})
}

func (f Failure) at() time.Time {
	if f.Run.FinishedAt == nil {
		return f.Run.CreatedAt
	}
	return *f.Run.FinishedAt
}

// message renders the failure for chats.
func (f Failure) message() message {
	account, why := foreign(nameChars, f.Account.Name, f.Account.ID), foreign(messageChars, f.why().Detail, "No reason is known.")
	m := message{title: "Assessment failed", link: f.Link,
		fallback: []span{own("%s: the assessment of ", product), account, own(" failed. "), why},
		intro:    []line{{own("Account "), account, own(" was not assessed on %s. ", minute(f.at())), why}},
		foot:     []line{{own("Run "), foreign(idChars, f.Run.ID)}},
	}
	if f.Last == nil {
		m.facts = []fact{{"Last assessment", "none"}}
	} else {
		m.facts = []fact{{"Last assessment", minute(f.Last.CompletedAt)}, {"Score then", scoreWords(f.Last.Score)}}
	}
	return m
}

// failureDocument is the body of a webhook about a run that failed. Its field names are a stable interface for
// receivers.
type failureDocument struct {
	SchemaVersion int                `json:"schemaVersion"`
	Event         string             `json:"event"`
	Product       string             `json:"product"`
	JobID         string             `json:"jobId"`
	Account       posture.AccountRef `json:"account"`
	FailedAt      time.Time          `json:"failedAt"`
	Error         failureError       `json:"error"`
	Last          *failureLast       `json:"last"` // null: the account has no assessment
	Link          *string            `json:"link"`
}

type failureError struct {
	Code   posture.Code `json:"code"`
	Detail string       `json:"detail"`
}

type failureLast struct {
	AssessmentID string        `json:"assessmentId"`
	CompletedAt  time.Time     `json:"completedAt"`
	Score        documentScore `json:"score"`
}

// document renders the failure for the webhook.
func (f Failure) document() any {
	d := failureDocument{SchemaVersion: 1, Event: FailureEvent, Product: product, JobID: f.Run.ID, FailedAt: f.at().UTC(),
		Account: posture.AccountRef{ID: f.Account.ID, Name: cut(f.Account.Name, maxDocumentName)},
		Error:   failureError{f.why().Code, cut(f.why().Detail, maxDocumentText)}}
	if f.Last != nil {
		d.Last = &failureLast{f.Last.ID, f.Last.CompletedAt.UTC(), documentScore(f.Last.Score.Mark)}
	}
	if f.Link != "" {
		d.Link = &f.Link
	}
	return d
}
