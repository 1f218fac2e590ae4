package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/store"
)

// accountName returns the name of an account in messages and tickets: Cloudflare's, as the newest run read it, else the
// one it is registered under.
func accountName(ctx context.Context, s store.Store, providerID string) (string, error) {
	newest, err := s.Pick(ctx, "", providerID)
	if err == nil {
		run, err := s.Assessment(ctx, newest.ID)
		if err != nil {
			return "", fmt.Errorf("load the newest run of the account: %w", err)
		}
		if run.Account.Name != "" {
			return run.Account.Name, nil
		}
	} else if !errors.Is(err, store.ErrNotFound) {
		return "", fmt.Errorf("look for the newest run of the account: %w", err)
	}
	accounts, err := s.Accounts(ctx)
	if err != nil {
		return "", fmt.Errorf("list the accounts: %w", err)
	}
	for _, a := range accounts {
		if a.ProviderID == providerID {
			return cmp.Or(a.Name, providerID), nil
		}
	}
	return providerID, nil
}
