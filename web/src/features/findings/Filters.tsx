import { useEffect, useRef, useState } from "react";
import type { Assessment } from "../../api/types";
import { integer } from "../../lib/number";
import { LISTED, RESULTS, type Result, resultWord } from "../../lib/result";
import { SEVERITIES, type Severity, severityWord } from "../../lib/severity";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { SeverityShape } from "../../ui/Shape";
import styles from "./Filters.module.css";
import {
  type FindingsSearch,
  isFiltered,
  resultParam,
  resultsOf,
  severitiesOf,
  severityParam,
  toggled,
} from "./search";

interface Props {
  assessment: Assessment;
  search: FindingsSearch;
  counts: Record<string, number> | undefined;
  onChange: (part: FindingsSearch, replace?: boolean) => void;
}

export function Filters({ assessment, search, counts, onChange }: Props) {
  const results = resultsOf(search);
  const severities = severitiesOf(search);
  const toggleResult = (result: Result) => {
    const next = toggled(results, result);
    onChange({ result: resultParam(next.length === 0 ? LISTED : next) });
  };
  const toggleSeverity = (severity: Severity) => onChange({ severity: severityParam(toggled(severities, severity)) });
  const categories = [...new Set(assessment.checks.map((check) => check.category))].sort();
  const zones = [...new Set(assessment.zones.map((zone) => zone.name))].sort();

  return (
    <search className={styles.filters} aria-label="Filter the findings">
      <fieldset className={styles.group}>
        <legend className="visually-hidden">Result</legend>
        {RESULTS.map((result) => (
          <button
            key={result}
            type="button"
            className={styles.toggle}
            aria-pressed={results.includes(result)}
            onClick={() => toggleResult(result)}
          >
            {resultWord(result)}
            {counts && <span className={styles.count}>{integer(counts[result] ?? 0)}</span>}
          </button>
        ))}
        <button
          type="button"
          className={styles.toggle}
          aria-pressed={results.length === RESULTS.length}
          onClick={() => onChange({ result: results.length === RESULTS.length ? undefined : "all" })}
        >
          All results
        </button>
      </fieldset>
      <fieldset className={styles.group}>
        <legend className="visually-hidden">Severity</legend>
        {SEVERITIES.map((severity) => (
          <button
            key={severity}
            type="button"
            className={styles.toggle}
            aria-pressed={severities.includes(severity)}
            onClick={() => toggleSeverity(severity)}
          >
            <SeverityShape severity={severity} />
            {severityWord(severity)}
          </button>
        ))}
      </fieldset>
      <div className={styles.line}>
        <Choice
          name="Category"
          every="All categories"
          value={search.category}
          options={categories}
          onChange={(category) => onChange({ category })}
        />
        <Choice
          name="Zone"
          every="All zones"
          value={search.zone}
          options={zones}
          onChange={(zone) => onChange({ zone })}
        />
        <TextFilter value={search.q} onChange={(q) => onChange({ q }, true)} />
        {isFiltered(search) && (
          <Button
            look="quiet"
            onClick={() =>
              onChange({ result: undefined, severity: undefined, category: undefined, zone: undefined, q: undefined })
            }
          >
            Clear
          </Button>
        )}
      </div>
    </search>
  );
}

interface ChoiceProps {
  name: string;
  every: string;
  value: string | undefined;
  options: string[];
  onChange: (value: string | undefined) => void;
}

function Choice({ name, every, value, options, onChange }: ChoiceProps) {
  // A link may name something this assessment does not have; it must still be visible as the filter.
  const all = value === undefined || options.includes(value) ? options : [value, ...options];
  return (
    <select
      className={styles.choice}
      aria-label={name}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{every}</option>
      {all.map((option) => (
        <option key={option} value={option}>
          {visible(option)}
        </option>
      ))}
    </select>
  );
}

const TYPING = 250;

/** Follows the typing with a short delay, and the URL when that changes by itself. */
function TextFilter({ value, onChange }: { value: string | undefined; onChange: (value: string | undefined) => void }) {
  const [text, setText] = useState(value ?? "");
  const sent = useRef(value ?? "");
  const latest = useRef(onChange);
  latest.current = onChange;

  useEffect(() => {
    if ((value ?? "") === sent.current) return;
    sent.current = value ?? "";
    setText(value ?? "");
  }, [value]);

  useEffect(() => {
    const wanted = text.trim();
    if (wanted === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = wanted;
      latest.current(wanted || undefined);
    }, TYPING);
    return () => clearTimeout(timer);
  }, [text]);

  return (
    <input
      className={styles.text}
      type="search"
      aria-label="Text in message, resource or check"
      placeholder="Text in message, resource, check"
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
