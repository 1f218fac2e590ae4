package cloudflare

import (
	"context"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Accounts lists the accounts the credential sees; for choosing one.
func (c *Client) Accounts(ctx context.Context) (_ []snapshot.Account, err error) {
	ctx, end := c.begin(ctx)
	defer func() { end(snapshot.AccountList.Source(), "", statusOf(err)) }()
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
