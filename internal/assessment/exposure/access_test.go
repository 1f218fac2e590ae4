package exposure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func TestPublicMail(t *testing.T) {
	for domain, public := range map[string]bool{
		"gmail.com": true, "GMail.com": true, "gmx.at": true, "t-online.de": true, "mailbox.org": true, "naver.com": true, "orange.fr": true,
		"shop.example": false, "": false, "cloudflare.com": false, "mail.gmail.com": false, "gmail": false, "microsoft.com": false,
	} {
		require.Equal(t, public, PublicMail(snapshot.AccessRule{Kind: "email_domain", Value: domain}), domain)
	}
	require.False(t, PublicMail(snapshot.AccessRule{Kind: "email", Value: "gmail.com"}))
}

func TestEveryDomainOfTheListIsFound(t *testing.T) {
	for line := range strings.Lines(mailDomains) {
		if domain := strings.TrimSpace(line); !strings.HasPrefix(domain, "#") {
			require.True(t, PublicMail(snapshot.AccessRule{Kind: "email_domain", Value: domain}), domain)
			require.True(t, hasLine(mailDomains, domain), domain)
			require.False(t, hasLine(mailDomains, domain+"!"), domain)
		} else {
			require.False(t, PublicMail(snapshot.AccessRule{Kind: "email_domain", Value: domain}), domain)
		}
	}
	require.False(t, hasLine(mailDomains, ""))
}
