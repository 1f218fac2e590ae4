package cloudflare

import (
	"context"

	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// Accounts lists the accounts the credential sees; for choosing one.
func (c *Client) Accounts(ctx context.Context) ([]snapshot.Account, error) {
	s := accountList()
	pages, err := c.list(ctx, s.Path, s.Paging, nil)
	if err != nil {
		return nil, err
	}
	var out []snapshot.Account
	for _, p := range pages {
		var wires []accountWire
		if err := decodeInto(p, &wires, s.Name); err != nil {
			return nil, err
		}
		for _, w := range wires {
			out = append(out, snapshot.Account{ID: w.ID, Name: w.Name, Type: w.Type})
		}
	}
	return out, nil
}
