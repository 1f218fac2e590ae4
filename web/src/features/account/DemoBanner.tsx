import { Banner } from "../../ui/Banner";

export function DemoBanner() {
  return (
    <Banner title="This is a built-in demo account:">
      recorded answers of a simulated Cloudflare. Nothing here is about a real account. Set{" "}
      <code>CLOUDFLARE_API_TOKEN</code> and restart to assess your own.
    </Banner>
  );
}
