import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { Account } from "../../api/types";
import { listOf, problemAt, problemElsewhere } from "../../lib/fieldProblem";
import { useSend } from "../../lib/useSend";
import { visible } from "../../lib/visible";
import { useTyped } from "../../ui/AskBeforeLeaving";
import { Button } from "../../ui/Button";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { Needs } from "../session/Needs";
import { useMay } from "../session/queries";
import { FirstSteps } from "./FirstSteps";
import { Permissions } from "./Permissions";
import { NewToken } from "./TokenForm";

const FIELDS = ["name", "token", "accountId", "zones", "excludeZones"];

/** Registers an account. The token goes out in the body alone, and stays here only where something else was refused. */
export function NewAccountPage() {
  const client = useQueryClient();
  const may = useMay();
  const { pending, error, send } = useSend();
  const typed = useTyped();
  const [made, setMade] = useState<Account>();
  const [missing, setMissing] = useState<Record<string, string>>({});
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const tokenField = event.currentTarget.querySelector<HTMLInputElement>('input[name="token"]');
    const [name, token, accountId] = [text("name"), text("token"), text("accountId")];
    const lacks = { ...(!name && { name: "Enter a name." }), ...(!token && { token: "Enter the token." }) };
    setMissing(lacks);
    if (Object.keys(lacks).length > 0) return;
    send(async () => {
      const [zones, excludeZones] = [listOf(text("zones")), listOf(text("excludeZones"))];
      const body = {
        name,
        token,
        ...(accountId && { accountId }),
        ...(zones.length > 0 && { zones }),
        ...(excludeZones.length > 0 && { excludeZones }),
        ...(values.has("unverified") && { verify: false }),
      };
      try {
        setMade(await bodyOf(api.POST("/api/accounts", { body })));
        typed.saved();
      } catch (failed) {
        if (tokenField && problemAt(failed, "token")) tokenField.value = "";
        throw failed;
      }
      await client.invalidateQueries({ queryKey: ["accounts"] });
    });
  };
  const problem = (name: string) => missing[name] ?? problemAt(error, name);
  const rest = problemElsewhere(error, FIELDS);
  return (
    <>
      <title>Add an account · Edgeposture</title>
      <PageHead title="Add an account">Reading an account changes nothing in it.</PageHead>
      <Needs atLeast="operator" where="all" what="Adding an account" />
      {made ? (
        <>
          <FirstSteps title={`${visible(made.name)} is registered`} account={made} run="none" />
          <Permissions account={made.id} atOnce />
        </>
      ) : (
        may("operator", "all") && (
          <>
            <NewToken />
            <Panel title="Account">
              <form className={form.form} onSubmit={submit} onChange={typed.onChange} autoComplete="off">
                <div className={form.grid}>
                  <Field label="Name" name="name" hint="What the account is called here." error={problem("name")}>
                    {(control) => <input {...control} maxLength={200} autoComplete="off" />}
                  </Field>
                  <Field
                    label="API token"
                    name="token"
                    hint="Stored encrypted and never shown again."
                    error={problem("token")}
                  >
                    {(control) => <input {...control} type="password" autoComplete="off" />}
                  </Field>
                  <Field
                    label="Cloudflare account id (optional)"
                    name="accountId"
                    hint="Needed when the token sees several accounts."
                    error={problem("accountId")}
                  >
                    {(control) => <input {...control} maxLength={64} autoComplete="off" spellCheck={false} />}
                  </Field>
                  <Field
                    label="Zones (optional)"
                    name="zones"
                    hint="Names or patterns such as *.example, with commas. All zones when empty."
                    error={problem("zones")}
                  >
                    {(control) => <input {...control} autoComplete="off" spellCheck={false} />}
                  </Field>
                  <Field label="Excluded zones (optional)" name="excludeZones" error={problem("excludeZones")}>
                    {(control) => <input {...control} autoComplete="off" spellCheck={false} />}
                  </Field>
                </div>
                <label className={form.check}>
                  <input type="checkbox" name="unverified" />
                  Keep the token without asking Cloudflare whether it works
                </label>
                {rest && <ErrorPanel error={rest} what="The account was not registered." />}
                <div className={form.actions}>
                  <Button type="submit" look="primary" disabled={pending}>
                    {pending ? "Verifying the token…" : "Register the account"}
                  </Button>
                  <Link to="/" ignoreBlocker>
                    Cancel
                  </Link>
                </div>
                {typed.asks}
              </form>
            </Panel>
          </>
        )
      )}
    </>
  );
}
