import { integer } from "../../lib/number";
import { LISTED, RESULTS, type Result, resultWord } from "../../lib/result";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { SeverityShape } from "../../ui/Shape";
import styles from "./Filters.module.css";
import { type Filters, resultParam, resultsOf, severitiesOf, severityParam, toggled } from "./search";

interface Props {
  search: Filters;
  /** How many each value would list; undefined while that is not known. */
  counts?: Record<string, number> | undefined;
  onChange: (part: Filters) => void;
}

export function ResultToggles({ search, counts, onChange }: Props) {
  const results = resultsOf(search);
  const toggle = (result: Result) => {
    const next = toggled(results, result);
    onChange({ result: resultParam(next.length === 0 ? LISTED : next) });
  };
  return (
    <fieldset className={styles.group}>
      <legend className="visually-hidden">Result</legend>
      {RESULTS.map((result) => (
        <button
          key={result}
          type="button"
          className={styles.toggle}
          aria-pressed={results.includes(result)}
          onClick={() => toggle(result)}
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
  );
}

export function SeverityToggles({ search, counts, onChange }: Props) {
  const severities = severitiesOf(search);
  return (
    <fieldset className={styles.group}>
      <legend className="visually-hidden">Severity</legend>
      {SEVERITIES.map((severity) => (
        <button
          key={severity}
          type="button"
          className={styles.toggle}
          aria-pressed={severities.includes(severity)}
          onClick={() => onChange({ severity: severityParam(toggled(severities, severity)) })}
        >
          <SeverityShape severity={severity} />
          {severityWord(severity)}
          {counts && <span className={styles.count}>{integer(counts[severity] ?? 0)}</span>}
        </button>
      ))}
    </fieldset>
  );
}
