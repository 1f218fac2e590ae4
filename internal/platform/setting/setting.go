// Package setting is the overlay of settings that people may change while the service runs: where
// to send, and with which credentials. For every key, a saved value takes precedence over the
// environment variable. Saved values are sealed in one file, and a credential is bound to the
// server that it was saved for. The remediation switch and its scope secrets are deliberately not
// settings: they are only read from the environment.
package setting

// Key is the name of a setting in the API.
type Key string

// The keys, except those of the channels of package notify, which are in channels_gen.go.
const (
	NotifyThreshold Key = "notifyThreshold"
	AIProvider      Key = "aiProvider"
	AIModel         Key = "aiModel"
	HostedAAPIKey   Key = "hostedAApiKey"
	HostedBAPIKey   Key = "hostedBApiKey"
	LocalModelHost  Key = "localModelHost"
	SearchURL       Key = "searchUrl"
	SearchAPIKey    Key = "searchApiKey"
	SearchUsername  Key = "searchUsername"
	SearchPassword  Key = "searchPassword"
	HECURL          Key = "hecUrl"
	HECToken        Key = "hecToken"
	AWSAccountID    Key = "awsAccountId"
	AWSRegion       Key = "awsRegion"

	TicketKind       Key = "ticketKind"
	TicketFrom       Key = "ticketFrom"
	TicketClose      Key = "ticketClose"
	GitHubRepository Key = "githubRepository"
	GitHubToken      Key = "githubToken"
	GitHubURL        Key = "githubUrl"
	JiraURL          Key = "jiraUrl"
	JiraProject      Key = "jiraProject"
	JiraEmail        Key = "jiraEmail"
	JiraToken        Key = "jiraToken"
	JiraIssueType    Key = "jiraIssueType"
)

// DefaultLocalModelHost is the default address of a local model server.
const DefaultLocalModelHost = "http://localhost:11434"

// DefaultGitHubURL is the default address of GitHub's API.
const DefaultGitHubURL = "https://api.github.com"

// Definition describes a key.
type Definition struct {
	Key Key
	Env string // the variable with the default
	Doc string
	// Secret values are never shown; a hint may show their last characters.
	Secret bool
	// For is the key of the address that this credential belongs to. The credential is only returned
	// for the origin that it was saved with (see Values.Credential).
	For Key
	// Default is the address when none is set; its credentials belong to it until then.
	Default string
	check   rule
}

// Definitions returns every key, in the order in which settings are shown.
func Definitions() []Definition {
	return append(channelDefinitions(), []Definition{
		{Key: NotifyThreshold, Env: "SERVICE_NOTIFY_THRESHOLD", check: severity,
			Doc: "Least severity that is notified: critical, high, medium, low or informational."},
		{Key: AIProvider, Env: "SERVICE_AI_PROVIDER", check: provider, Doc: "Who explains plans: none, hosted_a, hosted_b or local."},
		{Key: AIModel, Env: "SERVICE_AI_MODEL", check: name, Doc: "Name of the model."},
		{Key: HostedAAPIKey, Env: "HOSTED_A_API_KEY", Secret: true, check: token, Doc: "Anthropic API key."},
		{Key: HostedBAPIKey, Env: "HOSTED_B_API_KEY", Secret: true, check: token, Doc: "OpenAI API key."},
		{Key: LocalModelHost, Env: "LOCAL_MODEL_HOST", check: base, Doc: "Address of a local model server; " + DefaultLocalModelHost +
			" when unset."},
		{Key: SearchURL, Env: "SERVICE_SEARCH_URL", check: base, Doc: "Address of Elasticsearch or OpenSearch; /_bulk is added."},
		{Key: SearchAPIKey, Env: "SERVICE_SEARCH_APIKEY", Secret: true, For: SearchURL, check: token,
			Doc: "API key of Elasticsearch or OpenSearch."},
		{Key: SearchUsername, Env: "SERVICE_SEARCH_USERNAME", For: SearchURL, check: username,
			Doc: "User of Elasticsearch or OpenSearch, instead of an API key."},
		{Key: SearchPassword, Env: "SERVICE_SEARCH_PASSWORD", Secret: true, For: SearchURL, check: phrase, Doc: "Password of that user."},
		{Key: HECURL, Env: "SERVICE_SIEM_HEC_URL", check: base, Doc: "Address of Splunk HEC; /services/collector/event is added."},
		{Key: HECToken, Env: "SERVICE_SIEM_HEC_TOKEN", Secret: true, For: HECURL, check: token, Doc: "Token of Splunk HEC."},
		{Key: AWSAccountID, Env: "SERVICE_AWS_ACCOUNT_ID", check: awsAccount, Doc: "AWS account whose Security Hub findings are imported into."},
		{Key: AWSRegion, Env: "SERVICE_AWS_REGION", check: awsRegion, Doc: "Region of that Security Hub, such as us-east-1."},
		{Key: TicketKind, Env: "SERVICE_TICKET_KIND", check: oneOf("no tracker", "github", "jira"),
			Doc: "Where tickets of issues are made: github or jira."},
		{Key: TicketFrom, Env: "SERVICE_TICKET_FROM", check: severity,
			Doc: "Least severity of which a run makes tickets by itself; people make them when unset."},
		{Key: TicketClose, Env: "SERVICE_TICKET_CLOSE", check: oneOf("neither true nor false", "true", "false"),
			Doc: "true: the ticket of a resolved issue is closed, too; otherwise it gets a comment."},
		{Key: GitHubRepository, Env: "SERVICE_GITHUB_REPOSITORY", check: repository, Doc: "Repository of the tickets, as owner/name."},
		{Key: GitHubToken, Env: "SERVICE_GITHUB_TOKEN", Secret: true, For: GitHubURL, check: token,
			Doc: "Token of GitHub that may write issues of that repository."},
		{Key: GitHubURL, Env: "SERVICE_GITHUB_URL", check: base, Default: DefaultGitHubURL,
			Doc: "Address of GitHub's API; " + DefaultGitHubURL + " when unset, https://HOST/api/v3 of an Enterprise Server."},
		{Key: JiraURL, Env: "SERVICE_JIRA_URL", check: base, Doc: "Address of Jira Cloud, such as https://example.atlassian.net."},
		{Key: JiraProject, Env: "SERVICE_JIRA_PROJECT", check: project, Doc: "Key of the project of the tickets, such as SEC."},
		{Key: JiraEmail, Env: "SERVICE_JIRA_EMAIL", For: JiraURL, check: username, Doc: "Email address of whose token it is."},
		{Key: JiraToken, Env: "SERVICE_JIRA_TOKEN", Secret: true, For: JiraURL, check: token, Doc: "API token of that Atlassian account."},
		{Key: JiraIssueType, Env: "SERVICE_JIRA_ISSUE_TYPE", check: name, Doc: "Type of the tickets in Jira; Task when unset."},
	}...)
}

// Define returns the definition of a key.
func Define(k Key) (Definition, bool) {
	for _, d := range Definitions() {
		if d.Key == k {
			return d, true
		}
	}
	return Definition{}, false
}
