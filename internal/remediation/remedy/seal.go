package remedy

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Seal returns the row of a bundle. It is sealed because it contains live values, and an HMAC binds
// it to its id, its account and what lists show of it.
func Seal(key secret.Key, b change.Bundle, random io.Reader) (store.BundleRow, error) {
	raw, err := json.Marshal(b)
	if err != nil {
		return store.BundleRow{}, fmt.Errorf("write a bundle: %w", err)
	}
	sealed, err := key.Seal(secret.New(string(raw)), "bundle:"+b.ID, random)
	if err != nil {
		return store.BundleRow{}, fmt.Errorf("seal a bundle: %w", err)
	}
	row := store.BundleRow{Backup: b.Summary(), JobID: b.JobID, Sealed: sealed}
	row.Mac = key.Mac("bundle", bound(row)...)
	return row, nil
}

func bound(r store.BundleRow) [][]byte {
	return [][]byte{change.Encode(r.Backup), []byte(r.JobID), r.Sealed}
}

// Unseal opens a row. It returns a problem if the row was modified or sealed with another key.
func Unseal(key secret.Key, row store.BundleRow) (b change.Bundle, err error) {
	tampered := posture.Problemf(posture.CodeConflict,
		"Bundle %s cannot be used, because it was changed after it was sealed or was sealed with another SERVICE_ENCRYPTION_KEY; restore the "+
			"database, or undo the changes by hand.", row.ID)
	if !key.Verify(row.Mac, "bundle", bound(row)...) {
		return b, tampered
	}
	raw, err := key.Open(row.Sealed, "bundle:"+row.ID)
	if err != nil {
		return b, tampered
	}
	if err := json.Unmarshal([]byte(raw.Reveal()), &b); err != nil || b.ID != row.ID || b.Account.ID != row.Account.ID {
		return change.Bundle{}, tampered
	}
	return b, nil
}

// SealPlan returns the row of a plan.
func SealPlan(key secret.Key, k change.Kept, random io.Reader) (store.PlanRow, error) {
	raw, err := json.Marshal(k)
	if err != nil {
		return store.PlanRow{}, fmt.Errorf("write a plan: %w", err)
	}
	sealed, err := key.Seal(secret.New(string(raw)), "plan:"+k.Plan.ID, random)
	if err != nil {
		return store.PlanRow{}, fmt.Errorf("seal a plan: %w", err)
	}
	p := k.Plan
	return store.PlanRow{ID: p.ID, AssessmentID: p.AssessmentID, AccountID: p.Account.ID, CreatedAt: p.CreatedAt, ExpiresAt: p.ExpiresAt,
		Sealed: sealed}, nil
}

// UnsealPlan opens the row of a plan. It returns a problem if that fails.
func UnsealPlan(key secret.Key, row store.PlanRow) (k change.Kept, err error) {
	raw, err := key.Open(row.Sealed, "plan:"+row.ID)
	if err == nil {
		err = json.Unmarshal([]byte(raw.Reveal()), &k)
	}
	if err != nil || k.Plan.ID != row.ID || change.Digest(k.Steps) != k.Plan.Digest {
		return change.Kept{}, posture.Problemf(posture.CodePlanStale,
			"Plan %s cannot be used, because it does not open with this SERVICE_ENCRYPTION_KEY; make a new plan.", row.ID)
	}
	return k, nil
}
