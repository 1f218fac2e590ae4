package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/passkey"
	"github.com/edgeposture/edgeposture/internal/store"
)

// passkeyCookie holds a sealed ceremony until the authenticator has answered.
const passkeyCookie = "__Host-edgeposture-passkey"

// lately is how old a sign-in may be for a passkey to be added: a session that somebody has taken over
// ends, and a passkey would not.
const lately = 15 * time.Minute

// maxPasskeys bounds the passkeys of a person.
const maxPasskeys = 20

// Passkey is a passkey of the caller in API responses.
type Passkey struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty"`
}

// ceremony is the state of a registration or sign-in, which the browser keeps until the
// authenticator has answered.
type ceremony struct {
	Passkey passkey.Ceremony `json:"passkey"`
	Expires time.Time        `json:"expires"`
}

// once identifies the ceremony, so that it accepts a single answer.
func (c ceremony) once() store.Once {
	return store.Once{Key: "passkey " + c.Passkey.Challenge, Until: c.Expires}
}

// ceremony opens the state that a browser kept. fresh is false when it is not from this service or
// has expired.
func (s *Server) ceremony(kept string) (c ceremony, fresh bool) {
	return c, s.opened(passkeyCookie, kept, &c) && s.now().Before(c.Expires)
}

// relyingParty returns the passkey verifier, or the problem that the service supports no passkeys.
func (s *Server) relyingParty() (*passkey.Party, error) {
	if s.passkeys == nil {
		return nil, posture.Problemf(posture.CodeConflict, "There are no passkeys here, because the service has no name over https; its "+
			"operator sets one as SERVICE_PUBLIC_URL.")
	}
	return s.passkeys, nil
}

type challengeOutput struct {
	SetCookie string `header:"Set-Cookie"`
	Body      struct {
		PublicKey json.RawMessage `json:"publicKey" doc:"Options for navigator.credentials, for one answer of this browser within five minutes."`
	}
}

// challenge sends the options of a new ceremony to the browser, with its sealed state as a cookie.
func (s *Server) challenge(options json.RawMessage, begun passkey.Ceremony, err error) (*challengeOutput, error) {
	if err != nil {
		return nil, err
	}
	sealed, err := s.sealed(passkeyCookie, ceremony{begun, s.now().Add(passkey.Age)})
	if err != nil {
		return nil, err
	}
	out := &challengeOutput{SetCookie: cookie(passkeyCookie, sealed, passkey.Age)}
	out.Body.PublicKey = options
	return out, nil
}

// holder returns the caller, who must be a person, because only people have passkeys.
func (s *Server) holder(ctx context.Context) (store.UserRow, error) {
	n := callOf(ctx)
	if n.principal.Kind != access.User {
		return store.UserRow{}, posture.Problemf(posture.CodeForbidden, "Passkeys belong to people; sign in as one.")
	}
	u, err := s.o.Store.User(ctx, n.principal.ID)
	if err != nil {
		return u, fmt.Errorf("look for the person: %w", err)
	}
	return u, nil
}

type listPasskeysOutput struct {
	Body struct {
		Items      []Passkey `json:"items"`
		NextCursor string    `json:"nextCursor"`
		Available  bool      `json:"available" doc:"Whether the caller may add one: the service has an https name and no provider signs them in."`
	}
}

