package jobs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Keyring signs evidence. The private key is derived from the encryption key and a generation number in
// the store, so every process has the same one and none is stored; all public keys ever used stay in
// the store.
type Keyring struct {
	Store store.Evidences
	Key   secret.Key
	Now   func() time.Time
}

func (k Keyring) signer(generation int64) evidence.Signer {
	return evidence.NewSigner(k.Key.Mac("evidence", binary.BigEndian.AppendUint64(nil, uint64(generation))))
}

// Ensure makes sure that the current key is derived from this encryption key: the first start adds a
// key, and so does the first start after the encryption key changed.
func (k Keyring) Ensure(ctx context.Context) error {
	return k.add(ctx, func(keys []store.EvidenceKey) (generation int64, add bool) {
		if len(keys) == 0 {
			return 1, true
		}
		g := keys[0].Generation
		if k.signer(g).Key().ID() == keys[0].ID {
			return g, false
		}
		// An encryption key that was used before already has keys in the list.
		for k.listed(keys, g) {
			g++
		}
		return g, true
	})
}

func (k Keyring) listed(keys []store.EvidenceKey, generation int64) bool {
	id := k.signer(generation).Key().ID()
	return slices.ContainsFunc(keys, func(have store.EvidenceKey) bool { return have.ID == id })
}

// Rotate makes a new key the current one. Bundles signed with earlier keys stay valid.
func (k Keyring) Rotate(ctx context.Context) error {
	return k.add(ctx, func(keys []store.EvidenceKey) (int64, bool) {
		var highest int64
		for _, key := range keys {
			highest = max(highest, key.Generation)
		}
		return highest + 1, true
	})
}

// add stores the key of the generation that choose returns, again when another process was faster.
func (k Keyring) add(ctx context.Context, choose func([]store.EvidenceKey) (int64, bool)) error {
	for range 10 {
		keys, err := k.Keys(ctx)
		if err != nil {
			return err
		}
		generation, add := choose(keys)
		if !add {
			return nil
		}
		var last int64
		if len(keys) > 0 {
			last = keys[0].No
		}
		key := k.signer(generation).Key()
		err = k.Store.KeepEvidenceKey(ctx, store.EvidenceKey{ID: key.ID(), No: last + 1, Generation: generation, Public: key.DER(),
			CreatedAt: k.Now().UTC().Truncate(time.Microsecond)})
		if err == nil {
			return nil
		}
		if !errors.Is(err, store.ErrChanged) {
			return fmt.Errorf("keep the key of the evidence: %w", err)
		}
	}
	return errors.New("keep the key of the evidence: other processes were faster ten times")
}

// Keys lists the keys, the current one first.
func (k Keyring) Keys(ctx context.Context) ([]store.EvidenceKey, error) {
	keys, err := k.Store.EvidenceKeys(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the keys of the evidence: %w", err)
	}
	return keys, nil
}

// Signer returns a signer with the current key.
func (k Keyring) Signer(ctx context.Context) (evidence.Signer, error) {
	keys, err := k.Keys(ctx)
	if err != nil {
		return evidence.Signer{}, err
	}
	if len(keys) > 0 {
		if s := k.signer(keys[0].Generation); s.Key().ID() == keys[0].ID {
			return s, nil
		}
	}
	return evidence.Signer{}, posture.Problemf(posture.CodeInternal,
		"Evidence cannot be signed, because the key in force belongs to another SERVICE_ENCRYPTION_KEY; give every process the same one and "+
			"start them again.")
}
