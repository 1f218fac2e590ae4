import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { api, bodyOf, deletion } from "../../api/client";
import { asProblem } from "../../api/errors";
import thresholds from "../../api/openapi.json?thresholds";
import type { components } from "../../api/schema";
import type { Account } from "../../api/types";
import { listOf, problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { typedSince } from "../../lib/typedSince";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { useTyped } from "../../ui/AskBeforeLeaving";
import { At } from "../../ui/At";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Confirm";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { Needs } from "../session/Needs";
import { useMay } from "../session/queries";
import { afterRunOf, policyValue, policyWord } from "./AccountForm";
import { AfterRunFields } from "./AfterRunFields";
import { Permissions } from "./Permissions";
import { accountOf, accountsQuery } from "./queries";
import { tokenWords } from "./token";

const route = getRouteApi("/a/$a/settings");

type Patch = components["schemas"]["PatchAccountInputBody"];

export function AccountSettingsPage() {
  const { a } = route.useParams();
  const accounts = useQuery(accountsQuery);
  const account = accountOf(accounts.data, a);
  return (
    <>
      <title>{`Settings · ${visible(account?.name ?? a)} · Edgeposture`}</title>
      <PageHead title="Account settings">{account && visible(account.name)}</PageHead>
      <QueryStatus query={accounts} of="account" rows={4} tall />
      {accounts.isSuccess && !account && (
        <Empty title="This account is not registered" action={<Link to="/">All accounts</Link>}>
          There is no account <code>{visible(a)}</code> on this service.
        </Empty>
      )}
      {account && (
        <>
          <Needs atLeast="operator" where={account.id} what="Changing the settings" />
          <Scope account={account} />
          <Token account={account} />
          <Permissions account={account.id} />
          <After account={account} />
          <Thresholds account={account} />
          <Removal account={account} />
        </>
      )}
    </>
  );
}

interface PartProps {
  account: Account;
  title: string;
  action: string;
  fields: readonly string[];
  read: (values: FormData) => Patch;
  onSaved?: (saved: Account) => void;
  onRefused?: () => void;
  aside?: ReactNode;
  disabled?: boolean;
  children: (problem: (name: string) => string | undefined) => ReactNode;
}

/** One part of the settings, saved by itself. */
function Part({
  account,
  title,
  action,
  fields,
  read,
  onSaved,
  onRefused,
  aside,
  disabled = false,
  children,
}: PartProps) {
  const client = useQueryClient();
  const { pending, error, send } = useSend();
  const [saved, setSaved] = useState(false);
  const typed = useTyped();
  const may = useMay();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const body = read(new FormData(event.currentTarget));
    // A secret leaves the page with its request.
    for (const field of event.currentTarget.querySelectorAll<HTMLInputElement>('input[type="password"]'))
      field.value = "";
    setSaved(false);
    send(async () => {
      try {
        const there = await bodyOf(api.PATCH("/api/accounts/{id}", { params: { path: { id: account.id } }, body }));
        setSaved(true);
        typed.saved();
        onSaved?.(there);
      } catch (failed) {
        if (asProblem(failed).status === 409) onRefused?.();
        throw failed;
      } finally {
        await client.invalidateQueries({ queryKey: ["accounts"] });
      }
    });
  };
  const changed = () => {
    setSaved(false);
    // While nothing can be saved it is only chosen what is shown.
    if (!disabled) typed.onChange();
  };
  const rest = problemElsewhere(error, fields);
  return (
    <Panel title={title} aside={aside}>
      <form className={form.form} onSubmit={submit} onChange={changed} autoComplete="off">
        <fieldset className={form.form} disabled={!may("operator", account.id)}>
          {children((name) => problemAt(error, name))}
        </fieldset>
        {rest && <ErrorPanel error={rest} what="Nothing was changed." />}
        <div className={form.actions}>
          <Button type="submit" look="primary" disabled={pending || disabled || !may("operator", account.id)}>
            {action}
          </Button>
          <span role="status">{saved && "Saved."}</span>
        </div>
        {typed.asks}
      </form>
    </Panel>
  );
}

const SCOPE = ["name", "zones", "excludeZones", "labels"] as const;

const scopeOf = ({ name, zones, excludeZones, labels }: Account) => ({
  name,
  zones: zones.join(", "),
  excludeZones: excludeZones.join(", "),
  labels: labels.join(", "),
});

/**
 * What is not typed over is shown as it is now and not sent, so that it stays as others changed it meanwhile. What they
 * saved of what is typed over is said, and where it was not read yet the service refuses.
 */
