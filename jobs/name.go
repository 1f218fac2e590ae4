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
	newest, err := s.LatestAssessment(ctx, providerID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", fmt.Errorf("load the newest run of the account: %w", err)
	}
	if newest.Account.Name != "" {
		return newest.Account.Name, nil
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
