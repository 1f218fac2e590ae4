package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/passkey"
	"github.com/edgeposture/edgeposture/internal/store"
)

// getSignInChallenge begins a sign-in with any passkey that the person chooses.
func getSignInChallenge(s *Server, _ context.Context, _ *struct{}) (*challengeOutput, error) {
	p, err := s.relyingParty()
	if err != nil {
		return nil, err
	}
	return s.challenge(p.Ask())
}

// byPasskey signs a person in by a passkey. Failures count against the address and against the passkey.
func (s *Server) byPasskey(ctx context.Context, n *called, kept string, sent json.RawMessage) error {
	p, err := s.relyingParty()
	if err != nil {
		return err
	}
	n.cookies = append(n.cookies, cookie(passkeyCookie, "", -time.Second)) // it is valid for a single answer
	a, unread := passkey.ParseAssertion(sent)
	keys := []string{neighbors(n.entry.Address), "passkey " + string(hashOf(a.CredentialID))}
	return s.guessed(ctx, keys, "passkeys", func() error {
		c, fresh := s.ceremony(kept)
		if !fresh {
			return posture.Problemf(posture.CodeUnauthorized, "This sign-in was not begun in this browser, or took longer than five "+
				"minutes; sign in again.")
		}
		if unread != nil {
			return s.notTaken(ctx, n, unread)
		}
		return s.holds(ctx, n, p, c, a)
	})
}

// holds makes the owner of the passkey the caller.
func (s *Server) holds(ctx context.Context, n *called, p *passkey.Party, c ceremony, a passkey.Assertion) error {
	row, err := s.o.Store.PasskeyByCredential(ctx, a.CredentialID)
	var u store.UserRow
	if err == nil {
		about(ctx, "passkeys", row.ID)
		u, err = s.o.Store.User(ctx, row.UserID)
	}
	if errors.Is(err, store.ErrNotFound) {
		return s.notTaken(ctx, n, err)
	}
	if err != nil {
		return s.notLookedUp(ctx, n, "passkey", err)
	}
	got, err := p.Check(c.Passkey, a, u.ID, passkey.Credential{ID: row.CredentialID, PublicKey: row.PublicKey, SignCount: row.SignCount,
		BackupEligible: row.BackupEligible, BackedUp: row.BackedUp})
	if err == nil || errors.Is(err, passkey.ErrCloned) { // their key, or a copy of it
		n.entry.Actor = userActor(u)
	}
	if err == nil && u.Disabled {
		err = errors.New("the person is disabled")
	}
	if err != nil {
		return s.notTaken(ctx, n, err)
	}
	row.SignCount, row.BackedUp, row.UsedAt = got.SignCount, got.BackedUp, s.now()
	err = s.o.Store.UsePasskey(ctx, row, c.once())
	if errors.Is(err, store.ErrUsed) || errors.Is(err, store.ErrNotFound) {
		return s.notTaken(ctx, n, err)
	}
	if err != nil {
		return fmt.Errorf("note the use of the passkey: %w", err)
	}
	n.enter(u, u)
	return nil
}

// notTaken refuses a passkey with the same sentence for all causes, so that nobody learns which
// passkeys exist. The cause is in the log.
func (s *Server) notTaken(ctx context.Context, n *called, cause error) error {
	s.o.Log.WarnContext(ctx, "a passkey was refused", "requestId", n.entry.RequestID, "passkey", n.entry.Target.ID, "cause", cause)
	return posture.Problemf(posture.CodeUnauthorized, "The passkey is not known here, or you may not sign in with it; sign in another "+
		"way, or ask an administrator.")
}
