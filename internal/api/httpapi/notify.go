package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/notify"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

type notifyInput struct {
	SubmitHeaders
	Body NotifyInputBody
}

// NotifyInputBody is the body of POST /api/notify. Each channel adds the settings of its destination.
type NotifyInputBody struct {
	AssessmentID string           `json:"assessmentId,omitempty" doc:"UUID of the assessment; the latest when absent."`
	Channels     posture.Channels `json:"channels,omitempty" doc:"All configured ones when absent."`

	Threshold string `json:"threshold,omitempty" maxLength:"20" doc:"The worst open finding must reach it. Default: the saved threshold."`
	Link      string `json:"link,omitempty" maxLength:"2000" doc:"Address for a button; the assessment in the dashboard when absent."`
	DryRun    bool   `json:"dryRun,omitempty" doc:"Answers what would be sent and sends nothing."`

	own jobs.Brought
}

// UnmarshalJSON reads the fields above and the settings of the channels.
func (b *NotifyInputBody) UnmarshalJSON(raw []byte) error {
	type plain NotifyInputBody
	if err := json.Unmarshal(raw, (*plain)(b)); err != nil {
		return err
	}
	var members map[setting.Key]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	b.own = jobs.Brought{}
	for key := range channelSettings() {
		if value, ok := members[key]; ok {
			var text secret.Text
			if err := json.Unmarshal(value, &text); err != nil {
				return err
			}
			b.own[key] = text
		}
	}
	return nil
}

// TransformSchema adds the settings of the channels to the schema.
func (*NotifyInputBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for key, doc := range channelSettings() {
		s.Properties[string(key)] = &huma.Schema{Type: huma.TypeString, Description: doc}
	}
	return s
}

// channelSettings returns the settings that a caller may send, with their descriptions for the
// OpenAPI document.
func channelSettings() map[setting.Key]string {
	out := map[setting.Key]string{}
	for _, c := range notify.Channels() {
		out[setting.Key(c.URLKey)] = "Instead of the saved one; kept, sealed, until the job ends."
		if c.SecretKey != "" {
			out[setting.Key(c.SecretKey)] = "Signs what goes to " + c.URLKey + " of this call; the saved secret is not used for it."
		}
	}
	return out
}

// channelNames documents posture.Channels in the OpenAPI document.
type channelNames []string

// Schema returns an array of the channel names.
func (channelNames) Schema(huma.Registry) *huma.Schema {
	item := &huma.Schema{Type: huma.TypeString}
	for _, name := range notify.Names() {
		item.Enum = append(item.Enum, name)
	}
	return &huma.Schema{Type: huma.TypeArray, Items: item}
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
	if _, err := s.o.Notify.Targets(ctx, args, b.own); err != nil {
		return nil, err
	}
	return s.deliver(ctx, posture.JobNotify, a.Account, args, b.own, in.SubmitHeaders)
}

// named returns the assessment with the id in a body, or the latest for "".
func (s *Server) named(ctx context.Context, id string) (posture.Assessment, error) {
	if id == "" {
		return s.latest(ctx, "")
	}
	return s.saved(ctx, "body.assessmentId", id)
}

// deliver submits a ship or notify job.
func (s *Server) deliver(ctx context.Context, kind posture.JobKind, account posture.AccountRef, args any, own jobs.Brought,
	h SubmitHeaders) (*submitOutput, error) {
	registered, err := s.ofProvider(ctx, account.ID)
	if err != nil {
		return nil, err
	}
	n, err := s.newJob(kind, registered, args, own)
	if err != nil {
		return nil, err
	}
	return s.submit(ctx, n, h)
}

// newJob builds the job of a request. Credentials of the caller are sealed in it.
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
