package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// AccountInfo is a registered account in API responses.
type AccountInfo struct {
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	ProviderID string        `json:"providerId" doc:"Cloudflare's account id; empty until the first run."`
	Demo       bool          `json:"demo"`
	Default    bool          `json:"default"`
	CreatedAt  time.Time     `json:"createdAt"`
	UpdatedAt  time.Time     `json:"updatedAt"`
	Policy     policy.Policy `json:"policy" doc:"The thresholds and lists the checks use for this account."`
	Changed    []string      `json:"changed" doc:"The fields of policy that differ from the defaults."`
	// Zones and ExcludeZones are never nil.
	Zones        []string `json:"zones" doc:"Zones that runs read when they name none themselves."`
	ExcludeZones []string `json:"excludeZones"`
	Labels       []string `json:"labels" doc:"Groups that the account is in; roles may be given by them."`
	// TokenInfo is nil until a run that used the current token has ended.
	TokenInfo    *posture.TokenInfo `json:"tokenInfo,omitempty" doc:"What the last run learned about the token in use; absent until one has."`
	TokenWarning string             `json:"tokenWarning,omitempty" doc:"Set when the token does not work or expires within 14 days."`
	// AfterRun is nil when nothing is sent after runs.
	AfterRun *posture.AfterRun `json:"afterRun,omitempty" doc:"What is sent after each run."`
}

func accountInfo(a posture.Account) (AccountInfo, error) {
	policy, err := policy.Parse(a.Policy)
	if err != nil {
		return AccountInfo{}, fmt.Errorf("read the thresholds of the account %s: %w", a.ID, err)
	}
	changed, err := overrides(a.Policy)
	if err != nil {
		return AccountInfo{}, err
	}
	info := AccountInfo{ID: a.ID, Name: a.Name, ProviderID: a.ProviderID, Demo: a.Demo, Default: a.Default, CreatedAt: a.CreatedAt,
		UpdatedAt: a.UpdatedAt, Policy: policy.Filled(), Changed: []string{}, Zones: append([]string{}, a.Zones...),
		ExcludeZones: append([]string{}, a.ExcludeZones...), Labels: append([]string{}, a.Labels...)}
	if len(a.AfterRun) > 0 {
		if err := json.Unmarshal(a.AfterRun, &info.AfterRun); err != nil {
			return AccountInfo{}, fmt.Errorf("read what follows the runs of the account %s: %w", a.ID, err)
		}
	}
	for name := range changed {
		info.Changed = append(info.Changed, name)
	}
	slices.Sort(info.Changed)
	return info, nil
}

// tokenWarnDays is how many days before its expiry a token gets a warning.
const tokenWarnDays = 14

// accountInfo is accountInfos for a single account.
func (s *Server) accountInfo(ctx context.Context, a posture.Account) (AccountInfo, error) {
	infos, err := s.accountInfos(ctx, []posture.Account{a})
	if err != nil {
		return AccountInfo{}, err
	}
	return infos[0], nil
}

// accountInfos adds to each account what its last run learned about the token, unless the token was
// replaced after that run started.
func (s *Server) accountInfos(ctx context.Context, accounts []posture.Account) ([]AccountInfo, error) {
	ids := make([]string, len(accounts))
	for i := range accounts {
		ids[i] = accounts[i].ID
	}
	last, err := s.o.Store.LatestSummaries(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]AccountInfo, len(accounts))
	for i, a := range accounts {
		if out[i], err = accountInfo(a); err != nil {
			return nil, err
		}
		run, is := last[a.ID]
		if !is || run.StartedAt.Before(a.TokenAt) {
			continue
		}
		token := run.TokenInfo
		if token.ExpiresOn != nil {
			days := int(math.Floor(token.ExpiresOn.Sub(s.o.Now()).Hours() / 24))
			token.DaysLeft = &days
		}
		out[i].TokenInfo, out[i].TokenWarning = &token, tokenWarning(token)
	}
	return out, nil
}

func tokenWarning(t posture.TokenInfo) string {
	switch {
	case t.Status == "unknown" || t.Status == "":
		return "Cloudflare did not confirm the token in the last run; check it, and send a new one with PATCH if it no longer works."
	case t.Status != "active":
		return "The token is no longer active; send a new one with PATCH."
	case t.DaysLeft != nil && *t.DaysLeft < 0:
		return "The token expired on " + t.ExpiresOn.Format(time.DateOnly) + "; send a new one with PATCH."
	case t.DaysLeft != nil && *t.DaysLeft <= tokenWarnDays:
		return fmt.Sprintf("The token expires in %d days, on %s; send a new one with PATCH before.", *t.DaysLeft,
			t.ExpiresOn.Format(time.DateOnly))
	default:
		return ""
	}
}

func overrides(raw json.RawMessage) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if len(raw) == 0 {
		return fields, nil
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("read the stored thresholds: %w", err)
	}
	return fields, nil
}

type listAccountsOutput page[AccountInfo]

func listAccounts(s *Server, ctx context.Context, in *partInput) (*listAccountsOutput, error) {
	all, err := s.o.Store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	out := &listAccountsOutput{}
	if all, out.Body.NextCursor, err = part(all, in.Limit, in.Cursor); err != nil {
		return nil, err
	}
	out.Body.Items, err = s.accountInfos(ctx, all)
	return out, err
}

type accountInput struct {
	ID string `path:"id" maxLength:"200" doc:"Id or name of a registered account, or default."`
}

// account returns a registered account by id or name, or the default one for the word default.
// store.ErrNotFound.
func (s *Server) account(ctx context.Context, ref string) (posture.Account, error) {
	a, err := s.o.Store.Account(ctx, ref)
	if errors.Is(err, store.ErrNotFound) && ref == "default" {
		return s.o.Store.DefaultAccount(ctx)
	}
	return a, err
}

// find returns the account that a path parameter refers to by id, by name or as "default".
func (s *Server) find(ctx context.Context, ref string) (posture.Account, error) {
	a, err := s.account(ctx, ref)
	if errors.Is(err, store.ErrNotFound) {
		return a, posture.Problemf(posture.CodeNotFound, "There is no registered account %q; GET /api/accounts lists all.", clip(ref))
	}
	about(ctx, "accounts", a.ID)
	return a, err
}

func getAccount(s *Server, ctx context.Context, in *accountInput) (*answer[AccountInfo], error) {
	a, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	info, err := s.accountInfo(ctx, a)
	return &answer[AccountInfo]{info}, err
}

// mergePolicy applies a merge patch (RFC 7396) to the stored thresholds.
func mergePolicy(stored json.RawMessage, patch map[string]json.RawMessage) (json.RawMessage, error) {
	fields, err := overrides(stored)
	if err != nil {
		return nil, err
	}
	for name, value := range patch {
		if string(value) == "null" {
			delete(fields, name)
			continue
		}
		fields[name] = value
	}
	var next json.RawMessage
	if len(fields) > 0 {
		if next, err = json.Marshal(fields); err != nil {
			return nil, fmt.Errorf("write the thresholds: %w", err)
		}
	}
	if _, err := policy.Parse(next); err != nil {
		return nil, posture.Invalid("body.policy", err.Error(), "")
	}
	return next, nil
}

// encodeAfterRun returns the stored form of a, which is nil when a sends nothing.
func encodeAfterRun(a posture.AfterRun) (json.RawMessage, error) {
	if a.Ship == "" && len(a.Notify) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("write what follows the runs: %w", err)
	}
	return raw, nil
}
