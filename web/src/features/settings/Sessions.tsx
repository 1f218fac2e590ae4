import { useQuery } from "@tanstack/react-query";
import { api, bodyOf, deletion, keyRing, signOut } from "../../api/client";
import type { Session } from "../../api/types";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import table from "../../ui/DataTable.module.css";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { PlainTable } from "../../ui/PlainTable";
import { QueryStatus } from "../../ui/QueryStatus";
import { Tag } from "../../ui/Tag";
import { Until } from "../../ui/Until";
import { When } from "../../ui/When";
import { sessionQuery } from "../session/queries";

/** Who is signed in. Where no key is asked for, nobody is. */
export function Sessions() {
  const session = useQuery(sessionQuery);
  return session.data?.authRequired ? <SignedIn /> : null;
}

function SignedIn() {
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/sessions", { signal }))).items,
  });
  const { pending, error, send } = useSend();
  const revoke = (id: string) =>
    send(async () => {
      await deletion(api.DELETE("/api/sessions/{id}", { params: { path: { id } } }));
      await sessions.refetch();
    });
  return (
    <Panel
      id="sessions"
      title="Sessions"
      aside={
        <Button onClick={() => send(signOut)} disabled={pending}>
          Sign out
        </Button>
      }
    >
      {keyRing.current().key !== undefined && (
        <p>This browser keeps no session here, so the key is in memory until the page is loaded again.</p>
      )}
      <QueryStatus query={sessions} of="sessions" rows={2} />
      {sessions.data?.length === 0 && <p className={form.hint}>Nobody is signed in with a browser.</p>}
      {sessions.data && sessions.data.length > 0 && (
        <PlainTable caption="Sessions" columns={["Who", "From", "Signed in", "Last used", "Ends", "Revoke"]}>
          {sessions.data.map((session) => (
            <Row key={session.id} session={session} disabled={pending} onRevoke={() => revoke(session.id)} />
          ))}
        </PlainTable>
      )}
      {Boolean(error) && <ErrorPanel error={error} what="It was not done." />}
    </Panel>
  );
}

interface RowProps {
  session: Session;
  disabled: boolean;
  onRevoke: () => void;
}

function Row({ session, disabled, onRevoke }: RowProps) {
  const { actor, address, userAgent, createdAt, lastUsedAt, expiresAt, current } = session;
  return (
    <tr>
      <td data-label="Who" className={table.text}>
        {visible(actor)}
      </td>
      <td data-label="From" className={table.text}>
        <div>
          {visible(address)}
          {current && <Tag>this browser</Tag>}
          <div className="muted">{visible(userAgent)}</div>
        </div>
      </td>
      <td data-label="Signed in">
        <When at={createdAt} />
      </td>
      <td data-label="Last used">
        <When at={lastUsedAt} />
      </td>
      <td data-label="Ends">
        <Until at={expiresAt} />
      </td>
      <td data-label="Revoke">
        {!current && (
          <Button onClick={onRevoke} disabled={disabled} aria-label={`Revoke the session of ${visible(address)}`}>
            Revoke
          </Button>
        )}
      </td>
    </tr>
  );
}
