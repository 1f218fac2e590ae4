package relational

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// latestOrder is what states are ordered by before their place. Each is the beginning of an index.
type latestOrder struct {
	key    string // an expression over finding_state; "" for the place alone
	inner  string // how a stream of one class is ordered by it
	number bool   // the key is a number, else a text
}

// latestOrderOf gives the keys of an order. The index of checks and that of accounts have the class
// behind the key; the others hold open states only.
func latestOrderOf(o store.FindingOrder) (latestOrder, error) {
	switch o {
	case store.OrderSeverity:
		return latestOrder{}, nil
	case store.OrderCheck:
		return latestOrder{key: "check_id", inner: "check_id, class, "}, nil
	case store.OrderAccount:
		return latestOrder{key: "provider_account_id", inner: "provider_account_id, class, "}, nil
	case store.OrderZone:
		return latestOrder{key: "substr(zone, 1, 64)", inner: "substr(zone, 1, 64), "}, nil
	case store.OrderResource:
		return latestOrder{key: "substr(resource_name, 1, 64)", inner: "substr(resource_name, 1, 64), "}, nil
	case store.OrderOldest:
		return latestOrder{key: "first_seen", inner: "first_seen, ", number: true}, nil
	case store.OrderNewest:
		return latestOrder{key: "(-first_seen)", inner: "(-first_seen), ", number: true}, nil
	}
	return latestOrder{}, fmt.Errorf("the newest findings have no order %q", o)
}

// column is the key as a column of a stream.
func (o latestOrder) column() string {
	if o.key == "" {
		return ""
	}
	return ", " + o.key + " AS k"
}

// told is the key as the last column of a page.
func (o latestOrder) told() string {
	if o.key == "" {
		return ""
	}
	return ", CAST(p.k AS TEXT) AS k"
}

// outer is how streams that were put together are ordered by the key.
func (o latestOrder) outer(table string) string {
	if o.key == "" {
		return ""
	}
	return table + "k, "
}

// orderedState is a state with its key.
type orderedState struct {
	stateRow

	Key string `bun:"k"`
}

func (o latestOrder) place(mark string, r orderedState) sortKey {
	p := o.spot(r)
	p.id = mark + "." + p.id
	return p
}

// spot is the place within one list.
func (o latestOrder) spot(r orderedState) sortKey {
	if o.key == "" {
		return sortKey{at: r.Place, id: r.FindingID}
	}
	return sortKey{at: r.Place, id: r.FindingID + "." + r.Key}
}

// in orders a list. A key drives one stream of each class, so all else becomes a condition.
func (l *latestList) in(o latestOrder) {
	if l.order = o; o.key != "" {
		l.merge()
	}
}

// after leaves out what a page before had.
func (l *latestList) after(p sortKey) error {
	id, text, keyed := strings.Cut(p.id, ".")
	if l.order.key == "" {
		l.where("(place, finding_id) > (?, ?)", p.at, p.id)
		return nil
	}
	var key any = text
	if l.order.number {
		n, err := strconv.ParseInt(text, 10, 64)
		key, keyed = n, keyed && err == nil
	}
	if !keyed {
		return posture.Invalid("query.cursor", "The cursor is not one that this list gave; leave it out to start from the beginning.",
			shorten(p.id))
	}
	l.where("("+l.order.key+", place, finding_id) > (?, ?, ?)", key, p.at, id)
	return nil
}
