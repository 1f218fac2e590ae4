package httpapi

import (
	"context"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

type notifyInput struct {
	SubmitHeaders
	Body struct {
		AssessmentID  string      `json:"assessmentId,omitempty" doc:"UUID of the assessment; the latest when absent."`
		Channels      []string    `json:"channels,omitempty" enum:"chat_a,chat_b,webhook" maxItems:"3" doc:"All configured ones when absent."`
		Threshold     string      `json:"threshold,omitempty" maxLength:"20" doc:"Sends nothing when the worst open finding is below: critical, high, medium, low, informational. The saved threshold when absent."`
		Link          string      `json:"link,omitempty" maxLength:"2000" doc:"Address of the dashboard, for a button."`
		ChatAWebhook  secret.Text `json:"chatAWebhook,omitempty" doc:"Instead of the saved one; kept, sealed, until the job ends."`
		ChatBWebhook  secret.Text `json:"chatBWebhook,omitempty"`
		WebhookURL    secret.Text `json:"webhookUrl,omitempty" doc:"Instead of the saved one; the saved secret is then not used."`
		WebhookSecret secret.Text `json:"webhookSecret,omitempty"`
		DryRun        bool        `json:"dryRun,omitempty" doc:"Answers what would be sent and sends nothing."`
	}
}

func postNotify(s *Server, ctx context.Context, in *notifyInput) (*submitOutput, error) {
	b := in.Body
	a, err := s.named(ctx, b.AssessmentID)
	if err != nil {
		return nil, err
	}
	if b.Threshold != "" {
		if _, err := notify.ParseThreshold(b.Threshold); err != nil {
			return nil, posture.Invalid("body.threshold", err.Error(), b.Threshold)
		}
	}
	if _, err := notify.ParseLink(b.Link); err != nil {
		return nil, err
	}
	args := jobs.NotifyArguments{AssessmentID: a.ID, Channels: b.Channels, Threshold: b.Threshold, Link: b.Link, DryRun: b.DryRun}
	own := jobs.Brought{setting.ChatAWebhook: b.ChatAWebhook, setting.ChatBWebhook: b.ChatBWebhook, setting.WebhookURL: b.WebhookURL,
		setting.WebhookSecret: b.WebhookSecret}
	if _, err := s.o.Notify.Targets(ctx, args, own); err != nil {
		return nil, err
	}
	return s.deliver(ctx, posture.JobNotify, args, own, in.SubmitHeaders)
}

// named gives the assessment a body names, or the latest.
func (s *Server) named(ctx context.Context, id string) (posture.Assessment, error) {
	if id == "" {
		return s.latest(ctx, "")
	}
	return s.saved(ctx, "body.assessmentId", id)
}

// deliver submits a ship or notify job.
func (s *Server) deliver(ctx context.Context, kind posture.JobKind, args any, own jobs.Brought, h SubmitHeaders) (*submitOutput, error) {
	n, err := s.newJob(kind, "", args, own)
	if err != nil {
		return nil, err
	}
	return s.submit(ctx, n, h)
}

// newJob makes the job of a request. What the caller brought is sealed on it.
func (s *Server) newJob(kind posture.JobKind, account string, args any, own jobs.Brought) (store.NewJob, error) {
	n, err := jobs.New(kind, s.o.NewID(), account, "interactive", args, s.o.Now().UTC().Truncate(time.Microsecond))
	if err != nil {
		return n, err
	}
	if n.SealedToken, err = own.Seal(s.o.Key, n.ID, s.o.Random); err != nil {
		return n, fmt.Errorf("keep the credentials of the request: %w", err)
	}
	return n, nil
}
