package assess

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

// Verify asks the provider whether the token of a run works and which account it leads to: run.Account
// if set, otherwise the only one that the token sees. A token that is refused, not active, or of
// another account is a 422 problem; a provider that gives no answer is a 502, because then nothing is
// known.
func (r *Runner) Verify(ctx context.Context, run Run) (posture.AccountRef, error) {
	client, err := r.client(run, r.progress(run), 0)
	if err != nil {
		return posture.AccountRef{}, err
	}
	status, refused, err := r.tokenStatus(ctx, client, snapshot.UserTokenVerify, "")
	if err != nil {
		return posture.AccountRef{}, err
	}
	seen, listErr := client.Accounts(ctx, run.Account.ID)
	var closed *cloudflare.GateError
	if errors.As(listErr, &closed) || ctx.Err() != nil {
		return posture.AccountRef{}, listErr
	}
	owned := status == ""
	if owned {
		// The token may belong to the account, which has its own endpoint.
		id := run.Account.ID
		if id == "" && len(seen) == 1 {
			id = seen[0].ID
		}
		if id != "" {
			var alsoRefused bool
			if status, alsoRefused, err = r.tokenStatus(ctx, client, snapshot.AccountTokenVerify, id); err != nil {
				return posture.AccountRef{}, err
			}
			refused = refused && alsoRefused
		}
	}
	switch {
	case status == "active":
	case status != "":
		return posture.AccountRef{}, posture.Invalid("body.token",
			fmt.Sprintf("Cloudflare says that the token is %s; send one that is active.", word(status)), nil)
	case refused && len(seen) == 0:
		return posture.AccountRef{}, posture.Invalid("body.token",
			"Cloudflare refuses the token; check that it was copied whole and is not deleted, and give the account id if the account "+
				"owns it.", nil)
	default:
		return posture.AccountRef{}, posture.Problemf(posture.CodeProvider,
			"Cloudflare did not tell whether the token works; try again, or send verify: false to keep it unverified.")
	}
	switch {
	case cloudflare.Refused(listErr) && owned && run.Account.ID != "":
		return posture.AccountRef{ID: run.Account.ID}, nil // the account has confirmed its token itself
	case cloudflare.Refused(listErr):
		return posture.AccountRef{}, unknownAccount(run.Account.ID)
	case listErr != nil:
		return posture.AccountRef{}, posture.Problemf(posture.CodeProvider,
			"The accounts of the token could not be listed; try again, or send verify: false to keep it unverified.")
	}
	return choose(run.Account.ID, seen)
}

// unknownAccount is the problem of a token that works and may not list accounts; id is the account that
// is meant, or "".
func unknownAccount(id string) error {
	if id == "" {
		return posture.Invalid("body.accountId",
			"The token may not tell which account it is of; give the account id, or give it the permission Account Settings Read.", nil)
	}
	return posture.Invalid("body.token", fmt.Sprintf(
		"The token shows neither the account %s nor a zone of it; check the id, or give it the permission Account Settings Read.", id), nil)
}

// choose finds the intended account among those that a token sees.
func choose(id string, seen []snapshot.Account) (posture.AccountRef, error) {
	if id == "" {
		switch len(seen) {
		case 0:
			return posture.AccountRef{}, posture.Invalid("body.token", "The token sees no account; give it account permissions.", nil)
		case 1:
			return posture.AccountRef{ID: seen[0].ID, Name: seen[0].Name}, nil
		default:
			return posture.AccountRef{}, posture.Invalid("body.accountId", fmt.Sprintf("The token sees %d accounts; give the id of one: %s.",
				len(seen), listed(seen)), nil)
		}
	}
	i := slices.IndexFunc(seen, func(a snapshot.Account) bool { return a.ID == id })
	if i < 0 {
		return posture.AccountRef{}, posture.Invalid("body.token",
			fmt.Sprintf("The token does not see the account %s; send a token of that account, or register another account.", id), nil)
	}
	return posture.AccountRef{ID: seen[i].ID, Name: seen[i].Name}, nil
}

// listed names accounts with their ids, at most ten.
func listed(seen []snapshot.Account) string {
	var out []string
	for _, a := range seen[:min(len(seen), 10)] {
		out = append(out, fmt.Sprintf("%s (%s)", a.ID, posture.Clip(a.Name, 40)))
	}
	if more := len(seen) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// word returns a known status; the provider's texts are not repeated.
func word(status string) string {
	if slices.Contains([]string{"disabled", "expired"}, status) {
		return status
	}
	return "not active"
}

// tokenStatus returns the status from a verify endpoint, "" when it gives none, and whether it refused
// the token.
func (r *Runner) tokenStatus(ctx context.Context, c *cloudflare.Client, key snapshot.Key[snapshot.TokenVerify],
	accountID string) (status string, refused bool, err error) {
	i := slices.IndexFunc(r.o.Sources, func(s snapshot.Source) bool { return s.Name == key.Source() })
	if i < 0 {
		return "", false, nil
	}
	source := r.o.Sources[i]
	source.After, source.Skip = nil, nil
	var sec snapshot.Section
	known := snapshot.NewKnown(func(name, _ string) (snapshot.Section, bool) { return sec, name == sec.Source })
	if sec, err = c.Read(ctx, source, snapshot.SourceScope{AccountID: accountID}, known, nil); err != nil {
		return "", false, fmt.Errorf("verify the token: %w", err)
	}
	if sec.Status != snapshot.OK {
		return "", sec.Status == snapshot.Denied, nil
	}
	v, _ := snapshot.Cached(known, key, sec.Scope)
	return v.Status, false, nil
}
