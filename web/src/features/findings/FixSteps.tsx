import type { Finding } from "../../api/types";
import { stepWord } from "../../lib/step";
import { visible, visibleLines } from "../../lib/visible";
import { CopyButton } from "../../ui/CopyButton";
import styles from "./FindingDrawer.module.css";

/** The ways to close a finding, ready to copy. */
export function FixSteps({ steps }: { steps: Finding["steps"] }) {
  return (
    <dl className={styles.steps}>
      {steps.map((step) => (
        <div key={step.where}>
          <dt>{stepWord(step.where)}</dt>
          <dd>
            {visible(step.text)}
            {step.code && (
              <>
                <pre>
                  <code>{visibleLines(step.code)}</code>
                </pre>
                <CopyButton label="Copy" of={stepWord(step.where)} text={() => step.code ?? ""} />
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
