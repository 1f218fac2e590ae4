package httpapi

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/delivery/export"
)

type reportInput struct {
	FileChoice
	Summary bool `query:"summary" doc:"The summary alone."`
}

// getReport shows the HTML report in the browser. Its content policy allows only its own style sheet.
func getReport(s *Server, ctx context.Context, in *reportInput) (*huma.StreamResponse, error) {
	a, err := s.filed(ctx, in.FileChoice)
	if err != nil {
		return nil, err
	}
	return s.file(ctx, a, export.HTML(), export.ASFF{}, in.Summary, in.IfNoneMatch, map[string]string{
		"Content-Security-Policy": export.ReportPolicy(),
		"X-Frame-Options":         "SAMEORIGIN"})
}
