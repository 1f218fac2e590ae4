package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
	"github.com/edgeposture/edgeposture/jobs"
)

type evidenceInput struct {
	ID          string `path:"id" doc:"UUID of the assessment."`
	IfNoneMatch string `header:"If-None-Match"`
}

// getEvidence streams the bundle while it is being written. Its length is known, so a truncated
// bundle is noticed; the bundle's own checksums would show it too.
func getEvidence(s *Server, ctx context.Context, in *evidenceInput) (*huma.StreamResponse, error) {
	a, err := s.saved(ctx, "path.id", in.ID)
	if err != nil {
		return nil, err
	}
	signer, err := s.o.Keyring.Signer(ctx)
	if err != nil {
		return nil, err
	}
	b, err := jobs.Evidence(ctx, s.o.Store, a, s.controls(), signer)
	if err != nil {
		return nil, err
	}
	etag := fmt.Sprintf("%q", b.Tag())
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		c := humaCtx(hc)
		c.Set("ETag", etag)
		c.Set("Cache-Control", "private, no-cache")
		if matchesETag(in.IfNoneMatch, etag) {
			c.Status(http.StatusNotModified)
			return
		}
		c.Set("Content-Type", "application/zip")
		c.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.zip"`, fileName(a, "evidence")))
		r, w := io.Pipe()
		go func() { w.CloseWithError(b.Write(w)) }()
		c.Context().Response.SetBodyStream(r, int(b.Size()))
	}}, nil
}

// EvidenceKey is a public key that verifies evidence: the current one or an earlier one.
type EvidenceKey struct {
	evidence.KeyInfo
	CreatedAt time.Time `json:"createdAt"`
}

// EvidenceKeys are the current key and all keys there ever were, newest first.
type EvidenceKeys struct {
	Key  EvidenceKey   `json:"key"`
	Keys []EvidenceKey `json:"keys"`
}

func getEvidenceKey(s *Server, ctx context.Context, _ *struct{}) (*answer[EvidenceKeys], error) {
	if _, err := s.o.Keyring.Signer(ctx); err != nil { // makes sure that the key shown is the one that signs
		return nil, err
	}
	keys, err := s.o.Keyring.Keys(ctx)
	if err != nil {
		return nil, err
	}
	out := &answer[EvidenceKeys]{}
	for _, k := range keys {
		key, err := evidence.ParseDER(k.Public)
		if err != nil {
			return nil, fmt.Errorf("read key %s of the evidence: %w", k.ID, err)
		}
		out.Body.Keys = append(out.Body.Keys, EvidenceKey{key.Info(), k.CreatedAt})
	}
	out.Body.Key = out.Body.Keys[0]
	return out, nil
}

type rotateInput struct {
	OnceHeader
	Body struct{}
}

func rotateEvidenceKey(s *Server, ctx context.Context, in *rotateInput) (*answer[EvidenceKeys], error) {
	call, err := onceOf(ctx, in.OnceHeader, in.Body)
	if err != nil {
		return nil, err
	}
	before, err := s.made(ctx, call)
	if err != nil {
		return nil, err
	}
	if before == "" {
		if err := s.o.Keyring.Rotate(ctx); err != nil {
			return nil, err
		}
		if _, err := s.newID(ctx, call); err != nil {
			return nil, err
		}
	}
	return getEvidenceKey(s, ctx, nil)
}
