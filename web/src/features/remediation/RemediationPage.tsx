import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Banner } from "../../ui/Banner";
import form from "../../ui/Form.module.css";
import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import { healthQuery } from "../service/health";
import { Needs } from "../session/Needs";
import { useMay } from "../session/queries";
import { AuthoriseStep } from "./AuthoriseStep";
import styles from "./RemediationPage.module.css";
import { ResultStep } from "./ResultStep";
import { ReviewStep } from "./ReviewStep";
import { SelectStep } from "./SelectStep";
import { STEPS, stepOf } from "./search";

const route = getRouteApi("/a/$a/r/$r/remediation");

/** From findings to changes in four steps. Nothing is changed before the third one. */
export function RemediationPage() {
  const assessment = useAssessment();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const health = useQuery(healthQuery);
  const able = useMay()("remediator", assessment.account.id);
  const off = whyNot(able, health.data?.remediation);
  const step = stepOf(search);
  const { plan, job } = search;
  // What was chosen lasts as long as the page: a reload asks for the choice again rather than guess it.
  const [findings, setFindings] = useState<readonly string[]>([]);
  const [changes, setChanges] = useState<{ plan: string; ids: readonly string[] }>();
  const chosen = plan !== undefined && changes?.plan === plan ? changes.ids : undefined;
  return (
    <>
      <RunTitle of={`Remediation: ${STEPS[step]}`} />
      <ol className={styles.steps} aria-label="Steps">
        {STEPS.map((name, i) => (
          <li key={name} className={form.step} aria-current={i === step ? "step" : undefined}>
            {i + 1}. {name}
          </li>
        ))}
      </ol>
      {health.data?.remediation === "disabled" && <Disabled />}
      <Needs atLeast="remediator" where={assessment.account.id} what="Planning and making changes" />
      {step === 0 && (
        <SelectStep
          assessment={assessment}
          search={search}
          chosen={findings}
          able={able}
          onChoose={setFindings}
          onSearch={(part) => navigate({ search: (before) => ({ ...before, ...part }), replace: true })}
          onPlan={(id) => navigate({ search: { plan: id } })}
        />
      )}
      {step === 1 && plan !== undefined && (
        <ReviewStep
          id={plan}
          findings={findings}
          chosen={chosen}
          off={off}
          onChoose={(ids) => setChanges({ plan, ids })}
          onPlan={(id) => navigate({ search: { plan: id } })}
          onBack={() => navigate({ search: {} })}
          onNext={() => navigate({ search: { plan, step: "authorise" } })}
        />
      )}
      {step === 2 && plan !== undefined && (
        <AuthoriseStep
          id={plan}
          chosen={chosen ?? []}
          enabled={off === undefined}
          onBack={() => navigate({ search: { plan } })}
          onApplied={(id) => navigate({ search: { plan, job: id } })}
        />
      )}
      {step === 3 && job !== undefined && <ResultStep job={job} onAgain={() => navigate({ search: {} })} />}
      <p>
        <Link to="/a/$a/backups" params={{ a: assessment.account.id }}>
          Backups and rollback
        </Link>
      </p>
    </>
  );
}

/** Why nothing can be changed from here; undefined when it can. */
function whyNot(able: boolean, remediation: string | undefined): string | undefined {
  if (!able) return "You may not change anything";
  if (remediation === "disabled") return "Changes are switched off on this service";
  return remediation === "enabled" ? undefined : "Whether changes are switched on is not known yet";
}

export function Disabled() {
  return (
    <Banner title="Changes are switched off on this service:">
      plans can be made and read, nothing can be applied or rolled back. To switch it on, set{" "}
      <code>SERVICE_ALLOW_REMEDIATION=true</code> and an edit scope such as <code>SERVICE_EDIT_SCOPE</code> in the
      environment of the API and of every worker, then restart them.
    </Banner>
  );
}
