package snapshot

// What scripts store data in.
const (
	KVNamespaces Key[[]KVNamespace] = "account/kv_namespaces"
	D1Databases  Key[[]D1Database]  = "account/d1_databases"
	Queues       Key[[]Queue]       = "account/queues"
	Hyperdrive   Key[[]Database]    = "account/hyperdrive"
)

// KVNamespace is a key-value store; its keys are never read.
type KVNamespace struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// SortKey orders namespaces by id.
func (n KVNamespace) SortKey() string { return n.ID }

// D1Database is a database of the provider; its content is never read.
type D1Database struct {
	ID           string `json:"uuid"`
	Name         string `json:"name"`
	Jurisdiction string `json:"jurisdiction,omitempty"`
	CreatedAt    Time   `json:"created_at,omitzero"`
}

// SortKey orders databases by id.
func (d D1Database) SortKey() string { return d.ID }

// Queue passes messages between scripts. Producers is their number; the scripts
// among them are named.
type Queue struct {
	ID        string          `json:"queue_id"`
	Name      string          `json:"queue_name"`
	Producers int             `json:"producers"`
	Scripts   []string        `json:"producer_scripts"`
	Consumers []QueueConsumer `json:"consumers"`
}

// SortKey orders queues by id.
func (q Queue) SortKey() string { return q.ID }

// QueueConsumer takes messages; DeadLetters names the queue for those it cannot
// handle.
type QueueConsumer struct {
	Type        string `json:"type"`
	Script      string `json:"script_name,omitempty"`
	DeadLetters string `json:"dead_letter_queue,omitempty"`
}

// Database is a connection of scripts to a database elsewhere. Through means
// that the provider reaches it over a tunnel or a private network.
type Database struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Host    string `json:"host,omitempty"`
	Scheme  string `json:"scheme,omitempty"`
	Through bool   `json:"through"`
	SSLMode string `json:"sslmode,omitempty"`
}

// SortKey orders connections by id.
func (d Database) SortKey() string { return d.ID }
