package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/platform/document"
	"github.com/edgeposture/edgeposture/jobs"
)

// file answers with an assessment in the given format and headers, or with 304 when the caller has
// it: it changes with the version of the service only.
func (s *Server) file(ctx context.Context, a posture.Assessment, f export.Format, asff export.ASFF, summary bool, ifNoneMatch string,
	headers map[string]string) (*huma.StreamResponse, error) {
	about(ctx, "assessments/"+f.Name, a.ID)
	key := fmt.Sprintf("%s/%s", f.Name, a.ID)
	if f.Name == "asff" {
		key += fmt.Sprintf("/%s/%s", asff.AccountID, asff.Region)
	}
	if summary {
		key += "/summary"
	}
	headers["ETag"], headers["Cache-Control"] = fmt.Sprintf("%q", key+"/"+s.o.Version), "private, no-cache"
	var d *document.Document // nil: the caller has it
	if !matchesETag(ifNoneMatch, headers["ETag"]) {
		var err error
		d, err = s.kept(ctx, s.documents, key, func(ctx context.Context, w io.Writer) error {
			d, err := s.document(ctx, a, f)
			if err != nil {
				return err
			}
			d.ASFF, d.Summary = asff, summary
			return f.Write(w, d)
		})
		if err != nil {
			return nil, err
		}
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		c := humaCtx(hc)
		for name, value := range headers {
			c.Set(name, value)
		}
		if d == nil {
			c.Status(http.StatusNotModified)
			return
		}
		c.Set("Content-Type", f.ContentType)
		if err := send(c.Context(), d); err != nil {
			panic(err) // as huma does when a body cannot be written
		}
	}}, nil
}

// document gathers what the exporter of a format reads. Findings are loaded page by page.
func (s *Server) document(ctx context.Context, a posture.Assessment, f export.Format) (d export.Document, err error) {
	if d, err = jobs.Document(ctx, s.o.Store, a, s.o.Version); err != nil {
		return d, err
	}
	if !f.Report {
		return d, nil
	}
	d.References = s.references()
	if d.History, err = jobs.History(ctx, s.o.Store, a); err != nil {
		return d, err
	}
	d.Compliance, err = compliance.BuildAll(compliance.Input{AssessmentID: a.ID, Catalogue: s.controls(), Tallies: a.Checks,
		Findings: s.o.Store.Outcomes(ctx, a.ID)})
	if err != nil {
		return d, fmt.Errorf("map the findings to the frameworks: %w", err)
	}
	return d, nil
}

// references maps each check to the first page of Cloudflare's documentation among its references.
func (s *Server) references() map[string]string {
	out := map[string]string{}
	for _, c := range s.o.Checks {
		ofCloudflare := func(r string) bool { return strings.HasPrefix(r, "https://developers.cloudflare.com/") }
		if i := slices.IndexFunc(c.References, ofCloudflare); i >= 0 {
			out[c.ID] = c.References[i]
		}
	}
	return out
}
