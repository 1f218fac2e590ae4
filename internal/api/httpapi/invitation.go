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
	"github.com/edgeposture/edgeposture/internal/store"
)

// Lifetimes of invitations: of a person, and of the first administrator.
const (
	invitedFor = 72 * time.Hour
	firstFor   = 24 * time.Hour
)

// invitation lets a person choose a password or a passkey, once: it is valid until they have, and
// until they get another. An invitation without a person creates the first administrator and is
// valid while there are no users. It is a sealed token: of it only the end is stored, with the person.
type invitation struct {
	UserID  string    `json:"user,omitempty"`
	Expires time.Time `json:"expires"`
}

// invite opens an invitation for a person, who must be stored afterwards, and returns the dashboard
// path of it.
func (s *Server) invite(u *store.UserRow) (string, error) {
	u.InvitedUntil = s.now().Add(invitedFor)
	token, err := s.sealed("invitation", invitation{u.ID, u.InvitedUntil})
	return invitationPath + token, err
}

// FirstInvitation returns the dashboard path that creates the first administrator, or "" when
// somebody can sign in already or nobody has to.
func (s *Server) FirstInvitation(ctx context.Context) (string, error) {
	if !s.secured() || len(s.o.Providers) > 0 {
		return "", nil
	}
	all, _, err := s.o.Store.CountUsers(ctx)
	if err != nil || all > 0 {
		return "", err
	}
	token, err := s.sealed("invitation", invitation{"", s.now().Add(firstFor)})
	return invitationPath + firstMark + token, err
}

// invitationPath puts the token into the fragment, which browsers send to no server, so it reaches no log.
const invitationPath = "/welcome#"

// firstMark tells the page to ask for a name and an email address.
const firstMark = "first."

type acceptInput struct {
	UserAgent string `header:"User-Agent" hidden:"true"`
	Kept      string `cookie:"__Host-edgeposture-passkey" hidden:"true"`
	Body      struct {
		Invitation secret.Text `json:"invitation" doc:"What the link has behind its #."`
		Name       string      `json:"name,omitempty" maxLength:"200" doc:"Needed for the first administrator; else it stays."`
		Email      string      `json:"email,omitempty" maxLength:"320" doc:"Needed for the first administrator; else it stays."`
		Password   secret.Text `json:"password,omitempty" doc:"At least 12 characters."`

		Passkey json.RawMessage `json:"passkey,omitempty" doc:"Instead of a password: toJSON() of a credential for POST /api/welcome/challenge."`
	}
}

// acceptInvitation sets a person's password or first passkey and signs them in.
func acceptInvitation(s *Server, ctx context.Context, in *acceptInput) (*signInOutput, error) {
	n, b := callOf(ctx), in.Body
	u, first, err := s.invitee(ctx, b.Invitation, b.Name, b.Email)
	if err != nil {
		return nil, err
	}
	was := u
	var made store.PasskeyRow
	var begun ceremony
	if len(b.Passkey) == 0 {
		err = s.describe(ctx, &u, userChange{password: &b.Password})
	} else if made, begun, err = s.newPasskey(ctx, in.Kept, b.Passkey, u.ID); err == nil {
		u.ID, made.Name = made.UserID, "From the invitation"
	}
	if err != nil {
		return nil, err
	}
	if u.InvitedUntil = (time.Time{}); first {
		if u.ID == "" {
			u.ID = s.o.NewID()
		}
		if err := s.addFirst(ctx, u); err != nil {
			return nil, err
		}
		was = u
	}
	n.enter(was, u)
	session, err := s.signIn(ctx, n, in.UserAgent) // of several at once with one invitation, it lets one in
	if err == nil && made.ID != "" {
		err = s.keepPasskey(ctx, made, begun)
	}
	if err != nil {
		return nil, err
	}
	return &signInOutput{SetCookie: session, Body: s.identity(n)}, nil
}

// invitee returns the person of a valid invitation, as they will be stored. The first administrator
// has no id yet.
func (s *Server) invitee(ctx context.Context, token secret.Text, name, email string) (u store.UserRow, first bool, err error) {
	var in invitation
	err = s.guessed(ctx, []string{neighbors(callOf(ctx).entry.Address)}, "invitations", func() (err error) {
		in, err = s.invited(ctx, token)
		return err
	})
	switch {
	case err != nil:
		return u, false, err
	case in.UserID == "":
		u.CreatedAt, u.Grants = s.now(), []access.Grant{{Role: access.Administrator}}
		return u, true, s.describe(ctx, &u, userChange{name: &name, email: &email})
	default:
		if u, err = s.o.Store.User(ctx, in.UserID); err != nil {
			err = orMissing(err, "person", in.UserID, "/api/users")
		}
		u.InvitedUntil = in.Expires // another one since makes the write fail
		return u, false, err
	}
}

// addFirst adds the first administrator. Of several attempts, one succeeds while an invitation made
// before it could still be good, even if that person is deleted again.
func (s *Server) addFirst(ctx context.Context, u store.UserRow) error {
	mine, err := s.o.Store.TakeTurn(ctx, "first administrator", s.now(), firstFor)
	if err != nil {
		return fmt.Errorf("keep others from being the first: %w", err)
	}
	if !mine {
		return posture.Problemf(posture.CodeConflict,
			"Somebody else has become the first administrator within the last day; ask them to add you, or add people with the API key.")
	}
	if err := s.o.Store.AddUser(ctx, u); err != nil {
		return emailTaken(err, u.Email)
	}
	return nil
}

// invited opens a token and checks that its invitation is still valid.
func (s *Server) invited(ctx context.Context, token secret.Text) (in invitation, err error) {
	wrong := posture.Problemf(posture.CodeUnauthorized, "The invitation is no longer good, or never was; ask an administrator for another.")
	if !s.opened("invitation", strings.TrimPrefix(strings.TrimSpace(token.Reveal()), firstMark), &in) || !s.now().Before(in.Expires) {
		return in, wrong
	}
	if in.UserID == "" {
		all, _, err := s.o.Store.CountUsers(ctx)
		if err == nil && all > 0 {
			err = wrong
		}
		return in, err
	}
	u, err := s.o.Store.User(ctx, in.UserID)
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && (!u.InvitedUntil.Equal(in.Expires) || u.Disabled):
		return in, wrong
	case err != nil:
		return in, fmt.Errorf("look for the person: %w", err)
	default:
		return in, nil
	}
}

type inviteInput struct {
	OnceHeader
	ID string `path:"id"`
}

// newInvitation invites a person again: it removes their password and passkeys and ends their sessions.
func newInvitation(s *Server, ctx context.Context, in *inviteInput) (*object[Person], error) {
	var path string
	u, err := s.changeUser(ctx, in.ID, nil, func(u *store.UserRow) (err error) {
		if u.Issuer != "" {
			return posture.Problemf(posture.CodeConflict, "The person signs in by %s, which keeps the password.", u.Issuer)
		}
		u.PasswordHash = ""
		path, err = s.invite(u)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.o.Store.EndSessionsOf(ctx, u.ID); err != nil {
		return nil, err
	}
	if err := s.o.Store.DeletePasskeysOf(ctx, u.ID); err != nil { // now no session can add one
		return nil, err
	}
	out := &object[Person]{Status: http.StatusOK, Body: personOf(u)}
	out.Body.Invitation = path
	return out, nil
}
