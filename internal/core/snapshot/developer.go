package snapshot

// Developer platform sources.
const (
	Workers         Key[[]Worker]         = "account/workers"
	WorkerSettings  Key[WorkerConfig]     = "worker/settings" // scope: script name
	R2Buckets       Key[[]Bucket]         = "account/r2_buckets"
	R2ManagedDomain Key[R2ManagedAddress] = "r2/managed_domain" // scope: bucket name
)

// Worker is a script; ID is its name.
type Worker struct {
	ID         string   `json:"id"`
	Tag        string   `json:"tag,omitempty"` // the id other products know it by
	Handlers   []string `json:"handlers"`
	Logpush    bool     `json:"logpush"`
	Observed   bool     `json:"observability"`
	Tails      int      `json:"tail_consumers"`
	ModifiedOn Time     `json:"modified_on,omitzero"`
}

// SortKey orders scripts by name.
func (w Worker) SortKey() string { return w.ID }

// WorkerConfig is what a script is bound to.
type WorkerConfig struct {
	Bindings []Binding `json:"bindings"`
}

// Binding is one binding of a script. The value of a plain_text or json binding
// is judged while it is read and never stored: Kind names the credential shape
// it matched, Length its length in bytes, HighEntropy whether it looks random.
type Binding struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Target      string `json:"target,omitempty"` // namespace, database, bucket, queue or service it names
	Environment string `json:"environment,omitempty"`
	Kind        string `json:"credential_kind,omitempty"`
	Length      int    `json:"length,omitempty"`
	SecretName  bool   `json:"secret_name,omitempty"`
	HighEntropy bool   `json:"high_entropy,omitempty"`
}

// Bucket is an R2 bucket. Jurisdiction is "default" or one of R2Jurisdictions.
type Bucket struct {
	Name         string `json:"name"`
	Jurisdiction string `json:"jurisdiction"`
	CreatedOn    Time   `json:"creation_date,omitzero"`
}

// Elsewhere reports whether a bucket is in a jurisdiction, which requests about it have to name in a header.
func (b Bucket) Elsewhere() bool { return b.Jurisdiction != "" && b.Jurisdiction != "default" }

// SortKey orders buckets by name.
func (b Bucket) SortKey() string { return b.Name }

// R2ManagedAddress is the development address of a bucket.
type R2ManagedAddress struct {
	Domain  string `json:"domain"`
	Enabled bool   `json:"enabled"`
}
