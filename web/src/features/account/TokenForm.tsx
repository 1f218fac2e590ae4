import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, bodyOf } from "../../api/client";
import type { PermissionReport } from "../../api/types";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";

type TokenForm = PermissionReport["form"];

/** Opens Cloudflare's token form. The address comes with an answer, so only https becomes a link. */
export function TokenFormLink({ to, children }: { to: TokenForm; children: ReactNode }) {
  if (!to.url.startsWith("https://")) return null;
  return (
    <a href={to.url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** How to make a token that reads all that is judged, before there is an account. */
export function NewToken() {
  const forms = useQuery({
    queryKey: ["token forms"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/token-forms", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  // The form below works without them, and has its place from the beginning.
  return (
    <Panel title="Make a token at Cloudflare">
      <QueryStatus query={forms} of="links to Cloudflare's form" rows={4} />
      {forms.data && <Links {...forms.data} />}
    </Panel>
  );
}

function Links({ user, account }: Record<"user" | "account", TokenForm>) {
  return (
    <>
      <p>
        These links open Cloudflare's form with {user.byHand.length > 0 ? "most" : "all"} permissions filled in. All of
        them only read; a token that lacks some works too, and what it cannot read is reported as unknown.
      </p>
      <ul>
        <li>
          <TokenFormLink to={user}>A token of your own</TokenFormLink> reads everything, page rules included. It ends
          when you leave the account.
        </li>
        <li>
          <TokenFormLink to={account}>A token the account owns</TokenFormLink> stays when people leave. It cannot read
          page rules.
        </li>
      </ul>
      {user.byHand.length > 0 && (
        <details className={form.details}>
          <summary>{plural(user.byHand.length, "permission")} to add in the form by hand</summary>
          <p>Cloudflare has no link that fills these in.</p>
          <ul>
            {user.byHand.map((name) => (
              <li key={name}>{visible(name)}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
