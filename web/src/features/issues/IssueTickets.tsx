import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { IssueDetail, Ticket } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { When } from "../../ui/When";
import styles from "./IssueWork.module.css";
import { issueNow } from "./queries";
import { waits } from "./words";

const TRACKERS: Record<string, string> = { github: "GitHub", jira: "Jira" };
const STATES = { open: "open", closed: "closed", unknown: "state unknown" };

/** The tickets of an issue, and how one is made; nothing while there is none and no tracker is chosen. */
export function IssueTickets({ issue, able }: { issue: IssueDetail; able: boolean }) {
  const kind = issue.tracker ?? "";
  const made = issue.tickets.filter((ticket) => ticket.key !== "" || ticket.problem || waits(issue.state));
  const wanted = able && kind !== "" && !issue.tickets.some((ticket) => ticket.kind === kind && ticket.key !== "");
  if (made.length === 0 && !wanted) return null;
  return (
    <Panel title="Tickets">
      {made.length > 0 && (
        <ul className={styles.activity} aria-label="Tickets">
          {made.map((ticket) => (
            <Entry key={ticket.kind} ticket={ticket} />
          ))}
        </ul>
      )}
      {wanted && <Make issue={issue} tracker={TRACKERS[kind] ?? kind} />}
    </Panel>
  );
}

function Entry({ ticket }: { ticket: Ticket }) {
  const tracker = TRACKERS[ticket.kind] ?? ticket.kind;
  return (
    <li>
      <p>
        {/^https?:/.test(ticket.url) ? (
          <a href={ticket.url} target="_blank" rel="noopener noreferrer">
            {visible(ticket.key)}
          </a>
        ) : (
          `Being made at ${tracker}`
        )}{" "}
        <span className="muted">
          {ticket.key !== "" && STATES[ticket.state]}
          {ticket.lastSyncedAt && (
            <>
              , looked at <When at={ticket.lastSyncedAt} />
            </>
          )}
        </span>
      </p>
      {ticket.problem && <p className={styles.said}>{visible(ticket.problem)}</p>}
    </li>
  );
}

function Make({ issue, tracker }: { issue: IssueDetail; tracker: string }) {
  const client = useQueryClient();
  const [url, setUrl] = useState("");
  const { pending, error, send } = useSend();
  const make = (event: FormEvent) => {
    event.preventDefault();
    send(async () => {
      try {
        const body = url.trim() === "" ? {} : { url: url.trim() };
        await bodyOf(api.POST("/api/issues/{id}/tickets", { params: { path: { id: issue.id } }, body }));
        setUrl("");
      } finally {
        await client.invalidateQueries(issueNow(issue.id));
      }
    });
  };
  const rest = problemElsewhere(error, ["url"]);
  return (
    <form className={form.form} onSubmit={make}>
      <Field
        label="Ticket that is there already"
        name="url"
        hint={`Its address, to link it; empty makes one at ${tracker}.`}
        error={problemAt(error, "url")}
      >
        {(control) => (
          <input
            {...control}
            type="url"
            maxLength={500}
            autoComplete="off"
            value={url}
            onChange={({ target }) => setUrl(target.value)}
          />
        )}
      </Field>
      {rest && <ErrorPanel error={rest} what="There is no ticket yet." />}
      <div className={form.actions}>
        <Button type="submit" disabled={pending || (url.trim() === "" && !waits(issue.state))}>
          {url.trim() === "" ? "Create a ticket" : "Link the ticket"}
        </Button>
      </div>
    </form>
  );
}