function Scope({ account }: { account: Account }) {
  const [draft, setDraft] = useState<Partial<Record<(typeof SCOPE)[number], string>>>({});
  const [began, setBegan] = useState<Account>();
  // What is about all accounts is left to those who look after all, and not sent by others.
  const may = useMay();
  const own = !may("operator", "all");
  const labelled = may("administrator", "all"); // labels give people roles
  const is = scopeOf(account);
  const was = scopeOf(began ?? account);
  const edit = (name: (typeof SCOPE)[number]) => ({
    value: draft[name] ?? is[name],
    onChange: ({ target }: { target: { value: string } }) => {
      setDraft((before) => ({ ...before, [name]: target.value }));
      setBegan((before) => before ?? account);
    },
  });
  const theirs = (name: (typeof SCOPE)[number]) =>
    draft[name] === undefined || was[name] === is[name] || draft[name] === is[name]
      ? undefined
      : `Somebody else saved: ${visible(is[name]) || "nothing"}. Saving replaces it.`;
  return (
    <Part
      account={account}
      title="Name and scope"
      action="Save name and scope"
      fields={["name", "zones", "excludeZones", "labels", "default"]}
      read={(values) => ({
        ...Object.fromEntries(
          SCOPE.flatMap((name) => {
            const typed = draft[name];
            if (typed === undefined || typed === is[name]) return [];
            return [[name, name === "name" ? typed.trim() : listOf(typed)]];
          }),
        ),
        ...(values.has("default") && { default: true }),
        updatedAt: account.updatedAt,
      })}
      onSaved={() => {
        setDraft((later) => typedSince(later, draft));
        setBegan(undefined);
      }}
    >
      {(problem) => (
        <>
          <div className={form.grid}>
            <Field label="Name" name="name" hint={theirs("name")} error={problem("name")}>
              {(control) => (
                <input {...control} required disabled={own} maxLength={200} autoComplete="off" {...edit("name")} />
              )}
            </Field>
            <Field
              label="Zones"
              name="zones"
              hint={theirs("zones") ?? "Comma-separated. All zones when empty."}
              error={problem("zones")}
            >
              {(control) => <input {...control} autoComplete="off" spellCheck={false} {...edit("zones")} />}
            </Field>
            <Field
              label="Excluded zones"
              name="excludeZones"
              hint={theirs("excludeZones")}
              error={problem("excludeZones")}
            >
              {(control) => <input {...control} autoComplete="off" spellCheck={false} {...edit("excludeZones")} />}
            </Field>
            <Field
              label="Labels"
              name="labels"
              hint={theirs("labels") ?? "Comma-separated, such as production. Roles can be limited to a label."}
              error={problem("labels")}
            >
              {(control) => (
                <input {...control} disabled={!labelled} autoComplete="off" spellCheck={false} {...edit("labels")} />
              )}
            </Field>
          </div>
          {account.default ? (
            <p className={form.hint}>Default account: used when a run does not name one.</p>
          ) : (
            <label className={form.check}>
              <input type="checkbox" name="default" disabled={own} /> Make it the default account
            </label>
          )}
        </>
      )}
    </Part>
  );
}

function Token({ account }: { account: Account }) {
  const words = account.tokenInfo && tokenWords(account.tokenInfo);
  return (
    <Part
      account={account}
      title="Token"
      action="Replace the token"
      fields={["token"]}
      disabled={account.demo}
      aside={
        <span className={form.hint}>
          {words ? `${words.status}${words.expiry ? `, ${words.expiry}` : ""}` : "not used by a run yet"}
          {account.tokenInfo?.expiresOn && (
            <>
              {" "}
              (<At at={account.tokenInfo.expiresOn} />)
            </>
          )}
        </span>
      }
      read={(values) => ({ token: String(values.get("token") ?? "").trim() })}
    >
      {(problem) => (
        <>
          {account.tokenWarning && <Banner title="Token:">{visible(account.tokenWarning)}</Banner>}
          {account.demo ? (
            <p>The demo account has no token to replace.</p>
          ) : (
            <Field
              label="New token"
              name="token"
              hint="Of the same Cloudflare account. Stored encrypted and never shown again."
              error={problem("token")}
            >
              {(control) => <input {...control} type="password" autoComplete="off" required />}
            </Field>
          )}
        </>
      )}
    </Part>
  );
}

