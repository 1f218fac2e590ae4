import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { Proposed } from "../../api/types";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import { Effect } from "./Effect";
import { editableQuery } from "./queries";
import { METHODS, type WhatIfSearch, whatIfSearch } from "./search";
import styles from "./WhatIf.module.css";

const route = getRouteApi("/a/$a/r/$r/what-if");

/** A change of a setting, a record, a rule or a policy, and what would follow from it. The address of the page holds all of it. */
export function WhatIfPage() {
  const assessment = useAssessment();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = proposed(search);
  const zone = assessment.zones[0]?.id;
  return (
    <>
      <RunTitle of="What if" />
      <p className={styles.lead}>
        Try a change before you make it, on what this assessment read. Nothing is sent to Cloudflare.
      </p>
      {search.check && search.resource && !search.path ? (
        <Editing check={search.check} resource={search.resource} onTry={(next) => navigate({ search: next })} />
      ) : (
        <Call key={JSON.stringify(search)} search={search} onTry={(next) => navigate({ search: next })} />
      )}
      {change && <Effect changes={[change]} />}
      {!change && !search.check && (
        <Empty title="Enter a call of Cloudflare's API">
          {zone && (
            <>
              For example PATCH <code>/zones/{zone}/settings/ssl</code> with <code>{'{"value": "strict"}'}</code>. A
              finding fills in the call that closes it.
            </>
          )}
        </Empty>
      )}
    </>
  );
}

/** What a finding looks at, as it was read, to be edited. */
function Editing(props: { check: string; resource: string; onTry: (next: WhatIfSearch) => void }) {
  const { id } = useAssessment();
  const query = useQuery(editableQuery(id, props.check, props.resource));
  if (query.isPending) return <Skeleton label="Loading what the finding looks at" rows={6} />;
  if (query.isError) return <QueryError query={query} what="What the finding looks at could not be loaded." />;
  const calls = query.data.items.map(({ method, path, body }) => ({
    method,
    path,
    body: JSON.stringify(body, null, 2),
  }));
  const [first, ...others] = calls;
  return (
    <>
      {first === undefined && (
        <p>{props.check} looks at nothing that can be filled in here. Enter the call that you want to try.</p>
      )}
      <Call search={first ?? {}} onTry={props.onTry} />
      {others.length > 0 && (
        <>
          <p>The finding also looks at:</p>
          <ul className={styles.list}>
            {others.map((call) => (
              <li key={call.path}>
                <Link from="/a/$a/r/$r/what-if" to="." search={call}>
                  <code>{visible(call.path)}</code>
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function proposed({ method, path, body }: WhatIfSearch): Proposed | undefined {
  if (!method || !path) return undefined;
  const call = { method: METHODS.find((one) => one === method) ?? "PATCH", path };
  try {
    return body ? { ...call, body: JSON.parse(body) } : call;
  } catch {
    return undefined;
  }
}

function Call({ search, onTry }: { search: WhatIfSearch; onTry: (next: WhatIfSearch) => void }) {
  const [wrong, setWrong] = useState(search.body !== undefined && proposed(search) === undefined);
  const attempt = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const next = whatIfSearch(Object.fromEntries(new FormData(event.currentTarget)));
    const readable = proposed(next) !== undefined;
    setWrong(!readable);
    if (readable) onTry(next);
  };
  return (
    <form className={form.form} onSubmit={attempt} aria-label="Change">
      <div className={styles.call}>
        <Field label="Method" name="method">
          {(control) => (
            <select {...control} defaultValue={search.method ?? "PATCH"}>
              {METHODS.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Path" name="path" hint="Of Cloudflare's API, without its base address.">
          {(control) => (
            <input {...control} type="text" autoComplete="off" spellCheck={false} required defaultValue={search.path} />
          )}
        </Field>
      </div>
      <Field
        label="Body"
        name="body"
        hint="What the call sends, as JSON."
        error={wrong ? 'This is not JSON; write it as in {"value": "strict"}.' : undefined}
      >
        {(control) => <textarea {...control} rows={4} spellCheck={false} defaultValue={search.body} />}
      </Field>
      <div className={form.actions}>
        <Button look="primary" type="submit">
          See what follows
        </Button>
      </div>
    </form>
  );
}
