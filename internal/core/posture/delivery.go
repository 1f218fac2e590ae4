package posture

import "time"

// DeliveryState is the state of a delivery.
type DeliveryState string

// The states of a delivery. A failed delivery is kept with its reason and with what was sent of it,
// and can be replayed.
const (
	DeliveryPending   DeliveryState = "pending"   // not yet tried, or in progress
	DeliveryRetrying  DeliveryState = "retrying"  // retried at nextAt
	DeliveryDelivered DeliveryState = "delivered" // the receiver has everything
	DeliveryFailed    DeliveryState = "failed"    // given up
)

// DeliveryStates lists every state.
func DeliveryStates() []DeliveryState {
	return []DeliveryState{DeliveryPending, DeliveryRetrying, DeliveryDelivered, DeliveryFailed}
}

// Delivery is one row of the ledger: what a job sends to one target. The row is stored before
// anything is sent. Documents keep their ids over every retry, so a receiver may drop a document
// whose id it knows.
type Delivery struct {
	ID           string        `json:"id"`
	JobID        string        `json:"jobId"`
	AssessmentID string        `json:"assessmentId"`
	Account      AccountRef    `json:"account"`
	Kind         JobKind       `json:"kind" enum:"ship,notify,alert"`
	Target       string        `json:"target" doc:"search, collector, file, securityhub or a channel of POST /api/notify."`
	Destination  string        `json:"destination" doc:"Scheme, host and port; never a path, which may be secret."`
	State        DeliveryState `json:"state" enum:"pending,retrying,delivered,failed"`
	Attempts     int           `json:"attempts" doc:"How often the target was tried."`
	Documents    int           `json:"documents"`
	Sent         int           `json:"sent"`
	Failed       int           `json:"failed" doc:"Documents the receiver refused for good."`
	Reason       string        `json:"reason,omitempty" doc:"Why the last try did not send everything."`
	CreatedAt    time.Time     `json:"createdAt"`
	UpdatedAt    time.Time     `json:"updatedAt"`
	NextAt       *time.Time    `json:"nextAt,omitempty" doc:"When a retrying delivery is tried again."`
}
