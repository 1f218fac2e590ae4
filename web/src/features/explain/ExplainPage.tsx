import { getRouteApi } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import styles from "./Explain.module.css";
import { Explanation } from "./Explanation";
import { type ExplainSearch, explainSearch } from "./search";

const route = getRouteApi("/a/$a/r/$r/explain");

/** A box for an address, and what happens to a request to it. The address of the page holds all of it. */
export function ExplainPage() {
  const assessment = useAssessment();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const addresses = [search.url, search.other].filter((url) => url !== undefined);
  return (
    <>
      <RunTitle of={`Explain ${search.url ? visible(search.url) : "a URL"}`} />
      <p className={styles.lead}>
        What happens to a request on its way through Cloudflare, by what this assessment read. Nothing is sent anywhere.
      </p>
      <Request key={JSON.stringify(search)} search={search} onAsk={(next) => navigate({ search: next })} />
      {addresses.length === 0 ? (
        <Empty title="Enter an address of one of the zones">
          {assessment.zones[0] && (
            <>
              For example <code>{visible(assessment.zones[0].name)}/login</code>.
            </>
          )}
        </Empty>
      ) : (
        <div className={addresses.length > 1 ? styles.two : undefined}>
          {addresses.map((url) => (
            <Explanation key={url} url={url} search={search} from={route.id} />
          ))}
        </div>
      )}
    </>
  );
}

const DETAILS: [keyof ExplainSearch, string, string][] = [
  ["method", "Method", "GET when empty."],
  ["source", "Address of the visitor", "One address or a range, such as 203.0.113.0/24."],
  ["country", "Country of the visitor", "Two letters, such as DE."],
  ["agent", "User agent", "As the browser sends it."],
  ["header", "A request header", "As Name: value. Others are not sent, but for those of browsers."],
];

function Request({ search, onAsk }: { search: ExplainSearch; onAsk: (next: ExplainSearch) => void }) {
  const [compares, setCompares] = useState(search.other !== undefined);
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onAsk(explainSearch(Object.fromEntries(new FormData(event.currentTarget))));
  };
  return (
    <form className={form.form} onSubmit={ask} aria-label="Request">
      <div className={styles.ask}>
        <Address label="Address" name="url" hint="https unless it says http." value={search.url} required />
        {compares && (
          <Address label="Compare with" name="other" hint="The same request to another address." value={search.other} />
        )}
        <div className={form.actions}>
          <Button look="primary" type="submit">
            Explain
          </Button>
          {!compares && <Button onClick={() => setCompares(true)}>Compare two</Button>}
        </div>
      </div>
      <details className={form.details} open={DETAILS.some(([name]) => search[name] !== undefined)}>
        <summary>Who asks, and how</summary>
        <div className={form.grid}>
          {DETAILS.map(([name, label, hint]) => (
            <Field key={name} label={label} name={name} hint={hint}>
              {(control) => <input {...control} type="text" autoComplete="off" defaultValue={search[name]} />}
            </Field>
          ))}
        </div>
      </details>
    </form>
  );
}

interface AddressProps {
  label: string;
  name: "url" | "other";
  hint: string;
  value: string | undefined;
  required?: boolean;
}

function Address({ label, name, hint, value, required = false }: AddressProps) {
  return (
    <Field label={label} name={name} hint={hint}>
      {(control) => (
        <input
          {...control}
          type="text"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          required={required}
          defaultValue={value}
        />
      )}
    </Field>
  );
}
