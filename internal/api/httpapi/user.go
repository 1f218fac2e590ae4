package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/password"
	"github.com/edgeposture/edgeposture/internal/store"
)

// maxUsers bounds the number of people.
const maxUsers = 10_000

// Person is somebody who may sign in, in API responses.
type Person struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Email      string         `json:"email,omitempty"`
	Issuer     string         `json:"issuer,omitempty" doc:"The OpenID Connect provider they sign in by; absent for a password or a passkey."`
	Grants     []access.Grant `json:"grants" doc:"What they may do, and where. The groups of a provider decide at each sign-in."`
	Disabled   bool           `json:"disabled" doc:"They can no longer sign in, and their sessions count for nothing."`
	Revision   string         `json:"revision" doc:"Another one whenever the name, address, grants or disabled change."`
	CreatedAt  time.Time      `json:"createdAt"`
	LastSeenAt *time.Time     `json:"lastSeenAt,omitempty" doc:"When they signed in last."`

	Invitation string `json:"invitation,omitempty" doc:"Path where they choose a password or passkey, once, in 72 hours. Shown once: send it."`
}

func personOf(u store.UserRow) Person {
	return Person{ID: u.ID, Name: u.Name, Email: u.Email, Issuer: u.Issuer, Grants: notNil(u.Grants), Disabled: u.Disabled,
		Revision: revisionOf("%q %q %q %t", u.Name, u.Email, u.Grants, u.Disabled), CreatedAt: u.CreatedAt, LastSeenAt: orAbsent(u.SeenAt)}
}

type usersOutput page[Person]

func listUsers(s *Server, ctx context.Context, in *partInput) (*usersOutput, error) {
	all, err := s.o.Store.Users(ctx)
	if err != nil {
		return nil, err
	}
	out, err := partOf(all, in, personOf)
	return (*usersOutput)(out), err
}

type postUserInput struct {
	OnceHeader
	Body struct {
		Name     string         `json:"name" minLength:"1" maxLength:"200"`
		Email    string         `json:"email" maxLength:"320" doc:"What they sign in with."`
		Password *secret.Text   `json:"password,omitempty" doc:"At least 12 characters; kept as a hash (argon2id). Absent: an invitation."`
		Grants   []access.Grant `json:"grants" minItems:"1" maxItems:"100"`
	}
}

// postUser adds a person who signs in with a password or a passkey. People of a provider are added
// when they first sign in.
func postUser(s *Server, ctx context.Context, in *postUserInput) (*object[Person], error) {
	b := in.Body
	row := store.UserRow{ID: s.o.NewID(), CreatedAt: s.now()}
	if err := s.describe(ctx, &row, userChange{&b.Name, &b.Email, b.Password, &b.Grants, nil}); err != nil {
		return nil, err
	}
	all, _, err := s.o.Store.CountUsers(ctx)
	if err != nil {
		return nil, err
	}
	if all >= maxUsers {
		return nil, posture.Problemf(posture.CodeConflict, "There are %d people, which is the most there may be; delete somebody who left.",
			maxUsers)
	}
	var invitation string
	if b.Password == nil {
		if invitation, err = s.invite(&row); err != nil {
			return nil, err
		}
	}
	if err := s.o.Store.AddUser(ctx, row); err != nil {
		return nil, emailTaken(err, row.Email)
	}
	about(ctx, "users", row.ID)
	granted(ctx, userActor(row), row.Grants...)
	out := &object[Person]{Status: http.StatusCreated, Location: "/api/users/" + row.ID, Body: personOf(row)}
	out.Body.Invitation = invitation
	return out, nil
}

func emailTaken(err error, email string) error {
	if errors.Is(err, store.ErrNameTaken) {
		return posture.Problemf(posture.CodeConflict, "Somebody signs in with %s already; change that person instead.", clip(email))
	}
	return fmt.Errorf("keep the person: %w", err)
}

// userChange is a change of a person; a nil field keeps its value.
type userChange struct {
	name, email *string
	password    *secret.Text
	grants      *[]access.Grant
	disabled    *bool
}

// describe validates a change and applies it to u, which must not be stored after an error.
func (s *Server) describe(ctx context.Context, u *store.UserRow, c userChange) error {
	if c.name != nil {
		u.Name = strings.TrimSpace(*c.name)
		if err := shown("body.name", u.Name); err != nil {
			return err
		}
	}
	if c.email != nil {
		address, err := mail.ParseAddress(*c.email)
		if err != nil || address.Name != "" {
			return posture.Invalid("body.email", "is not an email address; write it as in ann@example.com", clip(*c.email))
		}
		if address := strings.ToLower(address.Address); u.Email != address {
			u.Email, u.InvitedUntil = address, time.Time{} // an invitation went to the old address
		}
	}
	if c.grants != nil {
		u.Grants = nil
		for i, g := range *c.grants {
			checked, err := s.grant(ctx, fmt.Sprintf("body.grants[%d]", i), g)
			if err != nil {
				return err
			}
			u.Grants = append(u.Grants, checked)
		}
	}
	if c.disabled != nil {
		u.Disabled = *c.disabled
	}
	if c.password != nil {
		hash, err := s.passwords.Hash(*c.password)
		if weak, is := errors.AsType[*password.WeakError](err); is {
			return posture.Invalid("body.password", weak.Reason, nil)
		}
		if err != nil {
			return fmt.Errorf("hash the password: %w", err)
		}
		u.PasswordHash, u.InvitedUntil = hash, time.Time{}
	}
	return nil
}

