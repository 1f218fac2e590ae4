package httpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// serviceTokenPrefix starts every service token, so that people and secret scanners recognize one.
const serviceTokenPrefix = "eps_"

// maxServiceTokens bounds the number of service tokens.
const maxServiceTokens = 1000

// ServiceToken is a program's token in API responses.
type ServiceToken struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Role       access.Role `json:"role" enum:"viewer,analyst,operator,remediator,administrator"`
	Accounts   []string    `json:"accounts,omitempty" doc:"Ids of registered accounts. Without accounts and labels the role holds for all."`
	Labels     []string    `json:"labels,omitempty" doc:"Accounts with one of these labels."`
	CreatedBy  string      `json:"createdBy" doc:"As the audit log names them."`
	CreatedAt  time.Time   `json:"createdAt"`
	ExpiresAt  *time.Time  `json:"expiresAt,omitempty" doc:"Absent when it has no end."`
	LastUsedAt *time.Time  `json:"lastUsedAt,omitempty" doc:"To the minute; absent when it never was."`
	Token      string      `json:"token,omitempty" doc:"Shown once, when it is made. Send it as Authorization: Bearer or in X-API-Key."`
}

func serviceToken(t store.ServiceTokenRow) ServiceToken {
	return ServiceToken{ID: t.ID, Name: t.Name, Role: t.Grant.Role, Accounts: t.Grant.Accounts, Labels: t.Grant.Labels,
		CreatedBy: t.CreatedBy, CreatedAt: t.CreatedAt, ExpiresAt: orAbsent(t.ExpiresAt), LastUsedAt: orAbsent(t.UsedAt)}
}

func orAbsent(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

type serviceTokensOutput page[ServiceToken]

func listServiceTokens(s *Server, ctx context.Context, in *partInput) (*serviceTokensOutput, error) {
	all, err := s.o.Store.ServiceTokens(ctx)
	if err != nil {
		return nil, err
	}
	out, err := partOf(all, in, serviceToken)
	return (*serviceTokensOutput)(out), err
}

type postServiceTokenInput struct {
	OnceHeader
	Body struct {
		Name      string      `json:"name" minLength:"1" maxLength:"100" doc:"A name of its own, which the audit log shows."`
		Role      access.Role `json:"role" enum:"viewer,analyst,operator,remediator,administrator"`
		Accounts  []string    `json:"accounts,omitempty" maxItems:"1000" doc:"Ids or names of registered accounts. Default all, later ones too."`
		Labels    []string    `json:"labels,omitempty" maxItems:"100" doc:"Accounts with one of these labels."`
		ExpiresAt *time.Time  `json:"expiresAt,omitempty" doc:"When it ends (RFC 3339). Recommended."`
	}
}

// postServiceToken creates a token, which is shown only once.
func postServiceToken(s *Server, ctx context.Context, in *postServiceTokenInput) (*object[ServiceToken], error) {
	b, now := in.Body, s.now()
	grant, err := s.grant(ctx, "body", access.Grant{Role: b.Role, Accounts: b.Accounts, Labels: b.Labels})
	if err != nil {
		return nil, err
	}
	row := store.ServiceTokenRow{ID: s.o.NewID(), Name: strings.TrimSpace(b.Name), Grant: grant, CreatedBy: callOf(ctx).entry.Actor,
		CreatedAt: now}
	if err := shown("body.name", row.Name); err != nil {
		return nil, err
	}
	if b.ExpiresAt != nil {
		if !b.ExpiresAt.After(now) {
			return nil, posture.Invalid("body.expiresAt", "is not in the future", b.ExpiresAt)
		}
		row.ExpiresAt = b.ExpiresAt.UTC().Truncate(time.Microsecond)
	}
	all, err := s.o.Store.ServiceTokens(ctx)
	if err != nil {
		return nil, fmt.Errorf("count the service tokens: %w", err)
	}
	if len(all) >= maxServiceTokens {
		return nil, posture.Problemf(posture.CodeConflict, "There are %d service tokens, which is the most there may be; revoke one that nobody "+
			"needs.", maxServiceTokens)
	}
	raw := make([]byte, secretBytes)
	if _, err := io.ReadFull(s.o.Random, raw); err != nil {
		return nil, fmt.Errorf("read randomness for a token: %w", err)
	}
	token := serviceTokenPrefix + base64.RawURLEncoding.EncodeToString(raw)
	row.Hash = hashOf([]byte(token))
	err = s.o.Store.AddServiceToken(ctx, row)
	if errors.Is(err, store.ErrNameTaken) {
		return nil, posture.Problemf(posture.CodeConflict, "There is a service token %q; choose another name, or revoke that one first.",
			clip(row.Name))
	}
	if err != nil {
		return nil, fmt.Errorf("keep the service token: %w", err)
	}
	about(ctx, "service-tokens", row.ID)
	granted(ctx, serviceActorPrefix+row.Name, row.Grant)
	out := serviceToken(row)
	out.Token = token
	return &object[ServiceToken]{Status: http.StatusCreated, Location: "/api/service-tokens/" + row.ID, Body: out}, nil
}

func getServiceToken(s *Server, ctx context.Context, in *idInput) (*object[ServiceToken], error) {
	row, err := byID(ctx, in.ID, "service token", "/api/service-tokens", s.o.Store.ServiceToken)
	return &object[ServiceToken]{Status: http.StatusOK, Body: serviceToken(row)}, err
}
