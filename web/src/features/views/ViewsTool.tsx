import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Bookmark, Trash2 } from "lucide-react";
import { useState } from "react";
import { api, bodyOf, deletion } from "../../api/client";
import { asProblem } from "../../api/errors";
import type { View } from "../../api/types";
import { plural } from "../../lib/number";
import { parseSearch } from "../../lib/url";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { QueryStatus } from "../../ui/QueryStatus";
import { ToolPanel } from "../../ui/ToolMenu";
import { useMay } from "../session/queries";
import { type KeptView, keptViews, moveViews, renamed } from "./kept";
import { viewsQuery } from "./queries";

interface Props {
  page: View["page"];
  /** What the address has behind its question mark now. */
  query: string;
  /** A query is as foreign as any address. */
  parse: (raw: Record<string, unknown>) => object;
}

/** Names for addresses of this page, for everybody who uses the service. */
export function ViewsTool(props: Props) {
  return (
    <ToolPanel label="Views" icon={<Bookmark aria-hidden />} panel={(close) => <Views {...props} onClose={close} />} />
  );
}

const storage = () => window.localStorage;

function Views({ page, query, parse, onClose }: Props & { onClose: () => void }) {
  const client = useQueryClient();
  const mayKeep = useMay()("analyst", "some");
  const views = useQuery(viewsQuery);
  const { pending, error, send } = useSend();
  const [name, setName] = useState("");
  const [said, setSaid] = useState("");
  const [kept, setKept] = useState(() => (page === "findings" ? keptViews(storage) : []));
  const mine = views.data?.filter((view) => view.page === page) ?? [];
  const change = (work: () => Promise<unknown>, done: string) =>
    send(async () => {
      setSaid("");
      try {
        await work();
        setSaid(done);
      } finally {
        setKept(page === "findings" ? keptViews(storage) : []);
        await client.invalidateQueries({ queryKey: viewsQuery.queryKey });
      }
    });
  const add = (view: KeptView) => bodyOf(api.POST("/api/views", { body: { ...view, page } }));
  return (
    <>
      <QueryStatus query={views} of="views" rows={3} />
      {mine.length > 0 && (
        <ul aria-label="Saved views">
          {mine.map((view) => (
            <li key={view.id}>
              <Link
                to="."
                search={parse(parseSearch(view.query)) as never}
                aria-current={view.query === query ? "true" : undefined}
                onClick={onClose}
              >
                {visible(view.name)}
                {mine.filter(({ name }) => name === view.name).length > 1 && view.madeBy && (
                  <small> {visible(view.madeBy)}</small>
                )}
              </Link>
              {mayKeep && (
                <Button
                  look="quiet"
                  disabled={pending}
                  aria-label={`Delete the view ${visible(view.name)}`}
                  title="Delete for everybody"
                  onClick={() =>
                    change(
                      () => deletion(api.DELETE("/api/views/{id}", { params: { path: { id: view.id } } })),
                      "Deleted for everybody.",
                    )
                  }
                >
                  <Trash2 aria-hidden width={14} height={14} />
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {views.isSuccess && mine.length === 0 && (
        <p className={form.hint}>None yet. A view keeps the filters, the order and the columns under a name.</p>
      )}
      {mayKeep && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            change(async () => {
              await add({ name: name.trim(), query });
              setName((now) => (now === name ? "" : now));
            }, "Saved for everybody.");
          }}
        >
          <input
            aria-label="Name of the view"
            placeholder="Name of the view"
            required
            pattern=".*\S.*"
            maxLength={60}
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Button type="submit" disabled={pending}>
            Save this view
          </Button>
        </form>
      )}
      {mayKeep && kept.length > 0 && (
        <>
          <p className={form.hint}>Only this browser has {plural(kept.length, "more view", "more views")}.</p>
          <Button
            disabled={pending}
            onClick={() =>
              change(() => moveViews(storage, (view) => free(add, view)), "Moved; everybody has them now.")
            }
          >
            Share with everybody
          </Button>
        </>
      )}
      <p role="status" className={said ? form.hint : "visually-hidden"}>
        {said}
      </p>
      {error !== undefined && <ErrorPanel error={error} what="The views were not changed." />}
    </>
  );
}

/** Sends a view under the first name that is free. */
async function free(add: (view: KeptView) => Promise<unknown>, view: KeptView): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      await add(n === 1 ? view : { ...view, name: renamed(view.name, n) });
      return;
    } catch (error) {
      if (asProblem(error).status !== 409 || n >= 9) throw error;
    }
  }
}
