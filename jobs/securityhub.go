package jobs

import (
	"context"
	"iter"

	"github.com/edgeposture/edgeposture/internal/delivery/deliver"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

// TargetSecurityHub is AWS Security Hub. Its credentials come from the server's environment.
const TargetSecurityHub = "securityhub"

func hubOf(args ShipArguments, values setting.Values) (*export.ASFF, error) {
	own := Brought{}.with(setting.AWSAccountID, args.AWSAccountID).with(setting.AWSRegion, args.AWSRegion)
	hub := &export.ASFF{AccountID: own.address(values, setting.AWSAccountID).Reveal(), Region: own.address(values, setting.AWSRegion).Reveal()}
	switch {
	case hub.AccountID == "":
		return hub, missing("awsAccountId", "it is not known whose AWS Security Hub is meant")
	case hub.Region == "":
		return hub, missing("awsRegion", "it is not known in which region AWS Security Hub is meant")
	default:
		return hub, nil
	}
}

// asff returns the findings of the shipment in AWS's format.
func (s *shipment) asff() iter.Seq2[export.ASFFFinding, error] {
	doc := s.doc
	doc.ASFF = *s.r.hub
	if s.o.Changes != nil {
		doc = doc.Only(s.o.Changes.Finding)
	}
	return export.ASFFFindings(doc)
}

func (s *shipment) toSecurityHub(ctx context.Context) (deliver.Result, error) {
	sender, err := siem.NewSecurityHubSender(ctx, guarded{s.k.Client}, s.r.hub.Region)
	if err != nil {
		return deliver.Result{}, err
	}
	return deliver.Run(ctx, s.k.Deliver, s.job(TargetSecurityHub), deliver.Receiver[export.ASFFFinding]{Name: TargetSecurityHub,
		ID: func(f export.ASFFFinding) string { return f.ID }, Destination: sender.Destination(ctx), Documents: s.asff,
		Send: func(ctx context.Context, group []export.ASFFFinding) []deliver.Verdict {
			return s.verdicts(len(group), sender.Send(ctx, group), nil)
		}})
}
