package cloudflare

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Accounts lists the accounts that the credential can see, to choose one from. A credential owned
// by an account only sees the account with the id; without an id, it returns the account of the
// first zone that the credential sees, and without a zone an error for which NeedsUserToken is
// true. A credential that may not list accounts sees the one with the id when it sees a zone of it;
// otherwise the error is one for which Refused is true.
func (c *Client) Accounts(ctx context.Context, id string) (_ []snapshot.Account, err error) {
	ctx, end := c.begin(ctx)
	defer func() { end(snapshot.AccountList.Source(), "", statusOf(err)) }()
	s := snapshot.SourceOf(snapshot.AccountList)
	of, known := snapshot.SourceScope{AccountID: id}, snapshot.NewKnown(nil)
	pages, err := c.pages(ctx, s, of, known, noCheckpoint{})
	if NeedsUserToken(err) && id == "" {
		of.AccountID = c.ofZones(ctx, "").ID
	}
	if NeedsUserToken(err) && of.AccountID != "" {
		var one json.RawMessage
		if one, err = c.singly(ctx, s, of, known, err); err == nil {
			one, err = s.Reducer(known, of)(one)
		}
		pages = []json.RawMessage{one}
	}
	if Refused(err) && id != "" {
		if seen := c.ofZones(ctx, id); seen.ID == id {
			return []snapshot.Account{seen}, nil
		}
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

// ofZones returns the account of the first zone that the credential sees in the account with the id,
// or in any when id is "", and the zero Account when it sees none.
func (c *Client) ofZones(ctx context.Context, id string) snapshot.Account {
	path := "/zones?per_page=5"
	if id != "" {
		path += "&account.id=" + url.QueryEscape(id)
	}
	raw, _, err := c.Get(ctx, path, nil)
	var zones []struct {
		Account snapshot.Account `json:"account"`
	}
	if err != nil || json.Unmarshal(raw, &zones) != nil || len(zones) == 0 {
		return snapshot.Account{}
	}
	return snapshot.Account{ID: zones[0].Account.ID, Name: zones[0].Account.Name}
}
