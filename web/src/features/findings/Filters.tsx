import type { Facets } from "../../api/types";
import { Button } from "../../ui/Button";
import { Choice } from "./Choice";
import styles from "./Filters.module.css";
import { QueryBox } from "./QueryBox";
import type { Vocabulary } from "./query";
import { type Filters as Chosen, isFiltered, NO_FILTER, STATUSES } from "./search";
import { ResultToggles, SeverityToggles } from "./Toggles";

interface Props {
  search: Chosen;
  vocabulary: Vocabulary;
  /** How many each value would list; undefined while that is not known. */
  facets: Facets | undefined;
  onChange: (part: Chosen, replace?: boolean) => void;
}

const REMEDIABLE: Record<string, string> = { yes: "The service can fix it", no: "Fixed by hand" };
const EXCEPTION: Record<string, string> = { only: "Accepted in the run", hidden: "Not accepted in the run" };
const word = (words: Record<string, string>) => (option: string) => words[option] ?? option;

export function Filters({ search, vocabulary, facets, onChange }: Props) {
  const categories =
    vocabulary.categories.length > 0 ? vocabulary.categories : Object.keys(facets?.category ?? {}).sort();
  const zones = [...vocabulary.zones, ...(facets?.zone["(none)"] ? ["(none)"] : [])];

  return (
    <search className={styles.filters} aria-label="Filter the findings">
      <ResultToggles search={search} counts={facets?.result} onChange={onChange} />
      <SeverityToggles search={search} counts={facets?.severity} onChange={onChange} />
      <div className={styles.line}>
        <Choice
          name="Category"
          every="All categories"
          value={search.category}
          options={categories}
          counts={facets?.category}
          onChange={(category) => onChange({ category })}
        />
        <Choice
          name="Zone"
          every="All zones"
          value={search.zone}
          options={zones}
          counts={facets?.zone}
          word={(zone) => (zone === "(none)" ? "In no zone" : zone)}
          onChange={(zone) => onChange({ zone })}
        />
        <Choice
          name="State"
          every="All states"
          value={search.status}
          options={STATUSES}
          counts={facets?.status}
          onChange={(status) => onChange({ status })}
        />
        <Choice
          name="Remedy"
          every="With and without a remedy"
          value={search.remediable}
          options={Object.keys(REMEDIABLE)}
          counts={facets?.remediable}
          word={word(REMEDIABLE)}
          onChange={(remediable) => onChange({ remediable: remediable as Chosen["remediable"] })}
        />
        <Choice
          name="Accepted"
          every="Accepted or not"
          value={search.exception}
          options={Object.keys(EXCEPTION)}
          counts={facets?.exception}
          word={word(EXCEPTION)}
          onChange={(exception) => onChange({ exception: exception as Chosen["exception"] })}
        />
      </div>
      <div className={styles.line}>
        <QueryBox value={search} vocabulary={vocabulary} onChange={(filters) => onChange(filters, true)} />
        {isFiltered(search) && (
          <Button look="quiet" onClick={() => onChange(NO_FILTER)}>
            Clear
          </Button>
        )}
      </div>
    </search>
  );
}
