package email

import (
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// endWords returns the words for a record whose end lets others send. The end of a record that
// redirects is in another record.
func endWords(r snapshot.DNSRecord, s mailauth.SPF) posture.Words {
	if s.All() == 0 && s.Redirect() != "" {
		return posture.Words{ByHand: true,
			Dashboard: "DNS › Records › {zone} (TXT, v=spf1): change the record that it redirects to, or enter the senders here and end in -all."}
	}
	return posture.Words{Call: rewriteText(r.ID, `gsub(" +[+?~-]?all(?= |$)"; ""; "i") + " -all"`)}
}

func softWords(r snapshot.DNSRecord, s mailauth.SPF) posture.Words {
	w := endWords(r, s)
	w.Problem = "SPF of {zone} ends in ~all and DMARC does not act"
	w.Impact = "Mail from servers that the record does not name is marked and still delivered, so forged mail arrives."
	return w
}

func ptrWords(r snapshot.DNSRecord) posture.Words {
	return posture.Words{Problem: "SPF of {zone} uses ptr",
		Impact:    "Whoever controls the reverse DNS of an address can make it match, and many receivers skip the term.",
		Breaks:    "Mail of servers that only the ptr term named can be refused.",
		Dashboard: "DNS › Records › {zone} (TXT, v=spf1) › Edit: replace ptr by the addresses of the servers.",
		Call:      rewriteText(r.ID, `gsub(" +[+?~-]?ptr(:[^ ]*)?(?= |$)"; ""; "i")`)}
}

func wideWords() posture.Words {
	return posture.Words{Problem: "SPF of {zone} names a large part of the internet", ByHand: true,
		Impact: "Anyone with a server in these ranges can send mail with an address of the domain, and it passes SPF or is not checked.",
		Dashboard: "DNS › Records › {zone} (TXT, v=spf1) › Edit: replace the ranges, or an exists term that always " +
			"matches, by the addresses of the mail servers."}
}

func unownedWords() posture.Words {
	return posture.Words{Problem: "SPF of {zone} refers to a domain that anyone can register", ByHand: true,
		Impact:    "Whoever registers the domain publishes an SPF record there that lets any server send mail with an address of the zone.",
		Breaks:    "Nothing that works today: no server has an address there.",
		Dashboard: "DNS › Records › {zone} (TXT, v=spf1) › Edit: remove the term that names the domain, and end in -all."}
}

// brokenWords returns the words for a record that receivers cannot evaluate, or soon cannot.
func brokenWords(problem string) posture.Words {
	return posture.Words{Problem: problem, ByHand: true,
		Impact:    "Receivers that cannot evaluate the record treat mail of the domain as unchecked, or refuse genuine mail.",
		Breaks:    "Mail of a service whose include is removed can be refused.",
		Dashboard: "DNS › Records › {zone} (TXT, v=spf1) › Edit: remove includes that are not used, and correct misspelt terms."}
}
