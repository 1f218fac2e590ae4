package jobs

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
	"github.com/edgeposture/edgeposture/internal/store"
)

// EvidenceStore is the part of the store that an evidence bundle is made from.
type EvidenceStore interface {
	store.Assessments
	store.Sections
	store.Evidences
}

// Evidence makes the evidence bundle of a saved assessment. Rows that differ from what was saved are a
// problem: nothing is signed that the service did not save.
func Evidence(ctx context.Context, s EvidenceStore, a posture.Assessment, catalogue []compliance.CheckControls,
	signer evidence.Signer) (*evidence.Bundle, error) {
	kept, err := s.Evidence(ctx, a.ID)
	switch {
	case errors.Is(err, store.ErrTampered):
		return nil, tampered(a.ID, "a row of it")
	case errors.Is(err, store.ErrNotFound):
		return nil, posture.Problemf(posture.CodeNotFound, "There is no assessment %s; GET /api/assessments lists all.", a.ID)
	case err != nil:
		return nil, fmt.Errorf("compare the assessment with its digest: %w", err)
	}
	src := evidence.Source{Assessment: a, Version: kept.Version, Saved: kept.Digest, Policy: kept.Policy, Request: kept.Request,
		Catalogue: catalogue,
		Findings:  func() iter.Seq2[posture.Finding, error] { return store.Each(ctx, s, a.ID, store.FindingFilter{}) }}
	if src.Paths, err = s.Paths(ctx, a.ID); err != nil {
		return nil, fmt.Errorf("load the attack paths: %w", err)
	}
	if src.Graph, err = s.Graph(ctx, a.ID); err != nil {
		return nil, fmt.Errorf("load the graph: %w", err)
	}
	if src.Modifications, err = s.Modifications(ctx, a.ID); err != nil {
		return nil, fmt.Errorf("load the changes of the account: %w", err)
	}
	if src.Sections, src.State, err = sectionsOf(a, kept, s.EachSection(ctx, a.JobID)); errors.Is(err, store.ErrTampered) {
		return nil, tampered(a.ID, "what its run read")
	}
	if err != nil {
		return nil, err
	}
	b, err := evidence.Make(src, signer)
	if errors.Is(err, store.ErrNotFound) && src.State == evidence.Included { // they were forgotten meanwhile
		src.State, src.Sections = evidence.NotKept, nil
		b, err = evidence.Make(src, signer)
	}
	if errors.Is(err, evidence.ErrSections) || errors.Is(err, snapshot.ErrUnread) || errors.Is(err, store.ErrTampered) {
		return nil, tampered(a.ID, "what its run read")
	}
	if err != nil {
		return nil, fmt.Errorf("make the evidence: %w", err)
	}
	return b, nil
}

func tampered(id, what string) error {
	return posture.Problemf(posture.CodeInternal, "No evidence of assessment %s can be given, because %s does not match what was saved: the "+
		"database was changed outside of the service, or is damaged. Restore it from a backup.", id, what)
}

// sectionsOf returns the sections of an assessment's snapshot, or the reason why there are none.
// Without an evidence record, they are returned if their digest matches.
func sectionsOf(a posture.Assessment, kept store.Evidence, stored iter.Seq2[snapshot.Section,
	error]) (iter.Seq2[snapshot.Section, error], evidence.State, error) {
	for _, err := range stored {
		if err != nil {
			return nil, "", fmt.Errorf("load what the run read: %w", err)
		}
		if kept.Digest != nil {
			return kept.Outline.Fill(stored), evidence.Included, nil
		}
		// Pages of unfinished reads have a number after the name of their source.
		out := func(yield func(snapshot.Section, error) bool) {
			for s, err := range stored {
				if (err != nil || !strings.Contains(s.Source, "#")) && !yield(s, err) {
					return
				}
			}
		}
		digest, err := evidence.SectionsDigest(a.AssessmentSummary, out)
		if err != nil {
			return nil, "", fmt.Errorf("load what the run read: %w", err)
		}
		if digest != a.SnapshotDigest {
			return nil, evidence.NotRecorded, nil
		}
		return out, evidence.Included, nil
	}
	if kept.Digest != nil && len(kept.Outline.Read) == 0 {
		return kept.Outline.Fill(stored), evidence.Included, nil
	}
	return nil, evidence.NotKept, nil
}
