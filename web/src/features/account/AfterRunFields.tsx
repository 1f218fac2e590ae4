import type { AfterRun } from "../../api/types";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { Field } from "../../ui/Field";
import form from "../../ui/Form.module.css";
import { CHANNELS, SHIP, WHEN } from "./AccountForm";

const SHIP_WORDS = {
  search: "Elasticsearch or OpenSearch",
  collector: "Splunk",
  all: "Elasticsearch or OpenSearch, and Splunk",
  file: "Files on this service",
  securityhub: "AWS Security Hub",
};
const WHEN_WORDS = {
  always: "After each run",
  changed: "When something has changed",
  worse: "When something is new or regressed",
};

/** The fields of what follows a run; afterRunOf reads them. */
export function AfterRunFields({ value = {} }: { value?: AfterRun | undefined }) {
  return (
    <>
      <div className={form.grid}>
        <Field label="Ship to" name="ship">
          {(control) => (
            <select {...control} defaultValue={value.ship ?? ""}>
              <option value="">Nowhere</option>
              {SHIP.map((target) => (
                <option key={target} value={target}>
                  {SHIP_WORDS[target]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="When" name="when">
          {(control) => (
            <select {...control} defaultValue={value.when ?? "always"}>
              {WHEN.map((word) => (
                <option key={word} value={word}>
                  {WHEN_WORDS[word]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Notify from severity" name="threshold">
          {(control) => (
            <select {...control} defaultValue={value.threshold ?? ""}>
              <option value="">Always</option>
              {SEVERITIES.map((severity) => (
                <option key={severity} value={severity}>
                  {severityWord(severity)}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <fieldset className={form.actions}>
        <legend className="visually-hidden">Notify</legend>
        {CHANNELS.map(({ id, name }) => (
          <label key={id} className={form.check}>
            <input type="checkbox" name="notify" value={id} defaultChecked={value.notify?.includes(id) ?? false} />
            Notify: {name}
          </label>
        ))}
        <label className={form.check}>
          <input type="checkbox" name="onlyChanges" defaultChecked={value.onlyChanges ?? false} />
          Ship changes only
        </label>
      </fieldset>
    </>
  );
}
