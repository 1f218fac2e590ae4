package oidc

import (
	"context"
	"errors"
	"net/url"
	"strings"
)

// Kinds of failures, for errors.Is.
var (
	// ErrFlow means that the answer does not belong to a flow of this browser, or that the flow has
	// expired or was used before.
	ErrFlow = errors.New("the sign-in does not belong to this browser, has expired or was used before")
	// ErrRefused means that the provider refused, or sent what cannot be trusted.
	ErrRefused = errors.New("the provider refused the sign-in or sent what cannot be trusted")
	// ErrUnreachable means that the provider did not answer, or is not working properly.
	ErrUnreachable = errors.New("the provider cannot be reached")
	// ErrNoGrant means that the person has no role here.
	ErrNoGrant = errors.New("who signed in has no role here")
)

// Failure is the error of Begin and Complete. Its text is one sentence for the person who signs in;
// log its cause. Neither holds a secret, a code, a token or a verifier.
type Failure struct {
	// Kind is one of the errors above.
	Kind error
	// Cause says what happened, for the log: at most 200 characters, or a network error.
	Cause    error
	sentence string
}

// Error returns the sentence.
func (f *Failure) Error() string { return f.sentence }

// Unwrap returns the kind and the cause.
func (f *Failure) Unwrap() []error { return []error{f.Kind, f.Cause} }

func (p *Provider) wrongFlow(cause string) error {
	return &Failure{ErrFlow, errors.New(cause), "You were not signed in, because this sign-in at " + p.config.Name +
		" was begun in another browser or too long ago, or was used before; sign in again."}
}

// refused returns the failure for an error that the provider reported, in its own words.
func (p *Provider) refused(words string) error {
	return &Failure{ErrRefused, errors.New(words), "You were not signed in, because " + p.config.Name + " refused: " + words +
		"; sign in again, or ask who runs it for access."}
}

func (p *Provider) untrusted(why, cause string) error {
	return &Failure{ErrRefused, errors.New(clean(why + " " + cause)), "You were not signed in, because what " + p.config.Name +
		" sent cannot be trusted: " + why + "; sign in again, and tell who runs this service if it happens again."}
}

func (p *Provider) unreachable(cause error) error {
	return &Failure{ErrUnreachable, cause, "You were not signed in, because " + p.config.Name + " cannot be reached; try again in a minute."}
}

func (p *Provider) noGrant() error {
	return &Failure{ErrNoGrant, errors.New("no entry of " + p.config.variable(roleMapSuffix) + " is about this person"),
		"You were not signed in, because nothing that " + p.config.Name + " says of you gives you a role here; ask who runs this service " +
			"for an entry in " + p.config.variable(roleMapSuffix) + "."}
}

// ofNetwork returns the network error of a request that got no answer, without the address, and nil
// for other errors.
func ofNetwork(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// masked makes a provider's text fit for people and logs: plain, and with each secret replaced by dots.
func masked(text string, secrets ...string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "••••")
		}
	}
	return clean(text)
}
