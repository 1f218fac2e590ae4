package dns

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
)

// service is a platform where whoever asks first gets a name that was given up.
type service struct {
	name    string
	domains []string
	source  string // where it is documented
}

// claimable lists services whose host names anybody may claim once they are
// free. That a name does not exist is what is looked at; what a web page says is
// not, since error pages change and edges answer for them.
func claimable() []service {
	const community = "https://github.com/EdOverflow/can-i-take-over-xyz"
	return []service{
		{"Azure", []string{"azurewebsites.net", "cloudapp.net", "cloudapp.azure.com", "trafficmanager.net", "blob.core.windows.net",
			"azureedge.net", "azurefd.net", "azure-api.net", "azurecontainer.io", "azurehdinsight.net", "azurecr.io", "redis.cache.windows.net",
			"servicebus.windows.net", "search.windows.net", "azurestaticapps.net", "visualstudio.com"},
			"https://learn.microsoft.com/azure/security/fundamentals/subdomain-takeover"},
		{"AWS Elastic Beanstalk", []string{"elasticbeanstalk.com"}, "https://docs.aws.amazon.com/elasticbeanstalk/latest/dg/customdomains.html"},
		{"Amazon S3", []string{"s3.amazonaws.com", "s3-website.amazonaws.com"},
			"https://docs.aws.amazon.com/AmazonS3/latest/userguide/website-hosting-custom-domain-walkthrough.html"},
		{"GitHub Pages", []string{"github.io"}, "https://docs.github.com/pages/configuring-a-custom-domain-for-your-github-pages-site/verifyin" +
			"g-your-custom-domain-for-github-pages"},
		{"Heroku", []string{"herokuapp.com", "herokudns.com", "herokussl.com"}, "https://devcenter.heroku.com/articles/custom-domains"},
		{"Netlify", []string{"netlify.app", "netlify.com"}, "https://docs.netlify.com/domains-https/custom-domains/"},
		{"Vercel", []string{"vercel.app", "now.sh"}, community},
		{"Fly.io", []string{"fly.dev", "edgeapp.net"}, community},
		{"Surge", []string{"surge.sh"}, community},
		{"Bitbucket", []string{"bitbucket.io"}, community},
		{"Ghost", []string{"ghost.io"}, community},
		{"ngrok", []string{"ngrok.io", "ngrok.app"}, community},
		{"Pantheon", []string{"pantheonsite.io"}, community},
		{"Read the Docs", []string{"readthedocs.io"}, community},
		{"Help Scout", []string{"helpscoutdocs.com"}, community},
		{"Helpjuice", []string{"helpjuice.com"}, community},
		{"Strikingly", []string{"strikinglydns.com", "strikingly.com"}, community},
		{"Uberflip", []string{"uberflip.com"}, community},
		{"WordPress.com", []string{"wordpress.com"}, community},
		{"Shopify", []string{"myshopify.com"}, community},
		{"Zendesk", []string{"zendesk.com"}, community},
	}
}

// claimableServers lists name server operators where anybody may create the zone
// a delegation still points to.
func claimableServers() []service {
	const community = "https://github.com/indianajson/can-i-take-over-dns"
	return []service{
		{"Azure DNS", []string{"azure-dns.com", "azure-dns.net", "azure-dns.org", "azure-dns.info"},
			"https://learn.microsoft.com/azure/security/fundamentals/subdomain-takeover"},
		{"Google Cloud DNS", []string{"googledomains.com"}, community},
		{"DigitalOcean", []string{"digitalocean.com"}, community},
		{"DNSimple", []string{"dnsimple.com", "dnsimple-edge.net"}, community},
		{"NS1", []string{"nsone.net"}, community},
		{"Linode", []string{"linode.com"}, community},
		{"Hurricane Electric", []string{"he.net"}, community},
		{"Hetzner", []string{"hetzner.com", "hetzner.de", "your-server.de"}, community},
		{"DNS Made Easy", []string{"dnsmadeeasy.com"}, community},
		{"Name.com", []string{"name.com"}, community},
		{"EasyDNS", []string{"easydns.com", "easydns.net", "easydns.org"}, community},
		{"Bizland", []string{"bizland.com"}, community},
	}
}

// serviceOf finds the service a host name belongs to.
func serviceOf(host string, all []service) (service, bool) {
	i := slices.IndexFunc(all, func(s service) bool {
		return slices.ContainsFunc(s.domains, func(d string) bool { return exposure.Within(host, d) && !exposure.Same(host, d) })
	})
	if i < 0 {
		return service{}, false
	}
	return all[i], true
}
