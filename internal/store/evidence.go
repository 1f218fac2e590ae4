package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Evidence is what is needed to check an assessment later and is stored nowhere else in it.
type Evidence struct {
	// Version is the version of the service that made the assessment.
	Version string `json:"version"`
	// Policy holds every threshold that verdicts depend on, Request what was asked for.
	Policy  json.RawMessage `json:"policy"`
	Request json.RawMessage `json:"request"`
	// Outline lists the sections of the job that make up the snapshot.
	Outline snapshot.Outline `json:"outline"`
	// Digest covers every row of the assessment; nil when it was saved by a version before digests,
	// which stored none of the above either.
	Digest []byte `json:"-"`
}

// EvidenceKey is a public key that evidence bundles are signed with.
type EvidenceKey struct {
	ID string
	// No orders the keys from 1; the highest is the current one.
	No         int64
	Generation int64
	Public     []byte // SubjectPublicKeyInfo, DER
	CreatedAt  time.Time
}

// Evidences keeps what makes assessments verifiable.
type Evidences interface {
	// Evidence reads every row of an assessment and compares them with the digest saved with them.
	// ErrTampered when they differ, ErrNotFound.
	Evidence(ctx context.Context, assessmentID string) (Evidence, error)
	// EvidenceKeys lists the keys, the current one first.
	EvidenceKeys(ctx context.Context) ([]EvidenceKey, error)
	// KeepEvidenceKey adds a key. ErrChanged when its number is not the next one.
	KeepEvidenceKey(ctx context.Context, k EvidenceKey) error
}
