package snapshot

import "slices"

const (
	// SecretStores holds the stores of secrets.
	SecretStores Key[[]SecretStore] = "account/secret_stores"
	// StoreSecrets holds the secrets of a store, without their values.
	StoreSecrets Key[[]StoreSecret] = "secretstore/secrets" // scope: store id
)

// SecretStore holds secrets of the account.
type SecretStore struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// SortKey orders stores by id.
func (s SecretStore) SortKey() string { return s.ID }

// StoreSecret is a secret that products of the account may use; it cannot be read back. Scopes are
// these products, nil when not returned.
type StoreSecret struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Status   string   `json:"status"`
	Created  Time     `json:"created,omitzero"`
	Modified Time     `json:"modified,omitzero"`
	Scopes   []string `json:"scopes"`
}

// SortKey orders secrets by id.
func (s StoreSecret) SortKey() string { return s.ID }

const permissionSecretStores = "Account: Secrets Store Read"

// secretStores lists the stores of secrets
// (developers.cloudflare.com/api/resources/secrets_store/subresources/stores/methods/list/).
func secretStores() Source {
	return list(SecretStores, Source{
		Path: "/accounts/{account_id}/secrets_store/stores", Paging: Paging{Kind: ByPage, Size: 100}, Permission: permissionSecretStores,
		Example: `[{"id":"v1","name":"default","account_id":"drop","created":"2026-01-01T00:00:00Z","modified":"2026-01-01T00:00:00Z"}]`,
	}, asRead[SecretStore])
}

// storeSecrets lists the secrets of a store; the API never returns a value
// (developers.cloudflare.com/api/resources/secrets_store/subresources/stores/subresources/secrets/methods/list/).
func storeSecrets() Source {
	return list(StoreSecrets, Source{
		Path: "/accounts/{account_id}/secrets_store/stores/{item}/secrets", Paging: Paging{Kind: ByPage, Size: 100},
		Permission: permissionSecretStores, Parent: SecretStores.Source(),
		Items: idsOf(SecretStores, nil),
		Example: `[{"id":"x1","name":"PAYMENT_KEY","status":"active","store_id":"drop","comment":"drop","scopes":["workers"],` +
			`"created":"2026-01-01T00:00:00Z","modified":"2026-01-01T00:00:00Z"}]`,
	}, func(s StoreSecret) StoreSecret {
		s.Scopes = slices.Clone(s.Scopes) // nil when Cloudflare does not tell them
		slices.Sort(s.Scopes)
		return s
	})
}
