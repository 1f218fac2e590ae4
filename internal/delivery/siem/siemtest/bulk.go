package siemtest

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
)

// Item is one document of a bulk request.
type Item struct {
	Action string
	Index  string
	ID     string
	Body   []byte
}

// Call is one bulk request. Number counts from 1.
type Call struct {
	Number int
	Items  []Item
	Bytes  int
}

// Fault is the error with which an item is answered instead of being stored.
type Fault struct {
	Status       int
	Type, Reason string
}

// Reply controls the answer to a bulk request. The zero value accepts everything.
type Reply struct {
	Hang     bool              // wait until the client goes away, without an answer
	Status   int               // of the whole request; anything other than 0 and 2xx stores nothing
	Header   map[string]string // in addition to the usual ones
	Body     string            // instead of the usual answer; with a 2xx status everything is stored
	Item     func(i int, item Item) *Fault
	Drop     func(i int, item Item) bool // neither stored nor mentioned in the answer
	Silent   bool                        // items have no ids
	Truncate int                         // cut the answer to this many bytes, when not 0
	Bare     bool                        // close the connection instead of answering, after storing
}

// Bulk is a search index with one endpoint, _bulk, below any path.
type Bulk struct {
	kept
	// Reply decides about each request; nil accepts everything.
	Reply func(Call) Reply
	// Authorization is the required header value, when not empty.
	Authorization string
	templates     map[string][]byte
}

// Templates returns the stored index templates by name.
func (b *Bulk) Templates() map[string][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.templates)
}

func (b *Bulk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Content-Type", "application/json")
	raw, err := body(r)
	if b.Authorization != "" && r.Header.Get("Authorization") != b.Authorization {
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"type": "security_exception", "reason": "no: " +
			r.Header.Get("Authorization")}, "status": 401})
		return
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/_index_template/"); ok && r.Method == http.MethodPut && err == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.templates == nil {
			b.templates = map[string][]byte{}
		}
		b.templates[name] = raw
		_, _ = w.Write([]byte(`{"acknowledged":true}`))
		return
	}
	list, ok := lines(raw)
	if err != nil || !ok || !strings.HasSuffix(r.RequestURI, "/_bulk") || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"type":"illegal_argument_exception","reason":"not a bulk request"},"status":400}`))
		return
	}
	request := Request{Path: r.URL.Path, Header: r.Header.Clone(), Bytes: len(raw)}
	for _, item := range list {
		request.IDs = append(request.IDs, item.ID)
	}
	call := Call{Number: b.begin(request), Items: list, Bytes: len(raw)}
	defer b.end()
	var reply Reply
	if b.Reply != nil {
		reply = b.Reply(call)
	}
	b.answer(w, r, call, reply)
}

func (b *Bulk) answer(w http.ResponseWriter, r *http.Request, call Call, reply Reply) {
	if reply.Hang {
		hang(r)
		return
	}
	for name, value := range reply.Header {
		w.Header().Set(name, value)
	}
	out := []byte(reply.Body)
	if reply.Status == 0 || reply.Status/100 == 2 {
		list := b.store(call, reply)
		if reply.Body == "" {
			out = encode(list, reply.Silent)
		}
	}
	if reply.Bare {
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = c.Close()
		}
		return
	}
	if reply.Truncate > 0 && reply.Truncate < len(out) {
		out = out[:reply.Truncate]
	}
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
	}
	_, _ = w.Write(out)
}

// answered is one item of an answer.
type answered struct {
	action string
	fields map[string]any
}

func (b *Bulk) store(call Call, reply Reply) []answered {
	var out []answered
	for i, item := range call.Items {
		if reply.Drop != nil && reply.Drop(i, item) {
			continue
		}
		fields := map[string]any{"_index": item.Index, "_id": item.ID, "_version": 1, "result": "created", "status": 201}
		var fault *Fault
		switch {
		case reply.Item != nil && reply.Item(i, item) != nil:
			fault = reply.Item(i, item)
		case item.Action == "create" && b.has(item.ID):
			fault = &Fault{409, "version_conflict_engine_exception", "document already exists"}
		default:
			if b.has(item.ID) {
				fields["status"], fields["result"] = 200, "updated"
			}
			b.take(item.ID, item.Body)
		}
		if fault != nil {
			fields = map[string]any{"_index": item.Index, "_id": item.ID, "status": fault.Status, "error": map[string]any{"type": fault.Type,
				"reason": fault.Reason}}
		}
		out = append(out, answered{item.Action, fields})
	}
	return out
}

func encode(list []answered, short bool) []byte {
	items, failed := make([]any, 0, len(list)), false
	for _, a := range list {
		fields := a.fields
		failed = failed || fields["error"] != nil
		if short {
			fields = map[string]any{"status": fields["status"]}
			if e := a.fields["error"]; e != nil {
				fields["error"] = e
			}
		}
		items = append(items, map[string]any{a.action: fields})
	}
	b, err := json.Marshal(map[string]any{"took": 3, "errors": failed, "items": items})
	if err != nil {
		return nil
	}
	return b
}

// lines parses a bulk request; ok is false when it is not one.
func lines(raw []byte) (list []Item, ok bool) {
	all := bytes.Split(raw, []byte("\n"))
	if len(all)%2 == 0 || len(all[len(all)-1]) != 0 {
		return nil, false
	}
	for i := 0; i+1 < len(all); i += 2 {
		var action map[string]struct {
			Index string `json:"_index"`
			ID    string `json:"_id"`
		}
		if json.Unmarshal(all[i], &action) != nil || len(action) != 1 || !json.Valid(all[i+1]) {
			return nil, false
		}
		for name, target := range action {
			list = append(list, Item{Action: name, Index: target.Index, ID: target.ID, Body: all[i+1]})
		}
	}
	return list, true
}
