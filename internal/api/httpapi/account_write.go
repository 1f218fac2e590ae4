package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
	"github.com/edgeposture/edgeposture/internal/platform/oidc"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/scoped"
	"github.com/edgeposture/edgeposture/jobs"
)

// verifyWithin bounds how long the provider may take to confirm that a token works.
const verifyWithin = 45 * time.Second

type postAccountInput struct {
	OnceHeader
	Body struct {
		Name      string `json:"name" minLength:"1" maxLength:"200" doc:"A name of its own."`
		AccountID string `json:"accountId,omitempty" pattern:"^[0-9a-zA-Z_-]{1,64}$" doc:"Cloudflare's id; needed when the token sees several."`

		Token  secret.Text `json:"token" doc:"The API token; it is sealed and never given back."`
		Verify *bool       `json:"verify,omitempty" doc:"false keeps the token without asking Cloudflare first."`

		Zones        []string `json:"zones,omitempty" maxItems:"1000" doc:"Zones that runs read by default: names, ids or patterns with * and ?."`
		ExcludeZones []string `json:"excludeZones,omitempty" maxItems:"1000"`
		Labels       []string `json:"labels,omitempty" maxItems:"50" doc:"Groups of the account, such as production; roles may be given by them."`

		Policy   map[string]json.RawMessage `json:"policy,omitempty" doc:"Thresholds that differ from the defaults."`
		AfterRun *posture.AfterRun          `json:"afterRun,omitempty" doc:"What is sent after each run."`

		Default bool `json:"default,omitempty" doc:"Makes it the account of runs that name none. The first besides the demo becomes it anyway."`
	}
}

func postAccount(s *Server, ctx context.Context, in *postAccountInput) (*object[AccountInfo], error) {
	call, err := onceOf(ctx, in.OnceHeader, in.Body, in.Body.Token)
	if err != nil {
		return nil, err
	}
	if made, err := s.accountMade(ctx, call); made != nil || err != nil {
		return made, err
	}
	out, err := s.register(ctx, in, call)
	if err != nil {
		if made, _ := s.accountMade(ctx, call); made != nil { // a concurrent call with the same key registered it first
			return made, nil
		}
	}
	return out, err
}

func (s *Server) register(ctx context.Context, in *postAccountInput, call once) (*object[AccountInfo], error) {
	b, now := in.Body, s.now()
	name, err := s.accountName(ctx, b.Name, "")
	if err != nil {
		return nil, err
	}
	if err := s.validScope(b.Zones, b.ExcludeZones); err != nil {
		return nil, err
	}
	if b.Token.IsZero() {
		return nil, posture.Invalid("body.token", "The token is empty; send the API token of the account.", nil)
	}
	if err := validLabels(b.Labels); err != nil {
		return nil, err
	}
	a := posture.Account{Name: name, ProviderID: b.AccountID, Default: b.Default, Zones: b.Zones, ExcludeZones: b.ExcludeZones,
		Labels: b.Labels, CreatedAt: now, UpdatedAt: now, TokenAt: now}
	if a.Policy, err = mergePolicy(nil, b.Policy); err != nil {
		return nil, err
	}
	if b.AfterRun != nil {
		if a.AfterRun, err = encodeAfterRun(*b.AfterRun); err != nil {
			return nil, err
		}
	}
	if b.Verify == nil || *b.Verify {
		ref, err := s.verify(ctx, a, b.Token)
		if err != nil {
			return nil, err
		}
		a.ProviderID = ref.ID
	}
	if err := s.unregistered(ctx, a.ProviderID); err != nil {
		return nil, err
	}
	if !a.Default {
		first, err := s.o.Store.DefaultAccount(ctx)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("look for the default account: %w", err)
		}
		a.Default = err != nil || first.Demo
	}
	if a.ID, err = s.newID(ctx, call); err != nil {
		return nil, err
	}
	sealed, err := s.o.Key.Seal(b.Token, jobs.AccountSeal(a.ID), s.o.Random)
	if err != nil {
		return nil, fmt.Errorf("seal the token: %w", err)
	}
	if err := s.o.Store.PutAccount(ctx, a, sealed); err != nil {
		return nil, accountProblem(err, name, "register the account")
	}
	if len(a.Labels) > 0 {
		labelled(ctx, a)
	}
	return s.createdAccount(ctx, a)
}

// unregistered refuses to register a Cloudflare account twice: both registrations would share one history.
func (s *Server) unregistered(ctx context.Context, providerID string) error {
	all, err := s.o.Store.Accounts(ctx)
	if err != nil {
		return fmt.Errorf("look for the account: %w", err)
	}
	for _, a := range all {
		if providerID != "" && a.ProviderID == providerID {
			return posture.Problemf(posture.CodeConflict, "This account of Cloudflare is registered as %q; change its token or its zones with "+
				"PATCH /api/accounts/%s.", clip(a.Name), a.ID)
		}
	}
	return nil
}

