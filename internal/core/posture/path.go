package posture

// AttackPath is one way from the internet to something that should not be reachable, found in the
// graph of one assessment. ID is "ap:<kind>:<node ids>" and therefore the same in every run that
// finds the same way.
type AttackPath struct {
	ID              string     `json:"id"`
	Kind            string     `json:"kind"`
	Title           string     `json:"title"`
	Severity        Severity   `json:"severity" enum:"critical,high"`
	SeverityReason  string     `json:"severityReason" doc:"Why this severity: what somebody does at its end, and what else that takes."`
	HopCount        int        `json:"hopCount" doc:"Number of edges."`
	EntryNodeID     string     `json:"entryNodeId"`
	TargetNodeID    string     `json:"targetNodeId"`
	Nodes           []string   `json:"nodes" doc:"Node ids from the entry to the target."`
	Edges           []PathEdge `json:"edges"`
	Explanation     string     `json:"explanation"`
	RelatedCheckIDs []string   `json:"relatedCheckIds"`

	RemediableCheckIDs []string `json:"remediableCheckIds" doc:"Related checks for which the service can make a change that breaks it."`
	WatchedBy          []string `json:"watchedBy" doc:"Checks that look at its parts: if one could not judge, no run can call it gone."`
	FindingIDs         []string `json:"findingIds"`
	AcceptedFindingIDs []string `json:"acceptedFindingIds,omitempty" doc:"Of findingIds, those with accepted risk; the path still exists."`

	Breaks []Break `json:"breaks" doc:"Single changes, each of which alone breaks the path."`
}

// PathEdge is one step of a path.
type PathEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type"`
}

// Break is a change that breaks a path by itself. CheckIDs name the checks that watch it; there are
// several when the change has several parts. Remediable is set when the service can make the whole
// change.
type Break struct {
	Change     string   `json:"change"`
	NodeID     string   `json:"nodeId"`
	CheckIDs   []string `json:"checkIds"`
	Remediable bool     `json:"remediable"`
}

// Modification is one entry of the provider's audit log, stored with the assessment whose run read
// it. Actor is an e-mail address with its local part masked, or the name of a token.
type Modification struct {
	At         string `json:"at" format:"date-time"`
	Action     string `json:"action"`
	Actor      string `json:"actor,omitempty"`
	Via        string `json:"via,omitempty" doc:"How it was made: dash, api_key, api_token, oauth."`
	Product    string `json:"product,omitempty"`
	ResourceID string `json:"resourceId,omitempty"`
	ZoneID     string `json:"zoneId,omitempty"`
}
