package sqlite

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// TestForgettingReadsWhatIsOld: what is past its time is found by its age, and its rows by
// their range, so that what stays costs nothing.
func TestForgettingReadsWhatIsOld(t *testing.T) {
	s, said, db := heard(t)
	defer func() { require.NoError(t, s.Close()) }()
	_, err := s.Forget(t.Context(), store.Assessed, time.Unix(1, 0), time.Unix(2, 0))
	require.NoError(t, err)
	asked := ""
	for _, q := range said.said {
		if strings.Contains(q, "FROM assessment AS a") {
			asked = explained(t, db, q)
		}
	}
	require.Contains(t, asked, "SEARCH a USING INDEX assessment_newest")
	require.Contains(t, asked, "SEARCH n USING COVERING INDEX assessment_of_provider_account")
	require.NotContains(t, asked, "SCAN ")
	require.NotContains(t, asked, "TEMP B-TREE")
	require.Contains(t, explained(t, db, "DELETE FROM finding WHERE assessment_no = 1 AND seq < (SELECT MIN(seq) FROM finding WHERE "+
		"assessment_no = 1) + 1000"),
		"SEARCH finding USING PRIMARY KEY (assessment_no=? AND seq<?)")
}

// TestReferencesAreIndexed: deleting a row looks for those that refer to it, which takes an index; one that few
// rows have, as the default account, needs none.
func TestReferencesAreIndexed(t *testing.T) {
	s, _, db := heard(t)
	defer func() { require.NoError(t, s.Close()) }()
	var bare string
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT group_concat(t.name || '.' || f."from") FROM sqlite_master AS t,
		pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table' AND NOT EXISTS (SELECT 1 FROM pragma_index_list(t.name) AS i,
		pragma_index_info(i.name) AS c WHERE c.seqno = 0 AND c.name = f."from") AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) AS c
		WHERE c.pk = 1 AND c.name = f."from")`).Scan(&bare))
	require.Equal(t, "account_default.account_id", bare)
}

// TestOrdersAreIndexes: a page of what is open is the beginning of an index in every order.
func TestOrdersAreIndexes(t *testing.T) {
	s, said, db := heard(t)
	defer func() { require.NoError(t, s.Close()) }()
	for order, index := range map[store.FindingOrder]string{store.OrderSeverity: "finding_state_by_place",
		store.OrderCheck: "finding_state_by_check", store.OrderAccount: "finding_state_by_account", store.OrderZone: "finding_state_open_zone",
		store.OrderResource: "finding_state_open_resource", store.OrderOldest: "finding_state_open_oldest",
		store.OrderNewest: "finding_state_open_newest"} {
		said.said = nil
		_, _, err := s.LatestFindings(t.Context(), store.LatestFilter{Order: order, Excepted: store.ExceptedHidden, Now: time.Unix(1, 0),
			Statuses: []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened}}, store.Page{Limit: 100})
		require.NoError(t, err)
		require.Len(t, said.said, 1)
		page, _, _ := strings.Cut(said.said[0][strings.Index(said.said[0], "FROM (")+len("FROM ("):], ") AS p JOIN")
		plan := explained(t, db, page)
		require.Contains(t, plan, index, order)
		require.NotContains(t, plan, "TEMP B-TREE", order)
	}
}

// TestRareRowsAreFound: what is rare among jobs and deliveries is found without reading the others, and counting
// jobs reads none of them.
func TestRareRowsAreFound(t *testing.T) {
	s, said, db := heard(t)
	defer func() { require.NoError(t, s.Close()) }()
	for index, ask := range map[string]func() error{
		"USING COVERING INDEX job_of_kind": func() error { _, err := s.CountKinds(t.Context()); return err },
		"USING INDEX delivery_undelivered": func() error {
			failed := store.DeliveryFilter{States: []posture.DeliveryState{posture.DeliveryFailed}}
			_, _, err := s.Deliveries(t.Context(), failed, store.Page{Limit: 1})
			return err
		},
		"USING INDEX delivery_of_account": func() error {
			_, _, err := s.Deliveries(t.Context(), store.DeliveryFilter{Accounts: []string{"a"}}, store.Page{Limit: 1})
			return err
		},
	} {
		said.said = nil
		require.NoError(t, ask())
		require.Len(t, said.said, 1)
		plan := explained(t, db, said.said[0])
		require.Contains(t, plan, index)
		require.NotContains(t, plan, "TEMP B-TREE", index)
	}
}
