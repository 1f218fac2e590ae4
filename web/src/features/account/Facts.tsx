import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AssessmentSummary } from "../../api/types";
import { integer } from "../../lib/number";
import { Panel } from "../../ui/Panel";
import styles from "./Facts.module.css";
import { tokenWords } from "./token";

interface Props {
  summary: AssessmentSummary;
  before: AssessmentSummary | undefined;
}

export function Facts({ summary, before }: Props) {
  const token = tokenWords(summary.tokenInfo);
  return (
    <Panel title="This assessment">
      <dl className={styles.facts}>
        <Fact name="Token">
          {token.status}
          {(token.expiry || token.on) && (
            <div className={token.urgent ? styles.urgent : styles.muted}>
              {token.expiry} {token.on && <span className={styles.day}>({token.on})</span>}
            </div>
          )}
          {token.error && <div className={styles.muted}>{token.error}</div>}
        </Fact>
        <Fact name="Attack paths">
          <Link to="/a/$a/r/$r/paths" params={{ a: summary.account.id, r: summary.id }}>
            {integer(summary.attackPaths)}
          </Link>
        </Fact>
        {before && (
          <Fact name="Drift">
            <Link to="/a/$a/drift" params={{ a: summary.account.id }} search={{ from: before.id, to: summary.id }}>
              Since the run before
            </Link>
          </Fact>
        )}
        <Fact name="Zones">{integer(summary.zones.length)}</Fact>
        <Fact name="Requests">{integer(summary.requests)}</Fact>
      </dl>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
