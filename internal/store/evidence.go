package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// ErrTampered means that a saved assessment is no longer as it was saved.
var ErrTampered = errors.New("the rows of the assessment do not match the digest that was saved with them")

// Evidence is what a run knew that is needed to check its assessment later and that
// nothing else of it holds.
type Evidence struct {
	// Version is that of the service that made the assessment.
	Version string `json:"version"`
	// Policy holds every threshold the verdicts hang on, Request what was asked for.
	Policy  json.RawMessage `json:"policy"`
	Request json.RawMessage `json:"request"`
	// Outline tells which sections of the job the snapshot is made of.
	Outline snapshot.Outline `json:"outline"`
	// Digest covers every row of the assessment; nil when a version before digests
	// saved it, which then kept nothing of the above either.
	Digest []byte `json:"-"`
}

// EvidenceKey is a public key that bundles of evidence were signed with.
type EvidenceKey struct {
	ID string
	// No orders the keys from 1; the highest is the one in force.
	No         int64
	Generation int64
	Public     []byte // SubjectPublicKeyInfo, DER
	CreatedAt  time.Time
}

// Evidences keeps what makes assessments checkable.
type Evidences interface {
	// Evidence reads every row of an assessment and compares them with the digest that
	// was saved with them. ErrTampered when they differ, ErrNotFound.
	Evidence(ctx context.Context, assessmentID string) (Evidence, error)
	// EvidenceKeys lists the keys, the one in force first.
	EvidenceKeys(ctx context.Context) ([]EvidenceKey, error)
	// KeepEvidenceKey adds a key with the number it has. ErrChanged when it is not the
	// next number.
	KeepEvidenceKey(ctx context.Context, k EvidenceKey) error
}
