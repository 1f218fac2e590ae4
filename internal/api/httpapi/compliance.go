package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

type complianceInput struct {
	Choice
	Framework   string `path:"framework" doc:"cis, soc2, pci or nist; also cis-benchmark, soc-2, pci-dss and nist-csf, in any letter case."`
	IfNoneMatch string `header:"If-None-Match"`
}

func getCompliance(s *Server, ctx context.Context, in *complianceInput) (*assessmentOutput, error) {
	f, ok := compliance.Parse(in.Framework)
	if !ok {
		return nil, posture.Problemf(posture.CodeUnknownFramework, "There is no framework %q; choose cis, soc2, pci or nist.", clip(in.Framework))
	}
	out := &assessmentOutput{Status: 200}
	a, err := s.pick(ctx, in.Choice)
	if err != nil {
		return nil, err
	}
	catalogue := s.controls()
	if in.AssessmentID != "" {
		out.Cache = "private, no-cache"
		if out.ETag, err = complianceTag(f, a.ID, s.o.Version, catalogue); err != nil {
			return nil, err
		}
		if matchesETag(in.IfNoneMatch, out.ETag) {
			out.Status = 304
			return out, nil
		}
	}
	if out.Body, err = s.kept(ctx, s.documents, fmt.Sprintf("compliance/%s/%s", f.ID, a.ID), func(ctx context.Context, w io.Writer) error {
		a, err := s.saved(ctx, "query.assessmentId", a.ID)
		if err != nil {
			return err
		}
		report, err := compliance.Build(f, compliance.Input{AssessmentID: a.ID, Catalogue: catalogue, Tallies: a.Checks,
			Findings: s.o.Store.Outcomes(ctx, a.ID)})
		if err != nil {
			return fmt.Errorf("map the findings to %s: %w", f.ID, err)
		}
		return huma.DefaultJSONFormat.Marshal(w, report)
	}); err != nil {
		return nil, err
	}
	return out, nil
}

// controls returns the controls that each check of the current catalogue gives evidence for.
func (s *Server) controls() []compliance.CheckControls {
	out := make([]compliance.CheckControls, 0, len(s.o.Checks))
	for _, c := range s.o.Checks {
		out = append(out, compliance.CheckControls{CheckID: c.ID, Controls: c.Controls})
	}
	return out
}

// complianceTag covers what a report depends on besides the immutable assessment: the current
// checks and the rules of this version.
func complianceTag(f compliance.Framework, assessmentID, version string, catalogue []compliance.CheckControls) (string, error) {
	raw, err := json.Marshal(struct {
		Version   string
		Framework compliance.Framework
		Catalogue []compliance.CheckControls
	}{version, f, catalogue})
	if err != nil {
		return "", fmt.Errorf("write the catalogue: %w", err)
	}
	sum := sha256.Sum256(raw)
	return fmt.Sprintf(`"%s-%s-%x"`, assessmentID, f.ID, sum[:8]), nil
}
