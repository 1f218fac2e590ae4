package httpapi

import (
	"context"
	"encoding/base64"
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

// How long an invitation is good for.
const (
	invitedFor = 72 * time.Hour
	firstFor   = 24 * time.Hour
)

// invitation lets a person choose a password, once: it is good while they have none. The one without a person makes the first
// administrator, and is good while there is nobody. It is sealed, so that nothing of it is kept.
type invitation struct {
	UserID  string    `json:"user,omitempty"`
	Expires time.Time `json:"expires"`
}

func (s *Server) invite(userID string, lasts time.Duration) (string, error) {
	raw, err := json.Marshal(invitation{userID, s.now().Add(lasts)})
	if err != nil {
		return "", fmt.Errorf("write an invitation: %w", err)
	}
	sealed, err := s.o.Key.Seal(secret.New(string(raw)), "invitation", s.o.Random)
	if err != nil {
		return "", fmt.Errorf("seal an invitation: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// FirstInvitation gives the path of the dashboard that makes the first administrator; "" when somebody may sign in already, or nobody
// has to.
func (s *Server) FirstInvitation(ctx context.Context) (string, error) {
	if !s.secured() || len(s.o.Providers) > 0 {
		return "", nil
	}
	all, _, err := s.o.Store.CountUsers(ctx)
	if err != nil || all > 0 {
		return "", err
	}
	token, err := s.invite("", firstFor)
	return invitationPath + firstMark + token, err
}

// invitationPath is behind # so that the token reaches no server and no log.
const invitationPath = "/welcome#"

// firstMark tells the page that it has to ask who it is.
const firstMark = "first."

type acceptInput struct {
	UserAgent string `header:"User-Agent" hidden:"true"`
	Body      struct {
		Invitation secret.Text `json:"invitation" doc:"What the link has behind its #."`
		Name       string      `json:"name,omitempty" maxLength:"200" doc:"Needed for the first administrator; else it stays."`
		Email      string      `json:"email,omitempty" maxLength:"320" doc:"Needed for the first administrator; else it stays."`
		Password   secret.Text `json:"password" doc:"At least 12 characters."`
	}
}

// acceptInvitation gives a person their password and signs them in.
func acceptInvitation(s *Server, ctx context.Context, in *acceptInput) (*signInOutput, error) {
	n, b := callOf(ctx), in.Body
	if p := s.wrongPasswords.refuses(n.entry.Address, s.o.Now(), "Too many wrong invitations were sent; wait a minute."); p != nil {
		return nil, p
	}
	invited, err := s.invited(ctx, b.Invitation)
	if err != nil {
		s.wrongPasswords.add(n.entry.Address, s.o.Now())
		return nil, err
	}
	u, change := store.UserRow{}, userChange{password: &b.Password}
	if invited.UserID == "" {
		u.ID, u.CreatedAt, u.Grants = s.o.NewID(), s.now(), []access.Grant{{Role: access.Administrator}}
		change.name, change.email = &b.Name, &b.Email
	} else if u, err = s.o.Store.User(ctx, invited.UserID); err != nil {
		return nil, orMissing(err, "person", invited.UserID, "/api/users")
	}
	if err := s.describe(ctx, &u, change); err != nil {
		return nil, err
	}
	if invited.UserID == "" {
		if err := s.addFirst(ctx, u); err != nil {
			return nil, err
		}
	}
	if err := s.enter(ctx, n, u); err != nil {
		return nil, err
	}
	session, err := s.signIn(ctx, n, in.UserAgent)
	if err != nil {
		return nil, err
	}
	return &signInOutput{SetCookie: session, Body: s.identity(n)}, nil
}

// addFirst adds the first administrator; of several who try at once, one.
func (s *Server) addFirst(ctx context.Context, u store.UserRow) error {
	mine, err := s.o.Store.TakeTurn(ctx, "first administrator", s.now(), time.Minute)
	if err != nil {
		return fmt.Errorf("keep others from being the first: %w", err)
	}
	if !mine {
		return posture.Problemf(posture.CodeConflict, "Somebody else is becoming the first administrator; ask them to add you.")
	}
	if err := s.o.Store.AddUser(ctx, u); err != nil {
		return emailTaken(err, u.Email)
	}
	return nil
}

// invited opens an invitation that is good.
func (s *Server) invited(ctx context.Context, token secret.Text) (in invitation, err error) {
	wrong := posture.Problemf(posture.CodeUnauthorized, "The invitation is no longer good, or never was; ask an administrator for another.")
	sealed, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(token.Reveal()), firstMark))
	if err != nil {
		return in, wrong
	}
	raw, err := s.o.Key.Open(sealed, "invitation")
	if err != nil || json.Unmarshal([]byte(raw.Reveal()), &in) != nil || !s.now().Before(in.Expires) {
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
	case errors.Is(err, store.ErrNotFound) || err == nil && (u.PasswordHash != "" || u.Disabled || u.Issuer != ""):
		return in, wrong
	case err != nil:
		return in, fmt.Errorf("look for the person: %w", err)
	default:
		return in, nil
	}
}

// newInvitation invites a person again: their password counts no more until they choose another.
func newInvitation(s *Server, ctx context.Context, in *userInput) (*userOutput, error) {
	u, err := s.user(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if u.Issuer != "" {
		return nil, posture.Problemf(posture.CodeConflict, "The person signs in by %s, which keeps the password.", u.Issuer)
	}
	u.PasswordHash = ""
	if err := s.o.Store.ChangeUser(ctx, u); err != nil {
		return nil, orMissing(err, "person", u.ID, "/api/users")
	}
	if err := s.o.Store.EndSessionsOf(ctx, u.ID); err != nil {
		return nil, err
	}
	out := &userOutput{Status: http.StatusOK, Body: personOf(u)}
	token, err := s.invite(u.ID, invitedFor)
	out.Body.Invitation = invitationPath + token
	return out, err
}
