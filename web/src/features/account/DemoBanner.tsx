import { Link } from "@tanstack/react-router";
import { Banner } from "../../ui/Banner";

export function DemoBanner() {
  return (
    <Banner title="This is a built-in demo account:">
      recorded answers of a simulated Cloudflare. Nothing here is about a real account.{" "}
      <Link to="/accounts/new">Add an account</Link> to assess your own.
    </Banner>
  );
}