func (s *Server) createdAccount(ctx context.Context, a posture.Account) (*object[AccountInfo], error) {
	info, err := s.accountInfo(ctx, a)
	return &object[AccountInfo]{Status: http.StatusCreated, Location: "/api/accounts/" + a.ID, Body: info}, err
}

// accountMade returns the account that an earlier call with the same idempotency key registered, or nil.
func (s *Server) accountMade(ctx context.Context, call once) (*object[AccountInfo], error) {
	a, err := madeBefore(ctx, s, call, s.o.Store.Account)
	if a == nil || err != nil {
		return nil, err
	}
	return s.createdAccount(ctx, *a)
}

// now is the current time at the precision of the store.
func (s *Server) now() time.Time { return s.o.Now().UTC().Truncate(time.Microsecond) }

// accountName validates a name, which must be unique and usable in a path. own is the id of the
// account being renamed, "" for a new one.
func (s *Server) accountName(ctx context.Context, raw, own string) (string, error) {
	name := strings.TrimSpace(raw)
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return odd(r) || r == '/' }) {
		return "", posture.Invalid("body.name", "The name is empty or holds a slash or a control character; choose another.", clip(raw))
	}
	other, err := s.o.Store.Account(ctx, name)
	switch {
	case err == nil && other.ID == own:
		return name, nil
	case errors.Is(err, store.ErrNotFound):
		// A name that means an account already would hide that one, or pass for one that was deleted.
		if _, err := parseID("", name); err == nil || name == "default" {
			return "", posture.Invalid("body.name", fmt.Sprintf("%q is an id or the word for the default account; choose another name",
				clip(name)), clip(raw))
		}
		return name, nil
	case err != nil:
		return "", fmt.Errorf("look for the name: %w", err)
	default:
		return "", accountProblem(store.ErrNameTaken, name, "")
	}
}

func (s *Server) validScope(zones, exclude []string) error {
	return assess.Validate(posture.AssessRequest{Zones: zones, ExcludeZones: exclude}, s.o.Checks)
}

// validLabels requires every label to be a short word, because roles refer to labels.
func validLabels(labels []string) error {
	for i, l := range labels {
		if !labelWord.MatchString(l) {
			return posture.Invalid(fmt.Sprintf("body.labels[%d]", i), notALabel, clip(l))
		}
	}
	return nil
}

const notALabel = "is no label; use up to 63 letters, digits, dots, underscores and hyphens"

var labelWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

func (s *Server) verify(ctx context.Context, a posture.Account, token secret.Text) (posture.AccountRef, error) {
	release, err := callOf(ctx).take(s.limits, limit.Reads)
	if err != nil {
		return posture.AccountRef{}, err
	}
	defer release()
	bounded, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	ref, err := s.o.Verify(bounded, a, token)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return ref, posture.Problemf(posture.CodeProvider,
			"Cloudflare did not tell within %d seconds whether the token works; try again, or send verify: false to keep it unverified.",
			int(verifyWithin.Seconds()))
	}
	return ref, err
}

// accountProblem turns an error of writing an account into the problem for the caller.
func accountProblem(err error, name, attempted string) error {
	switch {
	case errors.Is(err, store.ErrNameTaken):
		return &posture.Problem{Code: posture.CodeConflict,
			Detail: fmt.Sprintf("Another account is called %q; choose another name, or change that account with PATCH.", clip(name)),
			Errors: []posture.FieldError{{Location: "body.name", Message: "taken", Value: clip(name)}}}
	case errors.Is(err, store.ErrRegistered):
		return posture.Problemf(posture.CodeConflict, "The token leads to an account of Cloudflare that is registered here already; use that "+
			"registration, or ask who runs this service.")
	case errors.Is(err, store.ErrChanged):
		return posture.Problemf(posture.CodeConflict, "The account was changed by somebody else since it was read; read it again and repeat "+
			"the change.")
	case errors.Is(err, store.ErrNotFound):
		return posture.Problemf(posture.CodeNotFound, "The account is no longer registered; GET /api/accounts lists all.")
	default:
		return fmt.Errorf("%s: %w", attempted, err)
	}
}

type patchAccountInput struct {
	ID   string `path:"id" maxLength:"200" doc:"Id or name of a registered account, or default."`
	Body struct {
		Name    string      `json:"name,omitempty" maxLength:"200"`
		Token   secret.Text `json:"token,omitempty" doc:"Replaces the API token; it must be of the same provider account."`
		Verify  *bool       `json:"verify,omitempty" doc:"false replaces the token without asking Cloudflare first."`
		Default *bool       `json:"default,omitempty" doc:"true: runs that name no account are of this one."`

		Zones        []string `json:"zones,omitempty" maxItems:"1000" doc:"Replaces the zones that runs read by default; [] means all."`
		ExcludeZones []string `json:"excludeZones,omitempty" maxItems:"1000"`
		Labels       []string `json:"labels,omitempty" maxItems:"50" doc:"Replaces the groups that the account is in; [] means none."`

		Policy   map[string]json.RawMessage `json:"policy,omitempty" doc:"Fields to change (RFC 7396): null restores the default."`
		AfterRun *posture.AfterRun          `json:"afterRun,omitempty" doc:"What is sent after each run; {} ends it."`

		AsRead
	}
}

