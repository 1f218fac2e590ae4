package planner

import (
	"encoding/json"
	"net/http"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

// The values of the setting aiProvider.
const (
	none    = "none"
	hostedA = "hosted_a"
	hostedB = "hosted_b"
	local   = "local"
)

// Default models, when SERVICE_AI_MODEL and aiModel name none: a small and fast one of each
// provider that reliably returns the requested form.
const (
	DefaultModelHostedA = "claude-haiku-4-5"
	DefaultModelHostedB = "gpt-4.1-mini"
	DefaultModelLocal   = "llama3.2"
)

// maxTokens bounds the answer of a model: 200 labels and 10 notes take about 1,600 tokens.
const maxTokens = 4096

// protocol is the API of one provider.
type protocol interface {
	title() string // completes "… because "
	keys() string  // variable and setting of its key, "" without a key
	host() string  // scheme and host of the vendor
	path() string
	model() string
	sign(h http.Header, key secret.Text)
	body(model string, q question) []byte
	// content extracts what the model wrote from the provider's envelope, or returns the completion
	// of "… because <provider> ".
	content(body []byte) (content []byte, why string)
}

func protocolOf(provider string) protocol {
	switch provider {
	case hostedA:
		return messages{}
	case hostedB:
		return completions{}
	case local:
		return chat{}
	}
	return nil
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// messages is the Messages API of Anthropic, with one tool that the model must call
// (https://docs.anthropic.com/en/api/messages).
type messages struct{}

const toolName = "order_plan"

func (messages) title() string { return "hosted_a" }
func (messages) keys() string  { return "HOSTED_A_API_KEY or hostedAApiKey" }
func (messages) host() string  { return "https://api.anthropic.com" }
func (messages) path() string  { return "/v1/messages" }
func (messages) model() string { return DefaultModelHostedA }

func (messages) sign(h http.Header, key secret.Text) {
	h.Set("X-Api-Key", key.Reveal())
	h.Set("Anthropic-Version", "2023-06-01")
}

func (messages) body(model string, q question) []byte {
	type tool struct {
		Name        string  `json:"name"`
		Description string  `json:"description"`
		InputSchema *schema `json:"input_schema"`
	}
	return encode(struct {
		Model      string            `json:"model"`
		MaxTokens  int               `json:"max_tokens"`
		System     string            `json:"system"`
		Messages   []message         `json:"messages"`
		Tools      []tool            `json:"tools"`
		ToolChoice map[string]string `json:"tool_choice"`
	}{model, maxTokens, task, []message{{"user", q.plan}},
		[]tool{{toolName, "Takes the order of the plan and the notes.", form(q.labels, false)}},
		map[string]string{"type": "tool", "name": toolName}})
}

func (messages) content(body []byte) ([]byte, string) {
	var a struct {
		Type    string `json:"type"`
		Content []struct {
			Type  string          `json:"type"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
	}
	if json.Unmarshal(body, &a) != nil || a.Type != "message" {
		return nil, notForm
	}
	switch a.StopReason {
	case "refusal":
		return nil, declined
	case "max_tokens", "model_context_window_exceeded":
		return nil, notWhole
	}
	var input []byte
	for _, c := range a.Content {
		if c.Type != "tool_use" {
			continue
		}
		if c.Name != toolName || input != nil {
			return nil, notForm
		}
		input = c.Input
	}
	if input == nil {
		return nil, notForm
	}
	return input, ""
}

// completions is the chat completions API of OpenAI, with a strict schema for the answer
// (https://platform.openai.com/docs/api-reference/chat/create).
type completions struct{}

func (completions) title() string { return "hosted_b" }
func (completions) keys() string  { return "HOSTED_B_API_KEY or hostedBApiKey" }
func (completions) host() string  { return "https://api.openai.com" }
func (completions) path() string  { return "/v1/chat/completions" }
func (completions) model() string { return DefaultModelHostedB }

func (completions) sign(h http.Header, key secret.Text) {
	h.Set("Authorization", "Bearer "+key.Reveal())
}

func (completions) body(model string, q question) []byte {
	type named struct {
		Name   string  `json:"name"`
		Strict bool    `json:"strict"`
		Schema *schema `json:"schema"`
	}
	type format struct {
		Type       string `json:"type"`
		JSONSchema named  `json:"json_schema"`
	}
	return encode(struct {
		Model          string    `json:"model"`
		MaxTokens      int       `json:"max_completion_tokens"`
		Messages       []message `json:"messages"`
		ResponseFormat format    `json:"response_format"`
	}{model, maxTokens, []message{{"system", task}, {"user", q.plan}}, format{"json_schema", named{toolName, true, form(q.labels, false)}}})
}

func (completions) content(body []byte) ([]byte, string) {
	var a struct {
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
				Refusal *string `json:"refusal"`
			} `json:"message"`
			FinishReason string `json:"finish_reason"`
		} `json:"choices"`
	}
	if json.Unmarshal(body, &a) != nil || len(a.Choices) != 1 {
		return nil, notForm
	}
	c := a.Choices[0]
	switch {
	case c.FinishReason == "length":
		return nil, notWhole
	case c.FinishReason == "content_filter", c.Message.Refusal != nil && *c.Message.Refusal != "":
		return nil, declined
	case c.FinishReason != "stop" || c.Message.Content == nil:
		return nil, notForm
	}
	return []byte(*c.Message.Content), ""
}

// chat is the chat API of Ollama, which many local servers support
// (https://github.com/ollama/ollama/blob/main/docs/api.md).
type chat struct{}

func (chat) title() string                     { return "the local model server" }
func (chat) keys() string                      { return "" }
func (chat) host() string                      { return setting.DefaultLocalModelHost }
func (chat) path() string                      { return "/api/chat" }
func (chat) model() string                     { return DefaultModelLocal }
func (chat) sign(_ http.Header, _ secret.Text) {}

// The request sets the context size, because the server silently truncates a prompt that exceeds
// its default. A token is at least two bytes of such text.
const (
	bytesPerToken = 2
	roomStep      = 2048
	maxRoom       = 16384 // more takes gigabytes of memory with middle-sized models
)

func (chat) body(model string, q question) []byte {
	type options struct {
		Temperature float64 `json:"temperature"`
		NumPredict  int     `json:"num_predict"`
		NumCtx      int     `json:"num_ctx"`
	}
	room := (len(task)+len(q.plan))/bytesPerToken + maxTokens
	room = min((room+roomStep-1)/roomStep*roomStep, maxRoom)
	return encode(struct {
		Model    string    `json:"model"`
		Messages []message `json:"messages"`
		Stream   bool      `json:"stream"`
		Format   *schema   `json:"format"`
		Options  options   `json:"options"`
	}{model, []message{{"system", task}, {"user", q.plan}}, false, form(q.labels, true), options{0, maxTokens, room}})
}

func (chat) content(body []byte) ([]byte, string) {
	var a struct {
		Message struct {
			Content string `json:"content"`
		} `json:"message"`
		Done       bool   `json:"done"`
		DoneReason string `json:"done_reason"`
	}
	switch {
	case json.Unmarshal(body, &a) != nil:
		return nil, notForm
	case a.DoneReason == "length", !a.Done:
		return nil, notWhole
	}
	return []byte(a.Message.Content), ""
}
