package httpapi

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/edgeposture/edgeposture/internal/compliance"
	"github.com/edgeposture/edgeposture/internal/export"
	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/jobs"
)

// document gathers what the exporter of a format reads; the findings come a page at a time.
func (s *Server) document(ctx context.Context, a posture.Assessment, f export.Format) (d export.Document, err error) {
	about(ctx, "assessments/"+f.Name, a.ID)
	if d, err = jobs.Document(ctx, s.o.Store, a, s.o.Version); err != nil {
		return d, err
	}
	if !f.Frameworks {
		return d, nil
	}
	d.Compliance, err = compliance.BuildAll(compliance.Input{AssessmentID: a.ID, Catalogue: s.controls(), Tallies: a.Checks, Findings: d.Findings()})
	if err != nil {
		return d, fmt.Errorf("map the findings to the frameworks: %w", err)
	}
	return d, nil
}

// written answers a document while it is being written.
func written(f export.Format, d export.Document, encodings string, headers map[string]string) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		c := humaCtx(hc)
		for name, value := range headers {
			c.Set(name, value)
		}
		send(c, f, d, strings.Contains(encodings, "gzip"))
	}}
}

// send streams a document. When the writing fails the connection is cut, so that
// a part never passes for the whole; a client that leaves ends the writing. The
// compression is our own for the same reason: the middleware ends a broken
// stream as if it were complete.
func send(c *fiber.Ctx, f export.Format, d export.Document, packed bool) {
	c.Set("Content-Type", f.ContentType)
	c.Set("Vary", "Accept-Encoding")
	if packed {
		c.Set("Content-Encoding", "gzip")
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(write(w, f, d, packed)) }()
	c.Context().Response.SetBodyStream(r, -1)
}

func write(w io.Writer, f export.Format, d export.Document, packed bool) error {
	if !packed {
		return f.Write(w, d)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return fmt.Errorf("compress the document: %w", err)
	}
	if err := f.Write(z, d); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("compress the document: %w", err)
	}
	return nil
}
