package simcloud

import (
	"fmt"
	"slices"
	"strings"
)

// plantsMail misconfigure mail.
func plantsMail() []Plant {
	return slices.Concat(plantsSPF(), plantsKeys(), plantsReceiving(), plantsParked(), plantsMailFilter())
}

// plantsSPF write SPF records that protect little.
func plantsSPF() []Plant {
	spf := func(variant, result, text string, world map[string]string) Plant {
		return zonal("CFL-EMAIL-004", variant, result, "spf", func(z *zone) {
			for name, record := range world {
				z.acct.say(name, outsideName{records: map[string][]string{"TXT": {record}}})
			}
			z.apexText("v=spf1").Content = `"` + text + `"`
		})
	}
	nested := func(n int) map[string]string {
		return map[string]string{fmt.Sprintf("_spf.nested%d.test", n): "v=spf1" + strings.Repeat(" a:host.nested.test", n) + " -all"}
	}
	soft := func(variant string, change func(*zone), also Planted) Plant {
		return zonal("CFL-EMAIL-004", variant, warning, "spf", func(z *zone) {
			z.apexText("v=spf1").Content = `"v=spf1 mx ~all"`
			change(z)
		}).claimingOnly("spf", "dmarc").with(also)
	}
	name := func(z *zone) string { return "_dmarc." + z.name }
	return []Plant{
		spf("open", failed, "v=spf1 mx +all", nil), spf("bare", failed, "v=spf1 mx all", nil), spf("neutral", failed, "v=spf1 mx ?all", nil),
		spf("endless", failed, "v=spf1 mx", nil),
		spf("own-terms", failed, "v=spf1"+strings.Repeat(" a:host.many.test", 11)+" -all", nil),
		spf("nested", failed, "v=spf1 include:_spf.nested10.test -all", nested(10)),
		spf("gone", failed, "v=spf1 include:closed-sender.test -all", nil), spf("misspelt", failed, "v=spf1 ipv4:185.220.24.1 -all", nil),
		spf("redirect-open", failed, "v=spf1 redirect=_spf.open-sender.test", map[string]string{"_spf.open-sender.test": "v=spf1 ?all"}),
		spf("ptr", warning, "v=spf1 ptr -all", nil), spf("nine", warning, "v=spf1 include:_spf.nested8.test -all", nested(8)),
		soft("soft", func(z *zone) {
			z.find("TXT", name(z)).Content = `"v=DMARC1; p=none; rua=mailto:dmarc@` + z.name + `"`
		}, Planted{"CFL-EMAIL-005", "zone", "", failed}),
		soft("soft-alone", func(z *zone) { z.drop(func(r record) bool { return r.Name == name(z) }) }, Planted{"CFL-EMAIL-003", "zone", "",
			failed}),
		zonal("CFL-EMAIL-003", "empty-alias", failed, "dmarc", func(z *zone) {
			z.acct.say("shop.dmarc-service.test", outsideName{records: map[string][]string{"TXT": {"account closed"}}})
			z.rename(z.find("TXT", name(z)), "shop.dmarc-service.test")
		}),
	}
}

// rename turns a text record into a CNAME. Such names cannot be proxied.
func (z *zone) rename(r *record, target string) {
	r.Type, r.Content, r.Proxiable = "CNAME", target, false
}

