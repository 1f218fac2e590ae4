import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, bodyOf, deletion } from "../../api/client";
import type { Account, Person } from "../../api/types";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Confirm";
import { CopyButton } from "../../ui/CopyButton";
import table from "../../ui/DataTable.module.css";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Tag } from "../../ui/Tag";
import { When } from "../../ui/When";
import { sessionQuery } from "../session/queries";
import { grantWords } from "../session/words";
import styles from "./Access.module.css";
import { List } from "./List";
import { PersonDialog } from "./PersonDialog";
import { peopleQuery } from "./queries";

const COLUMNS = ["Name", "Signs in by", "Roles", "Last seen", "Change"];

/** Who may sign in. Those of a provider come by themselves when they sign in first. */
export function People({ accounts }: { accounts: readonly Account[] }) {
  const people = useQuery(peopleQuery);
  const [adding, setAdding] = useState(false);
  const [invited, setInvited] = useState<Person>();
  return (
    <List
      title="People"
      what="people"
      add="Add a person"
      onAdd={() => setAdding(true)}
      list={people}
      none="Nobody has signed in by a provider, and nobody has a password."
      columns={COLUMNS}
      csv={[
        ["name", ({ name }) => name],
        ["email", ({ email }) => email ?? ""],
        ["provider", ({ issuer }) => issuer ?? ""],
        ["roles", ({ grants }) => grants.map((grant) => grantWords(grant, accounts)).join("; ")],
        ["disabled", ({ disabled }) => (disabled ? "yes" : "no")],
        ["last_seen", ({ lastSeenAt }) => lastSeenAt ?? ""],
      ]}
      text={({ name, email = "" }) => `${name} ${email}`}
      row={(person) => <Row key={person.id} person={person} accounts={accounts} onInvited={setInvited} />}
    >
      {invited && <Invitation person={invited} onDone={() => setInvited(undefined)} />}
      {adding && (
        <PersonDialog
          onDone={async (person) => {
            setInvited(person.invitation ? person : undefined);
            setAdding(false);
            await people.refetch();
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </List>
  );
}

/** The only place where a link is ever seen. It is in memory until it is taken away or the page is left. */
function Invitation({ person, onDone }: { person: Person; onDone: () => void }) {
  const link = window.location.origin + person.invitation;
  return (
    <div role="status">
      <Banner
        title={`Send ${visible(person.name)} this link now: it is not shown again.`}
        actions={<Button onClick={onDone}>Done</Button>}
      >
        It works once, within 72 hours.
        <span className={styles.token}>
          <code>{link}</code>
          <CopyButton label="Copy the link" text={() => link} />
        </span>
      </Banner>
    </div>
  );
}

interface RowProps {
  person: Person;
  accounts: readonly Account[];
  onInvited: (person: Person) => void;
}

function Row({ person, accounts, onInvited }: RowProps) {
  const people = useQuery(peopleQuery);
  const { data: who } = useQuery(sessionQuery);
  const { pending, error, send } = useSend();
  const [asking, setAsking] = useState<"change" | "invite" | "disable" | "delete">();
  const { id, name, email, issuer, grants, disabled, lastSeenAt } = person;
  const own = who?.kind === "user" && email !== undefined && who.actor === `user:${email}`;
  const shown = visible(name);
  const path = { params: { path: { id } } };
  const done = () => {
    setAsking(undefined);
    return people.refetch();
  };
  const disable = (yes: boolean) =>
    send(async () => {
      await bodyOf(api.PATCH("/api/users/{id}", { ...path, body: { disabled: yes } }));
      await done();
    });
  const dialog = { pending, error, onClose: () => setAsking(undefined) };
  return (
    <tr>
      <td data-label="Name" className={`${table.text} ${table.named}`}>
        <div>
          {shown}
          {own && <Tag>you</Tag>}
          {disabled && <Tag>disabled</Tag>}
          <div className="muted">{visible(email ?? "")}</div>
        </div>
      </td>
      <td data-label="Signs in by" className={table.text}>
        {issuer ? visible(issuer) : "password or passkey"}
      </td>
      <td data-label="Roles" className={table.text}>
        <Grants words={grants.map((grant) => grantWords(grant, accounts))} />
      </td>
      <td data-label="Last seen">{lastSeenAt ? <When at={lastSeenAt} /> : <span className="muted">never</span>}</td>
      <td data-label="Change">
        <div className={styles.row}>
          {!issuer && (
            <Button onClick={() => setAsking("change")} aria-label={`Change ${shown}`}>
              Change…
            </Button>
          )}
          {!own && (
            <>
              {!issuer && !disabled && (
                <Button onClick={() => setAsking("invite")} aria-label={`Invite again: ${shown}`}>
                  Invite again…
                </Button>
              )}
              <Button
                disabled={pending}
                onClick={() => (disabled ? disable(false) : setAsking("disable"))}
                aria-label={`${disabled ? "Enable" : "Disable"} ${shown}`}
              >
                {disabled ? "Enable" : "Disable…"}
              </Button>
              <Button look="quiet" onClick={() => setAsking("delete")} aria-label={`Delete ${shown}`}>
                Delete…
              </Button>
            </>
          )}
        </div>
        {!asking && Boolean(error) && <ErrorPanel error={error} what="It was not done." />}
        {asking === "change" && <PersonDialog person={person} onDone={done} onClose={done} />}
        {asking === "invite" && (
          <Confirm
            {...dialog}
            title={`Invite ${shown} again?`}
            action="Make the link"
            onConfirm={() =>
              send(async () => {
                onInvited(await bodyOf(api.POST("/api/users/{id}/invite", path)));
                await done();
              })
            }
          >
            Their password and passkeys stop working and their sessions end at once. The link lets them choose new ones.
          </Confirm>
        )}
        {asking === "disable" && (
          <Confirm {...dialog} title={`Disable ${shown}?`} action="Disable" onConfirm={() => disable(true)}>
            They can no longer sign in, and their sessions end at once. It can be taken back.
          </Confirm>
        )}
        {asking === "delete" && (
          <Confirm
            {...dialog}
            title={`Delete ${shown}?`}
            action="Delete the person"
            onConfirm={() =>
              send(async () => {
                await deletion(api.DELETE("/api/users/{id}", path));
                await done();
              })
            }
          >
            Their sessions end at once. What they did stays in the audit log.
            {issuer && " They come back when they sign in again; disable them to keep them out."}
          </Confirm>
        )}
      </td>
    </tr>
  );
}

function Grants({ words }: { words: readonly string[] }) {
  return (
    <ul>
      {words.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}
