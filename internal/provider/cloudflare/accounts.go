package cloudflare

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Accounts lists the accounts that the credential can see, to choose one from. A credential owned
// by an account only sees the account with the id. Without an id, it returns the account of the
// first zone that the credential sees, and without a zone an error for which NeedsUserToken is
// true.
func (c *Client) Accounts(ctx context.Context, id string) (_ []snapshot.Account, err error) {
	ctx, end := c.begin(ctx)
	defer func() { end(snapshot.AccountList.Source(), "", statusOf(err)) }()
	s := snapshot.SourceOf(snapshot.AccountList)
	of, known := snapshot.SourceScope{AccountID: id}, snapshot.NewKnown(nil)
	pages, err := c.pages(ctx, s, of, known, noCheckpoint{})
	if NeedsUserToken(err) && id == "" {
		of.AccountID = c.ofZones(ctx)
	}
	if NeedsUserToken(err) && of.AccountID != "" {
		var one json.RawMessage
		if one, err = c.singly(ctx, s, of, known, err); err == nil {
			one, err = s.Reducer(known, of)(one)
		}
		pages = []json.RawMessage{one}
	}
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

// ofZones returns the id of the account of the first zone that the credential sees, or "".
func (c *Client) ofZones(ctx context.Context) string {
	raw, _, err := c.Get(ctx, "/zones?per_page=5", nil)
	var zones []struct {
		Account struct {
			ID string `json:"id"`
		} `json:"account"`
	}
	if err != nil || json.Unmarshal(raw, &zones) != nil || len(zones) == 0 {
		return ""
	}
	return zones[0].Account.ID
}
