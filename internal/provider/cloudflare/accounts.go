package cloudflare

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Accounts lists the accounts the credential sees; for choosing one.
func (c *Client) Accounts(ctx context.Context) (_ []snapshot.Account, err error) {
	ctx, end := c.begin(ctx)
	defer func() { end(snapshot.AccountList.Source(), "", statusOf(err)) }()
	s := snapshot.SourceOf(snapshot.AccountList)
	pages, err := c.pages(ctx, s, snapshot.SourceScope{}, snapshot.NewKnown(nil), noCheckpoint{})
	if err != nil {
		return nil, err
	}
	joined, err := s.Join(pages)
	if err != nil {
		return nil, err
	}
	var out []snapshot.Account
	if err := json.Unmarshal(joined, &out); err != nil {
		return nil, fmt.Errorf("decode %s: %w", s.Name, err)
	}
	return out, nil
}
