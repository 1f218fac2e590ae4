package assess

import (
	"encoding/json"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// evidence is what is needed to check the assessment of this run later.
func (r *Runner) evidence(run Run, policy policy.Policy, snap *snapshot.Snapshot) (e store.Evidence, err error) {
	e = store.Evidence{Version: r.o.Version, Outline: snap.Outline()}
	if e.Policy, err = json.Marshal(policy.Filled()); err != nil {
		return e, fmt.Errorf("record the thresholds of the run: %w", err)
	}
	if e.Request, err = json.Marshal(run.Request); err != nil {
		return e, fmt.Errorf("record the request of the run: %w", err)
	}
	return e, nil
}
