package relational

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// latestOrder is the sort key that precedes the place. Each order is the prefix of an index.
type latestOrder struct {
	key    string // an expression over finding_state; "" sorts by place alone
	inner  string // the ORDER BY prefix of a stream of one class
	number bool   // the key is a number rather than a text
}

// latestOrderOf gives the keys of an order. The indexes of checks and of accounts have the class after
// the key; the others hold open states only.
func latestOrderOf(o store.FindingOrder) (latestOrder, error) {
	order, known := map[store.FindingOrder]latestOrder{
		store.OrderSeverity: {},
		store.OrderCheck:    {key: "check_id", inner: "check_id, class, "},
		store.OrderAccount:  {key: "provider_account_id", inner: "provider_account_id, class, "},
		store.OrderZone:     {key: "substr(zone, 1, 64)", inner: "substr(zone, 1, 64), "},
		store.OrderResource: {key: "substr(resource_name, 1, 64)", inner: "substr(resource_name, 1, 64), "},
		store.OrderOldest:   {key: "first_seen", inner: "first_seen, ", number: true},
		store.OrderNewest:   {key: "(-first_seen)", inner: "(-first_seen), ", number: true},
	}[o]
	if !known {
		return order, fmt.Errorf("the newest findings have no order %q", o)
	}
	return order, nil
}

// column selects the key as a column of a stream.
func (o latestOrder) column() string {
	if o.key == "" {
		return ""
	}
	return ", " + o.key + " AS k"
}

// told selects the key as the last column of a page.
func (o latestOrder) told() string {
	if o.key == "" {
		return ""
	}
	return ", CAST(p.k AS TEXT) AS k"
}

// outer is the ORDER BY prefix of merged streams.
func (o latestOrder) outer(table string) string {
	if o.key == "" {
		return ""
	}
	return table + "k, "
}

// orderedState is a state with its sort key.
type orderedState struct {
	stateRow

	Key string `bun:"k"`
}

func (o latestOrder) place(mark string, r orderedState) sortKey {
	p := o.spot(r)
	p.id = mark + "." + p.id
	return p
}

// spot is the sort key of a row within one list.
func (o latestOrder) spot(r orderedState) sortKey {
	if o.key == "" {
		return sortKey{at: r.Place, id: r.FindingID}
	}
	return sortKey{at: r.Place, id: r.FindingID + "." + r.Key}
}

// in sets the order of a list. A key needs one stream per class, so everything else becomes a
// condition.
func (l *latestList) in(o latestOrder) {
	if l.order = o; o.key != "" {
		l.merge()
	}
}

// after skips the rows up to and including the sort key p.
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
