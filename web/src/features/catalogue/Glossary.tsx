import { Panel } from "../../ui/Panel";
import styles from "./Catalogue.module.css";

const WORDS: readonly (readonly [string, string])[] = [
  [
    "Assessment, run",
    "One reading of an account with everything that was judged from it. It is kept and never changes.",
  ],
  ["Finding", "What one check says of one resource. It keeps its id from run to run."],
  ["Issue", "A check with every resource it finds wrong in an account: what somebody sets out to close."],
  ["Fail and warning", "A fail is wrong as it stands. A warning is wrong in some cases, or becomes wrong soon."],
  [
    "Not assessed",
    "What the judgement needs could not be read. It is neither good nor bad, and the finding says what is missing.",
  ],
  ["Not applicable", "The resource has no use for the check, or its plan does not offer the product."],
  ["Severity", "What somebody on the internet gets out of it. It follows from what was found, so a check has several."],
  ["Attack path", "A way from the internet to something that should not be reached, step by step over what was read."],
  ["Choke point", "One change that breaks several attack paths by itself."],
  [
    "Score and grade",
    "How much of what counts is in order, from 0 to 100. A critical finding holds the grade down and is named.",
  ],
  ["Coverage", "How much of what counts could be judged. Below 80 % there is no grade."],
  [
    "Accepted risk",
    "A finding that somebody answers for, with a reason and an end. It stays in sight and in the score, and asks nobody for work.",
  ],
  [
    "Effort",
    "Planned fix: the service plans the change and applies it when you agree; a plan may ask for a value or refuse it. Settings to copy: a call or Terraform. Work by hand: neither is enough.",
  ],
  ["Plan", "The changes that would close findings, with the values before and after. A plan changes nothing."],
];

/** The words of the pages, in the order in which one meets them. */
export function Glossary() {
  return (
    <Panel title="What the words mean">
      <dl className={styles.facts}>
        {WORDS.map(([word, meaning]) => (
          <div key={word} className={styles.word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
