import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { UserRound } from "lucide-react";
import { signOut } from "../../api/client";
import type { Identity } from "../../api/types";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { ToolPanel } from "../../ui/ToolMenu";
import { accountsQuery } from "../account/queries";
import { sessionQuery } from "../session/queries";
import { grantWords, whoWord } from "../session/words";
import styles from "./Shell.module.css";

/** Who is signed in and what they may do. Where nobody has to sign in, nobody is. */
export function WhoMenu() {
  const { data: who } = useQuery(sessionQuery);
  if (!who?.authRequired) return null;
  return (
    <div className={styles.who}>
      <ToolPanel
        label={`${whoWord(who)}, ${who.role ?? "no role"}`}
        icon={<UserRound aria-hidden />}
        panel={(close) => <Who who={who} onClose={close} />}
      />
    </div>
  );
}

function Who({ who, onClose }: { who: Identity; onClose: () => void }) {
  const { data: accounts } = useQuery(accountsQuery);
  const { pending, error, send } = useSend();
  const grants = who.grants.map((grant) => grantWords(grant, accounts));
  return (
    <>
      <dl className={form.facts}>
        <dt>Name</dt>
        <dd>{whoWord(who)}</dd>
        <dt>In the log</dt>
        <dd>{visible(who.actor)}</dd>
        <dt>Roles</dt>
        <dd>
          {who.kind === "root" ? (
            "may do everything"
          ) : (
            <ul>
              {grants.map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          )}
        </dd>
      </dl>
      {Boolean(error) && <ErrorPanel error={error} what="You are still signed in." />}
      <div className={form.actions}>
        <Button disabled={pending} onClick={() => send(signOut)}>
          Sign out
        </Button>
        <Link to="/settings" hash="sessions" onClick={onClose}>
          {who.kind === "user" ? "Sessions and passkeys" : "Sessions"}
        </Link>
      </div>
    </>
  );
}
