package httpapi

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

type listDeliveriesInput struct {
	AssessmentID string `query:"assessmentId"`
	JobID        string `query:"jobId"`
	Account      string `query:"account" doc:"Provider account id, or a registered account's id or name."`
	Target       string `query:"target" doc:"search, collector, file, securityhub, chat_a, chat_b, webhook; commas between several."`
	State        string `query:"state" doc:"pending, retrying, delivered, failed, or several parted by commas."`
	Limit        int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor       string `query:"cursor"`
}

type listDeliveriesOutput page[posture.Delivery]

func listDeliveries(s *Server, ctx context.Context, in *listDeliveriesInput) (*listDeliveriesOutput, error) {
	account, err := s.accountKey(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	f := store.DeliveryFilter{Accounts: words(account)}
	if f.Assessments, err = valuesOf("assessmentId", in.AssessmentID, uuidOf); err != nil {
		return nil, err
	}
	if f.Jobs, err = valuesOf("jobId", in.JobID, uuidOf); err != nil {
		return nil, err
	}
	targets := append(notify.Names(), jobs.TargetSearch, jobs.TargetCollector, jobs.TargetFile, jobs.TargetSecurityHub)
	if f.Targets, err = valuesOf("target", in.Target, among("target", targets...)); err != nil {
		return nil, err
	}
	if f.States, err = valuesOf("state", in.State, among("state", posture.DeliveryStates()...)); err != nil {
		return nil, err
	}
	rows, next, err := s.o.Store.Deliveries(ctx, f, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	return (*listDeliveriesOutput)(pageOf(rows, next, itself)), err
}

type deliveryInput struct {
	ID string `path:"id" doc:"UUID of the delivery."`
}

func (s *Server) delivery(ctx context.Context, ref string) (posture.Delivery, error) {
	return byID(ctx, ref, "delivery", "/api/deliveries", s.o.Store.Delivery)
}

func getDelivery(s *Server, ctx context.Context, in *deliveryInput) (*answer[posture.Delivery], error) {
	d, err := s.delivery(ctx, in.ID)
	return &answer[posture.Delivery]{d}, err
}

type replayDeliveryInput struct {
	SubmitHeaders
	ID string `path:"id" doc:"UUID of a delivery that failed."`
}

// replayDelivery creates a job that sends what the receiver is still missing, under the same ids.
// Addresses and credentials are those of the settings, because what came with the first request is not kept.
func replayDelivery(s *Server, ctx context.Context, in *replayDeliveryInput) (*submitOutput, error) {
	d, err := s.delivery(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if d.State != posture.DeliveryFailed {
		return nil, posture.Problemf(posture.CodeConflict, "The delivery %s is %s; only one that failed can be replayed.", d.ID, d.State)
	}
	if d.Kind == posture.JobAlert {
		return nil, posture.Problemf(posture.CodeConflict, "What an alert could not tell is told by the next message of its rule, so it is not "+
			"replayed; POST /api/alert-rules/{id}/test tries the address.")
	}
	registered, err := s.ofProvider(ctx, d.Account.ID)
	if err != nil {
		return nil, err
	}
	last, err := s.job(ctx, d.JobID)
	if err != nil {
		return nil, err
	}
	n, err := jobs.NewReplay(s.o.NewID(), registered, d, last, s.o.Now().UTC().Truncate(time.Microsecond))
	if err != nil {
		return nil, err
	}
	return s.submit(ctx, n, in.SubmitHeaders)
}
