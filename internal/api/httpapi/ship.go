package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/jobs"
)

type shipInput struct {
	SubmitHeaders
	Body struct {
		AssessmentID   string      `json:"assessmentId,omitempty" doc:"UUID of the assessment; the latest when absent."`
		Target         string      `json:"target" enum:"search,collector,all,file,securityhub" doc:"all: search and collector."`
		SearchURL      string      `json:"searchUrl,omitempty" maxLength:"2000" doc:"Instead of the saved one; it needs its own credential."`
		SearchAPIKey   secret.Text `json:"searchApiKey,omitempty" doc:"Kept, sealed, until the job ends."`
		SearchUsername string      `json:"searchUsername,omitempty" maxLength:"200"`
		SearchPassword secret.Text `json:"searchPassword,omitempty"`
		SearchIndex    string      `json:"searchIndex,omitempty" maxLength:"255" doc:"Default edgeposture-assessments."`
		HECURL         string      `json:"hecUrl,omitempty" maxLength:"2000"`
		HECToken       secret.Text `json:"hecToken,omitempty"`
		HECIndex       string      `json:"hecIndex,omitempty" maxLength:"80" doc:"The token's default when absent."`

		AWSAccountID string `json:"awsAccountId,omitempty" pattern:"^[0-9]{12}$" doc:"For securityhub, instead of the saved one."`
		AWSRegion    string `json:"awsRegion,omitempty" pattern:"^[a-z]{2,4}(-[a-z]+)+-[0-9]$" maxLength:"16" doc:"Instead of the saved one."`

		Kibana          bool `json:"kibana,omitempty" doc:"For Kibana's Findings page; UNKNOWN findings are then left out."`
		DryRun          bool `json:"dryRun,omitempty" doc:"Answers the first documents and sends nothing."`
		IncludeTemplate bool `json:"includeTemplate,omitempty" doc:"Puts the index template before the documents."`
		OnlyChanges     bool `json:"onlyChanges,omitempty" doc:"Only what is new or changed since the run before."`
	}
}

func postShip(s *Server, ctx context.Context, in *shipInput) (*submitOutput, error) {
	b := in.Body
	a, err := s.named(ctx, b.AssessmentID)
	if err != nil {
		return nil, err
	}
	args := jobs.ShipArguments{AssessmentID: a.ID, Target: b.Target, SearchUsername: b.SearchUsername, SearchIndex: b.SearchIndex,
		HECIndex: b.HECIndex, AWSAccountID: b.AWSAccountID, AWSRegion: b.AWSRegion, Kibana: b.Kibana, DryRun: b.DryRun,
		IncludeTemplate: b.IncludeTemplate, OnlyChanges: b.OnlyChanges}
	if b.SearchURL != "" || b.HECURL != "" {
		args.Addresses = s.o.Key.Fingerprint(secret.New(b.SearchURL + "\x00" + b.HECURL)) // a path may be secret
	}
	own := jobs.Brought{setting.SearchURL: secret.New(b.SearchURL), setting.HECURL: secret.New(b.HECURL),
		setting.SearchAPIKey: b.SearchAPIKey, setting.SearchPassword: b.SearchPassword, setting.HECToken: b.HECToken}
	if err := s.o.Ship.Check(ctx, args, own); err != nil {
		return nil, err
	}
	return s.deliver(ctx, posture.JobShip, a.Account, args, own, in.SubmitHeaders)
}

type templateInput struct {
	Index string `query:"index" maxLength:"255" doc:"Index the template is for; edgeposture-* when absent."`
}

func getTemplate(_ *Server, _ context.Context, in *templateInput) (*answer[json.RawMessage], error) {
	template, err := siem.Template(in.Index)
	return &answer[json.RawMessage]{template}, err
}

type exportInput struct {
	Name string `path:"name" maxLength:"100" doc:"As an answer of POST /api/integrations/ship gave it."`
}

// getExport streams a file that a ship job wrote.
func getExport(s *Server, _ context.Context, in *exportInput) (*huma.StreamResponse, error) {
	file, err := s.o.Ship.Files.Open(in.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, posture.Problemf(posture.CodeNotFound, "There is no export %q in the data directory of this process; ship to file again. "+
			"If that leads here again, the workers have another data directory: they share one with the API.", clip(in.Name))
	}
	if err != nil {
		return nil, fmt.Errorf("open an export: %w", err)
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		c := humaCtx(hc)
		c.Set("Content-Type", "application/x-ndjson")
		c.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", in.Name))
		c.Context().Response.SetBodyStream(file, -1)
	}}, nil
}
