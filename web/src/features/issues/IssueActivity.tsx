import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { IssueDetail, IssueEvent } from "../../api/types";
import { problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { useSend } from "../../lib/useSend";
import { visible, visibleLines } from "../../lib/visible";
import { AskBeforeLeaving } from "../../ui/AskBeforeLeaving";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { When } from "../../ui/When";
import styles from "./IssueWork.module.css";
import { issueNow } from "./queries";
import { actorWord, happened } from "./words";

/** What happened to an issue and what people said of it, newest first. */
export function IssueActivity({ issue, able }: { issue: IssueDetail; able: boolean }) {
  return (
    <Panel title="Activity">
      {able && <Say id={issue.id} />}
      {issue.activity.length === 0 && <p className="muted">Nothing yet.</p>}
      <ol className={styles.activity} aria-label="Activity, newest first">
        {issue.activity.map((event) => (
          <Entry key={event.id} event={event} />
        ))}
      </ol>
    </Panel>
  );
}

function Entry({ event }: { event: IssueEvent }) {
  return (
    <li>
      <p>
        {actorWord(event.actor)} {visible(happened(event))}{" "}
        <span className="muted">
          <When at={event.at} />
        </span>
      </p>
      {event.text && <p className={styles.said}>{visibleLines(event.text)}</p>}
    </li>
  );
}

function Say({ id }: { id: string }) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const { pending, error, send } = useSend();
  const say = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "") return;
    send(async () => {
      await bodyOf(api.POST("/api/issues/{id}/comments", { params: { path: { id } }, body: { text } }));
      // What was typed since is another comment.
      setText((now) => (now === text ? "" : now));
      await client.invalidateQueries(issueNow(id));
    });
  };
  const rest = problemElsewhere(error, ["text"]);
  return (
    <form className={form.form} onSubmit={say}>
      <Field label="Comment" name="text" error={problemAt(error, "text")}>
        {(control) => (
          <textarea
            {...control}
            rows={3}
            maxLength={10_000}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {rest && <ErrorPanel error={rest} what="The comment was not kept by the service. It is still here." />}
      <div className={form.actions}>
        <Button type="submit" disabled={pending || text.trim() === ""}>
          Add comment
        </Button>
      </div>
      <AskBeforeLeaving when={() => text.trim() !== ""}>The comment would be lost.</AskBeforeLeaving>
    </form>
  );
}