// DKIM keys whose private keys were discarded.
const (
	keyStart2048 = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApQ39LNnXcJqsnMjnw3taQTw2M5JIM87Fucu+WNbdOe5y7KcYGPJKstNxFVa8LtRI+8SwX56ad+w" +
		"KBHpwxwa/46LldH7yyFVlqU/AMn8InKesPaqga7XjWVTGJUN8jJWAwJV6FsoIoHTkvs/1Jt4FYLgm6dsqeKCrJKRyqRCz7Ot1Wwkp"
	keyEnd2048 = "BqI/U/a7PoCzdWmgxhfeQWgJhDolBftjKrwNH+sTuAKrlDlpk/m2rF4A3tN7j9jbEHpRdmTzj4qA6Xby9bmbGmtuNwrbDPgl4rHld392lXrHFtwJOR2kB0Jxs" +
		"jkrovGKIHHbqRL0h/zydcD1x0lUvO41TpvolEkwVuGjywIDAQAB"
	key1024 = "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC91+uDT+NPewHyMLFxcub7SIKtSekRHNY1g8SLrpIBeM33PEwZaysNR074haEKNb4SbNlKCFy7ji2LTKYHp" +
		"qnHxFP9ESzWuEapg5XcX7MKESfFS2yIi7y7Kiv3K7MHMwAw4nCmsEp7Tkc3eomDiktxJzoIxDm54RT4/bFzoku2owIDAQAB"
	key512 = "MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBANb0OlknAXYsOc/Nd3HhmC6pnY/3ezO3cPfcM2wOQozyGXvhs+uZtSFvmLxaSgePuUnD6SmrpC6EiB0Do42iCl8CA" +
		"wEAAQ=="
	keyEd25519 = "13SW8TtimvJzbN03npgDazz0Gm4OcV1MiMqaZPZEKaI="
)

// goodKey returns a record with a 2048-bit key, which takes two strings of a TXT record.
func goodKey() string { return "v=DKIM1; k=rsa; p=" + keyStart2048 + `" "` + keyEnd2048 }

// plantsKeys weaken DKIM. All share a slot: an additional key makes up for a missing one.
func plantsKeys() []Plant {
	key := func(variant, result, text string) Plant {
		return recordPlant("CFL-EMAIL-006", variant, result, func(z *zone) []Planted {
			r := z.plant("TXT", variant+"._domainkey."+z.name, `"`+text+`"`, false)
			return one("CFL-EMAIL-006", "dns_record", r.ID, result)
		}, "dkim")
	}
	alias := func(variant, result, text string) Plant {
		return recordPlant("CFL-EMAIL-006", variant, result, func(z *zone) []Planted {
			target := variant + ".dkim-service.test"
			z.acct.say(target, outsideName{records: map[string][]string{"TXT": {text}}})
			r := z.plant("CNAME", variant+"._domainkey."+z.name, target, false)
			r.Proxiable = false
			return one("CFL-EMAIL-006", "dns_record", r.ID, result)
		}, "dkim")
	}
	none := func(variant string, change func(*zone, *record)) Plant {
		p := zonal("CFL-EMAIL-002", variant, failed, "dkim", nil)
		p.Apply = func(s *Scene) []Planted {
			r := s.zone.find("TXT", "s1._domainkey."+s.zone.name)
			change(s.zone, r)
			return append(one("CFL-EMAIL-002", "zone", s.zone.id, failed), one("CFL-EMAIL-006", "dns_record", r.ID, warning)...)
		}
		return p
	}
	return []Plant{
		zonal("CFL-EMAIL-002", "none", failed, "dkim", func(z *zone) {
			z.drop(func(r record) bool { return r.Name == "s1._domainkey."+z.name })
		}),
		none("revoked", func(_ *zone, r *record) { r.Content = `"v=DKIM1; p="` }),
		none("empty-alias", func(z *zone, r *record) {
			z.acct.say("s1.dkim-service.test", outsideName{records: map[string][]string{"TXT": {"account closed"}}})
			z.rename(r, "s1.dkim-service.test")
		}),
		key("short", failed, "v=DKIM1; k=rsa; p="+key512), alias("short-alias", failed, "v=DKIM1; p="+key512),
		key("middling", warning, "v=DKIM1; p="+key1024), key("revoked", warning, "v=DKIM1; k=rsa; p="),
		key("unreadable", warning, "v=DKIM1; k=rsa; p="+key1024[:60]),
		key("test", warning, "v=DKIM1; k=ed25519; t=y; p="+keyEd25519), alias("middling-alias", warning, "v=DKIM1; p="+key1024),
		alias("empty-alias", warning, "account closed"),
	}
}
