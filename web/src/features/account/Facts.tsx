import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AssessmentSummary } from "../../api/types";
import { integer } from "../../lib/number";
import { At } from "../../ui/At";
import { Panel } from "../../ui/Panel";
import { zonesRead } from "../assessment/zones";
import styles from "./Facts.module.css";
import { tokenWords } from "./token";

export function Facts({ summary }: { summary: AssessmentSummary }) {
  const token = tokenWords(summary.tokenInfo);
  const { expiresOn } = summary.tokenInfo;
  return (
    <Panel title="This assessment">
      <dl className={styles.facts}>
        <Fact name="Token">
          {token.status}
          {(token.expiry || expiresOn) && (
            <div className={token.urgent ? styles.urgent : "muted"}>
              <Link to="/a/$a/settings" params={{ a: summary.account.id }}>
                {token.expiry}
              </Link>{" "}
              {expiresOn && (
                <>
                  (<At at={expiresOn} />)
                </>
              )}
            </div>
          )}
          {token.error && <div className="muted">{token.error}</div>}
        </Fact>
        <Fact name="Zones">
          <Link to="/a/$a/r/$r/map" params={{ a: summary.account.id, r: summary.id }} search={{ types: "zone" }}>
            {zonesRead(summary)}
          </Link>
        </Fact>
        <Fact name="Requests">
          <Link to="/jobs/$id" params={{ id: summary.jobId }}>
            {integer(summary.requests)}
          </Link>
        </Fact>
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