// grant validates a grant and replaces its account names with ids.
func (s *Server) grant(ctx context.Context, at string, g access.Grant) (access.Grant, error) {
	if err := g.Validate(); err != nil {
		return g, posture.Invalid(at, err.Error(), nil)
	}
	if g.Accounts != nil && len(g.Accounts)+len(g.Labels) == 0 {
		return g, posture.Invalid(at+".accounts", "names no account; leave it out when the role is for all of them", nil)
	}
	g.Accounts = slices.Clone(g.Accounts)
	for i, ref := range g.Accounts {
		a, err := s.o.Store.Account(ctx, ref)
		if errors.Is(err, store.ErrNotFound) {
			return g, posture.Invalid(fmt.Sprintf("%s.accounts[%d]", at, i), "is no registered account; GET /api/accounts lists them", clip(ref))
		}
		if err != nil {
			return g, fmt.Errorf("look up the account: %w", err)
		}
		g.Accounts[i] = a.ID
	}
	slices.Sort(g.Accounts)
	g.Accounts = slices.Compact(g.Accounts)
	return g, nil
}

// shown rejects a name that is empty, has characters that cannot be displayed or looks like a secret.
func shown(at, name string) error {
	if name == "" || strings.ContainsFunc(name, odd) {
		return posture.Invalid(at, "the name has no visible character or has one that cannot be shown; type another", clip(name))
	}
	return showable(at, name)
}

func (s *Server) user(ctx context.Context, ref string) (store.UserRow, error) {
	return byID(ctx, ref, "person", "/api/users", s.o.Store.User)
}

func getUser(s *Server, ctx context.Context, in *idInput) (*object[Person], error) {
	u, err := s.user(ctx, in.ID)
	return &object[Person]{Status: http.StatusOK, Body: personOf(u)}, err
}

type patchUserInput struct {
	ID   string `path:"id"`
	Body struct {
		Name     *string         `json:"name,omitempty" minLength:"1" maxLength:"200"`
		Email    *string         `json:"email,omitempty" maxLength:"320"`
		Password *secret.Text    `json:"password,omitempty" doc:"Ends all their sessions."`
		Grants   *[]access.Grant `json:"grants,omitempty" maxItems:"100" doc:"Replaces what they may do."`
		Disabled *bool           `json:"disabled,omitempty"`
		Revised
	}
}

func patchUser(s *Server, ctx context.Context, in *patchUserInput) (*object[Person], error) {
	b := in.Body
	u, err := s.changeUser(ctx, in.ID, s.oneAdministrator(callOf(ctx)), func(u *store.UserRow) error {
		if !b.still(personOf(*u).Revision) {
			return posture.Problemf(posture.CodeConflict, "The person was changed meanwhile; read them again and repeat the change.")
		}
		if u.Issuer != "" && (b.Email != nil || b.Password != nil) {
			return posture.Invalid("body", "the person signs in by "+u.Issuer+", which tells the email address and keeps the password", nil)
		}
		return s.describe(ctx, u, userChange{b.Name, b.Email, b.Password, b.Grants, b.Disabled})
	})
	if err != nil {
		return nil, err
	}
	if b.Grants != nil {
		granted(ctx, userActor(u), u.Grants...)
	}
	if b.Password != nil || b.Disabled != nil && *b.Disabled {
		if err := s.o.Store.EndSessionsOf(ctx, u.ID); err != nil {
			return nil, err
		}
	}
	return &object[Person]{Status: http.StatusOK, Body: personOf(u)}, nil
}

// oneAdministrator keeps people and programs from taking the last administrator of all accounts, be it themselves:
// nobody but who has the API key could undo it. Who has that may.
func (s *Server) oneAdministrator(n *called) store.One {
	if n.principal.Kind == access.Root {
		return nil
	}
	return func(u store.UserRow) bool { return s.maySignIn(u) && principalOf(u).Scope(access.Administrator).All }
}

func lastAdministrator() error {
	return posture.Problemf(posture.CodeConflict, "This is the last administrator of all accounts who can sign in; let another one sign in "+
		"first, or do it with the API key.")
}

func deleteUser(s *Server, ctx context.Context, in *idInput) (*emptyOutput, error) {
	one := s.oneAdministrator(callOf(ctx))
	return deleting("person", "/api/users", func(all store.Store, ctx context.Context, id string) error {
		err := all.DeleteUser(ctx, id, one)
		if errors.Is(err, store.ErrLast) {
			return lastAdministrator()
		}
		return err
	})(s, ctx, in)
}

// changeUser applies a change to a person as they are now.
func (s *Server) changeUser(ctx context.Context, ref string, one store.One, change func(u *store.UserRow) error) (u store.UserRow,
	err error) {
	for range 10 { // a sign-in or another administrator may have been faster
		var was store.UserRow
		if was, err = s.user(ctx, ref); err != nil {
			return was, err
		}
		u = was
		if err = change(&u); err != nil {
			return u, err
		}
		err = s.o.Store.ChangeUser(ctx, was, u, one)
		switch {
		case err == nil:
			return u, nil
		case errors.Is(err, store.ErrLast):
			return u, lastAdministrator()
		case errors.Is(err, store.ErrNotFound):
			return u, orMissing(err, "person", u.ID, "/api/users")
		case !errors.Is(err, store.ErrChanged):
			return u, emailTaken(err, u.Email)
		}
	}
	return u, posture.Problemf(posture.CodeConflict, "The person was changed by others at the same time; read them again and repeat it.")
}