/** The account as a part of it is shown and changed; what others change of that part meanwhile is a conflict, and is shown then. */
function useRead(account: Account, part: (of: Account) => unknown) {
  const [read, setRead] = useState(account);
  const [refused, setRefused] = useState(false);
  const same = JSON.stringify(part(account)) === JSON.stringify(part(read));
  if (account.updatedAt !== read.updatedAt && (refused || same)) {
    setRead(account);
    setRefused(false);
  }
  return { read, onSaved: setRead, onRefused: () => setRefused(true) };
}

function After({ account }: { account: Account }) {
  const { read, ...answers } = useRead(account, ({ afterRun }) => afterRun);
  return (
    <Part
      account={account}
      title="After each run"
      action="Save what happens after each run"
      fields={["afterRun"]}
      read={(values) => ({ afterRun: afterRunOf(values), updatedAt: read.updatedAt })}
      {...answers}
    >
      {() => (
        <>
          <AfterRunFields key={JSON.stringify(read.afterRun)} value={read.afterRun} />
          <p className={form.hint}>
            Addresses and credentials are in the <Link to="/settings">settings of the service</Link>.
          </p>
        </>
      )}
    </Part>
  );
}

type Policy = Record<string, number | boolean | string | string[]>;

/** One threshold at a time: there are some sixty, and most stay as they are. */
function Thresholds({ account }: { account: Account }) {
  const [name, setName] = useState("");
  const { read, ...answers } = useRead(account, ({ policy }) => (policy as Policy)[name]);
  const policy = read.policy as Policy;
  const names = Object.keys(policy).sort();
  const value = policy[name];
  const written = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  return (
    <Part
      account={account}
      title="Thresholds of the checks"
      action="Save the threshold"
      fields={[]}
      disabled={value === undefined}
      aside={<span className={form.hint}>{read.changed.length} differ from the defaults</span>}
      read={(values) => {
        const { updatedAt } = read;
        if (values.has("reset") || value === undefined) return { policy: { [name]: null }, updatedAt };
        const typed = String(values.get("value") ?? "");
        // null would give the default back, so what cannot be read goes out as it is and is refused.
        return { policy: { [name]: policyValue(value, typed) ?? typed }, updatedAt };
      }}
      {...answers}
    >
      {() => (
        <>
          {read.changed.length > 0 && (
            <dl className={form.facts}>
              {read.changed.map((changed) => (
                <div key={changed} style={{ display: "contents" }}>
                  <dt>{policyWord(changed)}</dt>
                  <dd>{visible(String(policy[changed]))}</dd>
                </div>
              ))}
            </dl>
          )}
          <div className={form.grid}>
            <Field label="Threshold" name="name" hint={thresholds[name]}>
              {(control) => (
                <select {...control} value={name} onChange={({ target }) => setName(target.value)}>
                  <option value="">Choose one</option>
                  {names.map((each) => (
                    <option key={each} value={each}>
                      {policyWord(each)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            {value !== undefined && (
              <Field key={`${name} ${written}`} label="Value" name="value">
                {(control) =>
                  typeof value === "boolean" ? (
                    <select {...control} defaultValue={written}>
                      <option value="true">yes</option>
                      <option value="false">no</option>
                    </select>
                  ) : (
                    <input
                      {...control}
                      autoComplete="off"
                      spellCheck={false}
                      defaultValue={written}
                      {...(typeof value === "number" && { type: "number", min: 0, required: true })}
                    />
                  )
                }
              </Field>
            )}
          </div>
          {read.changed.includes(name) && (
            <label className={form.check}>
              <input type="checkbox" name="reset" /> Give the default back
            </label>
          )}
        </>
      )}
    </Part>
  );
}

function Removal({ account }: { account: Account }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const may = useMay();
  const { pending, error, send } = useSend();
  return (
    <Panel title="Delete">
      <p>
        Erases the token and the schedules of {visible(account.name)} and stops its jobs. Its assessments stay. This
        cannot be taken back.
      </p>
      <div className={form.actions}>
        <Button onClick={() => setOpen(true)} disabled={!may("operator", account.id)}>
          Delete the account…
        </Button>
      </div>
      {open && (
        <Confirm
          title={`Delete ${visible(account.name)}?`}
          action="Delete the account"
          typed={account.name}
          pending={pending}
          error={error}
          onClose={() => setOpen(false)}
          onConfirm={() =>
            send(async () => {
              await deletion(api.DELETE("/api/accounts/{id}", { params: { path: { id: account.id } } }));
              await navigate({ to: "/" });
              await client.invalidateQueries({ queryKey: ["accounts"] });
            })
          }
        >
          Its token and its schedules are erased. Type the name to go on.
        </Confirm>
      )}
    </Panel>
  );
}
