import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, bodyOf } from "../../api/client";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { sessionQuery } from "./queries";
import { whoWord } from "./words";

/** Lets a command line act as the reader. What it asks with stands behind # in its link, which reaches no server and no log. */
export function CommandLinePage() {
  const [asked] = useState(() => new URLSearchParams(window.location.hash.slice(1)));
  const who = useQuery(sessionQuery);
  const { pending, error, send } = useSend();
  const [done, setDone] = useState(false);
  const secretHash = asked.get("hash") ?? "";
  const name = visible(asked.get("name") ?? "").slice(0, 200);
  const title = (
    <>
      <title>Sign in the command line · Edgeposture</title>
      <PageHead title="Sign in the command line" />
    </>
  );
  if (!/^[A-Za-z0-9_-]{43}$/.test(secretHash))
    return (
      <>
        {title}
        <Empty title="This link is incomplete">
          Run <code>edgeposture login</code> again and open the link that it shows.
        </Empty>
      </>
    );
  if (done)
    return (
      <>
        {title}
        <Empty title="The command line is signed in">You can close this page and go on in the terminal.</Empty>
      </>
    );
  const letIn = async () => {
    await bodyOf(api.POST("/api/sessions", { body: { secretHash, name } }));
    window.history.replaceState(window.history.state, "", window.location.pathname);
    setDone(true);
  };
  return (
    <>
      {title}
      <Panel title="Let a command line act as you?">
        <p>
          A command line on <strong>{name || "an unnamed machine"}</strong> asks to do what{" "}
          {who.data ? whoWord(who.data) : "you"} may do, for at most seven days. Its terminal must show this code:
        </p>
        <p>
          <code>
            {secretHash.slice(0, 4)} {secretHash.slice(4, 8)}
          </code>
        </p>
        <p>If you did not run edgeposture login just now, somebody else did: close this page.</p>
        {error !== undefined && <ErrorPanel error={error} what="The command line was not let in." />}
        <Button look="primary" disabled={pending} onClick={() => send(letIn)}>
          Let it in
        </Button>
      </Panel>
    </>
  );
}