func listPasskeys(s *Server, ctx context.Context, in *partInput) (*listPasskeysOutput, error) {
	u, err := s.holder(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.o.Store.Passkeys(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	of, err := partOf(rows, in, passkeyOf)
	out := &listPasskeysOutput{}
	out.Body.Items, out.Body.NextCursor, out.Body.Available = of.Body.Items, of.Body.NextCursor, s.passkeys != nil && u.Issuer == ""
	return out, err
}

func passkeyOf(r store.PasskeyRow) Passkey {
	return Passkey{ID: r.ID, Name: r.Name, CreatedAt: r.CreatedAt, LastUsedAt: orAbsent(r.UsedAt)}
}

// getPasskeyChallenge begins to add a passkey for the caller. People who sign in by a provider
// cannot have one, because the provider decides at each sign-in what they may do.
func getPasskeyChallenge(s *Server, ctx context.Context, _ *struct{}) (*challengeOutput, error) {
	u, err := s.holder(ctx)
	if err != nil {
		return nil, err
	}
	if u.Issuer != "" {
		return nil, posture.Problemf(posture.CodeConflict, "You sign in by %s, which decides each time what you may do; a passkey would "+
			"not ask it.", u.Issuer)
	}
	if s.now().Sub(callOf(ctx).session.CreatedAt) > lately {
		return nil, posture.Problemf(posture.CodeConflict, "You signed in more than %d minutes ago, and a passkey lets people in for longer "+
			"than a session; sign out and in again, then add it.", int(lately.Minutes()))
	}
	return s.beginPasskey(ctx, u)
}

func (s *Server) beginPasskey(ctx context.Context, u store.UserRow) (*challengeOutput, error) {
	p, err := s.relyingParty()
	if err != nil {
		return nil, err
	}
	rows, err := s.o.Store.Passkeys(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	has := make([]passkey.Credential, len(rows))
	for i, r := range rows {
		has[i].ID = r.CredentialID
	}
	return s.challenge(p.Register(passkey.Person{ID: u.ID, Name: u.Name, Email: u.Email}, has))
}

// newPasskey verifies a new credential of a person and returns the passkey with its ceremony.
// userID is "" for a new person, whose id is then the one in the ceremony.
func (s *Server) newPasskey(ctx context.Context, kept string, sent json.RawMessage, userID string) (row store.PasskeyRow, c ceremony,
	err error) {
	p, err := s.relyingParty()
	if err != nil {
		return row, c, err
	}
	n := callOf(ctx)
	n.cookies = append(n.cookies, cookie(passkeyCookie, "", -time.Second))
	c, fresh := s.ceremony(kept)
	of := string(c.Passkey.UserID)
	if !fresh || userID != "" && of != userID {
		return row, c, posture.Invalid("body.passkey", "was not begun in this browser, or took longer than five minutes; try again", nil)
	}
	made, err := p.Registered(c.Passkey, sent)
	if err != nil {
		s.o.Log.WarnContext(ctx, "a new passkey was refused", "requestId", n.entry.RequestID, "cause", err)
		return row, c, posture.Invalid("body.passkey", "does not answer what this service asked; try again, or use another device", nil)
	}
	return store.PasskeyRow{ID: s.o.NewID(), UserID: of, CredentialID: made.ID, PublicKey: made.PublicKey, SignCount: made.SignCount,
		BackupEligible: made.BackupEligible, BackedUp: made.BackedUp, CreatedAt: s.now()}, c, nil
}

// keepPasskey stores a passkey of the caller, who is in a session.
func (s *Server) keepPasskey(ctx context.Context, row store.PasskeyRow, c ceremony) error {
	err := s.o.Store.AddPasskey(ctx, row, callOf(ctx).session.ID, c.once(), maxPasskeys)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return sessionEnded()
	case errors.Is(err, store.ErrTooMany):
		return posture.Problemf(posture.CodeConflict, "You have %d passkeys, which is the most there may be; remove one first.", maxPasskeys)
	case errors.Is(err, store.ErrUsed), errors.Is(err, store.ErrNameTaken):
		return posture.Problemf(posture.CodeConflict, "This passkey was added before; add another one.")
	case err != nil:
		return fmt.Errorf("keep the passkey: %w", err)
	default:
		about(ctx, "passkeys", row.ID)
		return nil
	}
}

type postPasskeyInput struct {
	Kept string `cookie:"__Host-edgeposture-passkey" hidden:"true"`
	Body struct {
		Name    string          `json:"name" minLength:"1" maxLength:"100" doc:"What you know it by."`
		Passkey json.RawMessage `json:"passkey" doc:"What navigator.credentials.create gave, as its toJSON writes it."`
	}
}

func postPasskey(s *Server, ctx context.Context, in *postPasskeyInput) (*object[Passkey], error) {
	u, err := s.holder(ctx)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSpace(in.Body.Name)
	if err := shown("body.name", name); err != nil {
		return nil, err
	}
	row, c, err := s.newPasskey(ctx, in.Kept, in.Body.Passkey, u.ID)
	if err != nil {
		return nil, err
	}
	row.Name = name
	if err := s.keepPasskey(ctx, row, c); err != nil {
		return nil, err
	}
	return &object[Passkey]{Status: http.StatusCreated, Location: "/api/passkeys/" + row.ID, Body: passkeyOf(row)}, nil
}

func deletePasskey(s *Server, ctx context.Context, in *idInput) (*emptyOutput, error) {
	u, err := s.holder(ctx)
	if err != nil {
		return nil, err
	}
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	err = s.o.Store.DeletePasskey(ctx, u.ID, id)
	if errors.Is(err, store.ErrLastWay) {
		return nil, posture.Problemf(posture.CodeConflict, "This passkey is the last way you can sign in; add another one first, or ask an "+
			"administrator to set a password for you.")
	}
	if err != nil {
		return nil, orMissing(err, "passkey", id, "/api/passkeys")
	}
	return &emptyOutput{Status: http.StatusNoContent}, nil
}

type welcomeChallengeInput struct {
	Body struct {
		Invitation secret.Text `json:"invitation" doc:"What the link has behind its #."`
		Name       string      `json:"name,omitempty" maxLength:"200" doc:"Needed for the first administrator."`
		Email      string      `json:"email,omitempty" maxLength:"320" doc:"Needed for the first administrator."`
	}
}

// postWelcomeChallenge begins to register a passkey with an invitation.
func postWelcomeChallenge(s *Server, ctx context.Context, in *welcomeChallengeInput) (*challengeOutput, error) {
	u, first, err := s.invitee(ctx, in.Body.Invitation, in.Body.Name, in.Body.Email)
	if err != nil {
		return nil, err
	}
	if first {
		u.ID = s.o.NewID()
	}
	return s.beginPasskey(ctx, u)
}
