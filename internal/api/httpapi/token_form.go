package httpapi

import (
	"context"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

// TokenForms are links to the two places where Cloudflare creates tokens, with every permission
// that an assessment needs filled in.
type TokenForms struct {
	User    posture.TokenForm `json:"user" doc:"A token of the person who makes it; it ends with their membership."`
	Account posture.TokenForm `json:"account" doc:"A token the account owns; to make one takes a super administrator."`
}

func getTokenForms(s *Server, _ context.Context, _ *struct{}) (*answer[TokenForms], error) {
	grants := cloudflare.Grants(s.o.Sources)
	return &answer[TokenForms]{TokenForms{User: cloudflare.TokenForm(grants, false, ""), Account: cloudflare.TokenForm(grants, true, "")}}, nil
}
