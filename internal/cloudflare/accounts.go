package cloudflare

import (
	"context"

	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// Accounts lists the accounts the credential sees; for choosing one.
func (c *Client) Accounts(ctx context.Context) ([]snapshot.Account, error) {
	s := accountList()
	pages, err := c.pages(ctx, s, Target{}, NewKnown(nil), noCheckpoint{})
	if err != nil {
		return nil, err
	}
	joined, err := s.join(pages)
	if err != nil {
		return nil, err
	}
	var out []snapshot.Account
	return out, decodeInto(joined, &out, s.Name)
}
