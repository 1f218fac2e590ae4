package posture

// NodeID is the graph node a finding about r belongs to. Resources that are no
// node of their own (rules, members, tokens, certificates, policies) belong to
// their zone, or else to the account.
func NodeID(accountID string, r Resource) string {
	switch r.Type {
	case ResourceZone:
		return "zone:" + r.ID
	case ResourceDNSRecord:
		return "dns:" + r.ZoneID + ":" + r.ID
	case ResourceWorker:
		return "worker:" + accountID + ":" + r.ID
	case ResourceTunnel:
		return "tunnel:" + r.ID
	case ResourceAccessApp:
		return "access_app:" + r.ID
	case ResourceBucket:
		return "r2:" + accountID + ":" + r.ID
	}
	if r.ZoneID != "" {
		return "zone:" + r.ZoneID
	}
	return "account:" + accountID
}
