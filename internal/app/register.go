package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/engine/queue"
	"github.com/edgeposture/edgeposture/internal/provider/demo"
	"github.com/edgeposture/edgeposture/internal/provider/record"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

const (
	defaultName = "default"
	demoName    = "demo"
)

// demoAccount is the built-in demo account: a recording that this process serves.
type demoAccount struct {
	url       string
	accountID string
	names     assess.Resolver
}

// register creates or updates the default account with the token from the environment, and with the
// account of it that the environment names. Without a token, an embedded deployment without real accounts gets the demo account.
func (a *App) register(ctx context.Context) error {
	all, err := a.backend.store.Accounts(ctx)
	if err != nil {
		return fmt.Errorf("look for the registered accounts: %w", err)
	}
	own := slices.DeleteFunc(slices.Clone(all), func(x posture.Account) bool { return x.Demo })
	if !a.cfg.Token.IsZero() {
		name, named := defaultName, slices.ContainsFunc(own, func(x posture.Account) bool { return x.Name == defaultName })
		for _, x := range own { // somebody may have renamed it; two registrations would share one history
			if id := a.cfg.AccountID; id != "" && x.ProviderID == id || id == "" && !named && a.sameToken(ctx, x.ID, a.cfg.Token) {
				name = x.Name
			}
		}
		// Somebody may have made another account the default since the first start.
		chosen := slices.ContainsFunc(own, func(x posture.Account) bool { return x.Default && x.Name != defaultName && x.Name != name })
		account := posture.Account{Name: name, Default: !chosen, ProviderID: a.cfg.AccountID}
		_, err := a.put(ctx, account, a.cfg.Token)
		if errors.Is(err, store.ErrNameTaken) { // by another process that started at the same moment
			_, err = a.put(ctx, account, a.cfg.Token)
		}
		return err
	}
	if !a.cfg.Embedded() || len(own) > 0 {
		return nil
	}
	name := demoName
	for _, x := range all { // of a deployment without real accounts, all there is
		name = x.Name
	}
	return a.registerDemo(ctx, name)
}

func (a *App) registerDemo(ctx context.Context, name string) error {
	player, err := demo.Open(a.o.Now)
	if err != nil {
		return err
	}
	server, err := record.Start(ctx, player, "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve the demo account: %w", err)
	}
	a.closers = append(a.closers, server.Close)
	account, err := a.put(ctx, posture.Account{Name: name, Default: true, Demo: true, ProviderID: demo.AccountID},
		secret.New(demo.ReadToken))
	if err != nil {
		return err
	}
	a.demo = &demoAccount{url: server.URL, accountID: account.ID, names: player}
	return nil
}

// put registers an account under its name, or updates the one with that name. A new token clears
// the provider's id, because the token may belong to another account.
func (a *App) put(ctx context.Context, account posture.Account, token secret.Text) (posture.Account, error) {
	now := a.o.Now().UTC().Truncate(time.Microsecond)
	account.TokenAt = now
	same := false
	old, err := a.backend.store.Account(ctx, account.Name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		account.ID, account.CreatedAt = newID(), now
	case err != nil:
		return account, fmt.Errorf("look for the account %s: %w", account.Name, err)
	default:
		account.ID, account.CreatedAt = old.ID, old.CreatedAt
		if same = a.sameToken(ctx, old.ID, token); same && account.ProviderID == "" {
			account.ProviderID = old.ProviderID
		}
	}
	account.UpdatedAt = now
	sealed, err := a.key.Seal(token, jobs.AccountSeal(account.ID), a.o.Random)
	if err != nil {
		return account, fmt.Errorf("seal the token of the account %s: %w", account.Name, err)
	}
	if same {
		sealed = nil // keeps the time of the token, so what was learned about it stays valid
	}
	if err := a.backend.store.PutAccount(ctx, account, sealed); err != nil {
		return account, fmt.Errorf("register the account %s: %w", account.Name, err)
	}
	return account, nil
}

func (a *App) sameToken(ctx context.Context, accountID string, token secret.Text) bool {
	sealed, err := a.backend.store.SealedToken(ctx, accountID)
	if err != nil {
		return false
	}
	old, err := a.key.Open(sealed, jobs.AccountSeal(accountID))
	return err == nil && old.Equal(token.Reveal())
}

// assessDemo starts the first assessment of the demo account.
func (a *App) assessDemo(ctx context.Context) error {
	account, err := a.backend.store.Account(ctx, a.demo.accountID)
	if err != nil {
		return fmt.Errorf("look for the demo account: %w", err)
	}
	job, err := jobs.NewAssess(newID(), account, jobs.AssessArguments{}, queue.Interactive, a.o.Now())
	if err != nil {
		return err
	}
	e, err := a.backend.store.Enqueue(ctx, job)
	if _, ok := errors.AsType[*store.ActiveJobError](err); ok {
		return nil // a run from before the restart continues
	}
	if err != nil {
		return fmt.Errorf("start the demo run: %w", err)
	}
	if e.Joined {
		return nil
	}
	return a.backend.notifier.Notify(ctx, e.Job)
}