// patchAccount applies the whole change or none of it.
func patchAccount(s *Server, ctx context.Context, in *patchAccountInput) (*answer[AccountInfo], error) {
	a, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if !in.Body.Token.IsZero() {
		callOf(ctx).entry.Action = rotate
	}
	c, err := s.accountChange(ctx, a, in)
	if err != nil {
		return nil, err
	}
	if a, err = s.o.Store.ChangeAccount(ctx, a.ID, c, s.now()); err != nil {
		return nil, accountProblem(err, in.Body.Name, "change the account")
	}
	if in.Body.Labels != nil {
		labelled(ctx, a)
	}
	info, err := s.accountInfo(ctx, a)
	return &answer[AccountInfo]{info}, err
}

func (s *Server) accountChange(ctx context.Context, a posture.Account, in *patchAccountInput) (c store.AccountChange, err error) {
	b := in.Body
	if scoped.Narrowed(ctx) && (b.Name != "" || b.Labels != nil || b.Default != nil) {
		return c, posture.Problemf(posture.CodeForbidden,
			"The name, the labels and the default are about all accounts, and your role is for some; ask an administrator.")
	}
	if err := validLabels(b.Labels); err != nil {
		return c, err
	}
	if s.regrants(a, b.Name, b.Labels) && !callOf(ctx).principal.Scope(access.Administrator).All {
		return c, posture.Problemf(posture.CodeForbidden, "Roles are given by the labels of accounts, and by names that a role map has, so to "+
			"change them needs the role administrator for all accounts; ask an administrator.")
	}
	if b.Labels != nil {
		c.Labels = &b.Labels
	}
	c.ExpectUpdatedAt = b.UpdatedAt
	if b.Policy != nil {
		policy, err := mergePolicy(a.Policy, b.Policy)
		if err != nil {
			return c, err
		}
		c.Policy, c.ExpectPolicy = &policy, &a.Policy
	}
	if b.AfterRun != nil {
		after, err := encodeAfterRun(*b.AfterRun)
		if err != nil {
			return c, err
		}
		c.AfterRun = &after
	}
	if err := s.validScope(b.Zones, b.ExcludeZones); err != nil {
		return c, err
	}
	if b.Zones != nil {
		c.Zones = &b.Zones
	}
	if b.ExcludeZones != nil {
		c.ExcludeZones = &b.ExcludeZones
	}
	if b.Default != nil && !*b.Default && a.Default {
		return c, posture.Invalid("body.default", "An account stops being the default when another becomes it; send default: true to that one.",
			false)
	}
	c.Default = b.Default
	if b.Name != "" {
		name, err := s.accountName(ctx, b.Name, a.ID)
		if err != nil {
			return c, err
		}
		c.Name = &name
	}
	if !b.Token.IsZero() {
		err = s.rotate(ctx, a, b.Token, b.Verify == nil || *b.Verify, &c)
	}
	return c, err
}

// regrants reports whether a new name or new labels of an account could give somebody a role on it.
func (s *Server) regrants(a posture.Account, name string, labels []string) bool {
	name = strings.TrimSpace(name)
	named := name != "" && name != a.Name && slices.ContainsFunc(s.o.Providers, func(p *oidc.Provider) bool { return p.Maps(name) })
	return named || labels != nil && !slices.Equal(slices.Sorted(slices.Values(labels)), slices.Sorted(slices.Values(a.Labels)))
}

// rotate adds a new token to a change. The token must belong to the same provider account as the
// old one, so that runs before and after it stay comparable.
func (s *Server) rotate(ctx context.Context, a posture.Account, token secret.Text, verify bool, c *store.AccountChange) error {
	if a.Demo {
		return posture.Problemf(posture.CodeConflict, "The demo account is a simulation with a token of its own; register your account with "+
			"POST /api/accounts instead.")
	}
	known := a.ProviderID
	c.ExpectProviderID = &known
	if verify {
		ref, err := s.verify(ctx, a, token)
		if err != nil {
			return err
		}
		c.ProviderID = &ref.ID
	}
	var err error
	if c.SealedToken, err = s.o.Key.Seal(token, jobs.AccountSeal(a.ID), s.o.Random); err != nil {
		return fmt.Errorf("seal the token: %w", err)
	}
	return nil
}

// deleteAccount deletes the account and its token. The demo account cannot be deleted while it is
// the default, because a service without a default account would only create it again.
func deleteAccount(s *Server, ctx context.Context, in *accountInput) (*emptyOutput, error) {
	a, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if a.Demo && a.Default {
		return nil, posture.Problemf(posture.CodeConflict,
			"The demo account is the default; register your account with POST /api/accounts, then this one can go.")
	}
	if err := s.o.Store.DeleteAccount(ctx, a.ID, s.now()); err != nil {
		return nil, accountProblem(err, a.Name, "delete the account")
	}
	return &emptyOutput{Status: http.StatusNoContent}, nil
}
