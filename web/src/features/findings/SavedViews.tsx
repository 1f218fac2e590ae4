import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import form from "../../ui/Form.module.css";
import { keepViews, loadViews, type SavedView, viewQuery, viewSearch, withView } from "./savedViews";
import type { FindingsSearch } from "./search";

const storage = () => window.localStorage;

/** Names for addresses of this page, kept by this browser alone. */
export function SavedViews({ search }: { search: FindingsSearch }) {
  const [views, setViews] = useState(() => loadViews(storage));
  const [name, setName] = useState("");
  const [said, setSaid] = useState("");
  const keep = (next: SavedView[], done: string) => {
    setViews(next);
    setSaid(
      keepViews(storage, next)
        ? done
        : "This browser keeps nothing, so it is gone with the page; a bookmark does the same.",
    );
  };
  return (
    <details className={form.details}>
      <summary>Saved views{views.length > 0 && ` (${views.length})`}</summary>
      {views.length > 0 ? (
        <ul aria-label="Saved views">
          {views.map((view) => (
            <li key={view.name} className={form.actions}>
              <Link from="/a/$a/r/$r/findings" to="." search={viewSearch(view)}>
                {visible(view.name)}
              </Link>
              <Button
                look="quiet"
                aria-label={`Delete the view ${visible(view.name)}`}
                onClick={() =>
                  keep(
                    views.filter((other) => other !== view),
                    "Deleted.",
                  )
                }
              >
                Delete
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <p className={form.hint}>None yet. A view keeps the filters and the grouping of this page under a name.</p>
      )}
      <form
        className={form.actions}
        onSubmit={(event) => {
          event.preventDefault();
          const next = withView(views, { name, query: viewQuery(search) });
          keep(next, `Saved; ${plural(next.length, "view")} in all.`);
          setName("");
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
        <Button type="submit">Save this view</Button>
        <span role="status">{said}</span>
      </form>
    </details>
  );
}
