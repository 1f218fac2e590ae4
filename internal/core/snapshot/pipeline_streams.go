package snapshot

const (
	// PipelineStreams holds the streams that receive events for pipelines.
	PipelineStreams Key[[]PipelineStream] = "account/pipeline_streams"
	// PipelineSinks holds the destinations of pipelines.
	PipelineSinks Key[[]PipelineSink] = "account/pipeline_sinks"
)

// PipelineStream receives events. HTTP says whether it has an HTTP endpoint, Authentication whether
// that requires a token; nil when not returned.
type PipelineStream struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	HTTP           *bool    `json:"http,omitempty"`
	Authentication *bool    `json:"authentication,omitempty"`
	Origins        []string `json:"origins"` // sites whose pages may send events
}

// SortKey orders streams by id.
func (s PipelineStream) SortKey() string { return s.ID }

// PipelineSink is a bucket that pipelines write to. AccountID is the account that owns it.
type PipelineSink struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	AccountID string `json:"account_id,omitempty"`
	Bucket    string `json:"bucket,omitempty"`
}

// SortKey orders sinks by id.
func (s PipelineSink) SortKey() string { return s.ID }

type pipelineStreamWire struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	HTTP struct {
		Enabled        *bool `json:"enabled"`
		Authentication *bool `json:"authentication"`
		CORS           struct {
			Origins []string `json:"origins"`
		} `json:"cors"`
	} `json:"http"`
}

type pipelineSinkWire struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Config struct {
		AccountID string `json:"account_id"`
		Bucket    string `json:"bucket"`
	} `json:"config"`
}

const permissionPipelines = "Account: Pipelines Read"

// pipelineStreams lists the streams of pipelines
// (developers.cloudflare.com/api/resources/pipelines/subresources/streams/methods/list/).
func pipelineStreams() Source {
	return list(PipelineStreams, Source{
		Path: "/accounts/{account_id}/pipelines/v1/streams", Paging: Paging{Kind: ByPage, Size: 100}, Permission: permissionPipelines,
		Example: `[{"id":"s1","name":"clicks","endpoint":"https://s1.ingest.cloudflare.com","http":{"enabled":true,"authentication":true,` +
			`"cors":{"origins":["https://acme.example"]}},"worker_binding":{"enabled":true},"version":1,"schema":{"fields":[{"name":"drop"}]}}]`,
	}, func(w pipelineStreamWire) PipelineStream {
		return PipelineStream{ID: w.ID, Name: w.Name, HTTP: w.HTTP.Enabled, Authentication: w.HTTP.Authentication,
			Origins: append([]string{}, w.HTTP.CORS.Origins...)}
	})
}

// pipelineSinks lists the destinations of pipelines; without streams nothing reaches them
// (developers.cloudflare.com/api/resources/pipelines/subresources/sinks/methods/list/).
func pipelineSinks() Source {
	return list(PipelineSinks, Source{
		Path: "/accounts/{account_id}/pipelines/v1/sinks", Paging: Paging{Kind: ByPage, Size: 100}, Permission: permissionPipelines,
		After: []string{PipelineStreams.Source()},
		Skip:  without(PipelineStreams, "Pipelines is not in use", "no stream feeds a pipeline"),
		Example: `[{"id":"k1","name":"lake","type":"r2","config":{"account_id":"acc","bucket":"events","path":"drop"},` +
			`"format":{"type":"json"}}]`,
	}, func(w pipelineSinkWire) PipelineSink {
		return PipelineSink{ID: w.ID, Name: w.Name, Type: w.Type, AccountID: w.Config.AccountID, Bucket: w.Config.Bucket}
	})
}
