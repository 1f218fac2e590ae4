import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Assessment, AttackPath, CheckInfo, ChokePoint, Finding } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import form from "../../ui/Form.module.css";
import { QueryError } from "../../ui/QueryStatus";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { ShowMore } from "../../ui/ShowMore";
import { Skeleton } from "../../ui/Skeleton";
import { Tag } from "../../ui/Tag";
import { checksQuery } from "../catalogue/queries";
import { AbsentChecks } from "../findings/AbsentChecks";
import { absentChecks } from "../findings/search";
import { JobWatch } from "../jobs/JobWatch";
import { pathQuery } from "../paths/queries";
import { settingsQuery } from "../settings/queries";
import { cutQuery } from "../whatif/queries";
import { byResource } from "./plan";
import { remediableFindings } from "./queries";
import styles from "./RemediationPage.module.css";
import type { RemediationSearch } from "./search";
import { usePlan } from "./usePlan";

interface Props {
  assessment: Assessment;
  search: RemediationSearch;
  chosen: readonly string[];
  /** Whether the reader may make plans. */
  able: boolean;
  onChoose: (findings: string[]) => void;
  onSearch: (part: RemediationSearch) => void;
  onPlan: (id: string) => void;
}

const AT_ONCE = 20;

export function SelectStep({ assessment, search, chosen, able, onChoose, onSearch, onPlan }: Props) {
  const findings = useQuery(remediableFindings(assessment.id));
  const checks = useQuery(checksQuery);
  const on = useMemo(() => new Set(chosen), [chosen]);

  // A link may name checks or a finding; they are chosen once, when they are known.
  const narrowed = [search.check, search.finding, search.path, search.least].some((given) => given !== undefined);
  const paths = useQuery({ ...pathQuery(assessment.id, search.path ?? ""), enabled: search.path !== undefined });
  const path = paths.data?.items[0];
  const cut = useQuery({ ...cutQuery(assessment.id), enabled: search.least !== undefined });
  const checksNamed = search.check?.split(",") ?? [];
  const named = (findings.data ?? []).filter(
    (finding) =>
      finding.id === search.finding ||
      checksNamed.includes(finding.checkId) ||
      breaks(path, finding) ||
      (search.least !== undefined && cut.data?.changes.some((change) => makes(change, finding))),
  );
  const [linked, setLinked] = useState(!narrowed);
  const known =
    findings.data !== undefined &&
    (search.path === undefined || paths.isSuccess) &&
    (search.least === undefined || cut.isSuccess);
  useEffect(() => {
    if (linked || !known) return;
    setLinked(true);
    onChoose(named.map(({ id }) => id));
  });

  if (findings.isPending) return <Skeleton label="Loading the findings with a remedy" rows={10} />;
  if (findings.isError) {
    return <QueryError query={findings} what="The findings could not be loaded." />;
  }
  if (findings.data.length === 0) {
    return (
      <Empty title="Nothing to change here">
        No open finding of this assessment has a remedy the service can carry out. What is open is closed by hand; each
        finding says how.
      </Empty>
    );
  }
  const unread = [paths, cut].find(({ isError }) => isError);
  if (unread) {
    return <QueryError query={unread} what="Which changes break the attack paths is not known." />;
  }
  // Before the answer, that nothing can be changed would be a guess.
  if (!known) return <Skeleton label="Loading the changes that break the attack paths" rows={10} />;
  const zones = [...new Set(findings.data.flatMap(({ resource }) => resource.zone || []))].sort();
  const listed = (narrowed ? named : findings.data).filter(
    ({ resource }) => search.zone === undefined || resource.zone === search.zone,
  );
  const groups = byResource(listed);
  const absent = absentChecks(search.check, assessment.checks);
  const remedies = new Map(checks.data?.map((check) => [check.id, check]));
  const toggle = (ids: string[]) => {
    const off = ids.every((id) => on.has(id)) && new Set(ids);
    onChoose(off ? chosen.filter((id) => !off.has(id)) : [...new Set([...chosen, ...ids])]);
  };
  return (
    <>
      <div className={form.actions}>
        <select
          aria-label="Zone"
          value={search.zone ?? ""}
          onChange={({ target }) => onSearch({ zone: target.value || undefined })}
        >
          <option value="">All zones</option>
          {[...new Set([...zones, ...(search.zone ? [search.zone] : [])])].map((zone) => (
            <option key={zone} value={zone}>
              {visible(zone)}
            </option>
          ))}
        </select>
        <Button onClick={() => toggle(listed.map(({ id }) => id))}>
          {listed.length > 0 && listed.every(({ id }) => on.has(id)) ? "Choose none" : "Choose all listed"}
        </Button>
        <span className={form.hint}>
          {plural(listed.length, "finding")} with a remedy on {plural(groups.length, "resource")}
        </span>
        {narrowed && (
          <Button
            onClick={() =>
              onSearch({ check: undefined, finding: undefined, path: undefined, least: undefined, now: undefined })
            }
          >
            Show all {integer(findings.data.length)}
          </Button>
        )}
      </div>
      <QueryError query={checks} what="The remedies are not known." />
      {listed.length === 0 && absent.length > 0 ? (
        <AbsentChecks ids={absent} />
      ) : listed.length === 0 ? (
        <Empty
          title={
            search.zone === undefined ? "Nothing that the service can change" : "No finding with a remedy in this zone"
          }
          action={
            search.zone !== undefined && <Button onClick={() => onSearch({ zone: undefined })}>Show all zones</Button>
          }
        />
      ) : (
        <ShowMore of={groups} word={["resource", "resources"]} step={AT_ONCE}>
          {(shown) => (
            <div className={table.frame}>
              {shown.map((group) => (
                <fieldset key={group.key} className={styles.group}>
                  <legend className="visually-hidden">
                    {group.type} {visible(group.name)}
                  </legend>
                  <label className={styles.line}>
                    <input
                      type="checkbox"
                      checked={group.findings.every(({ id }) => on.has(id))}
                      onChange={() => toggle(group.findings.map(({ id }) => id))}
                    />
                    <strong className={styles.name}>{visible(group.name)}</strong>
                    <span className="muted">{group.type.replaceAll("_", " ")}</span>
                  </label>
                  {group.findings.map((finding) => (
                    <Row
                      key={finding.id}
                      finding={finding}
                      check={remedies.get(finding.checkId)}
                      chosen={on.has(finding.id)}
                      onToggle={() => toggle([finding.id])}
                    />
                  ))}
                </fieldset>
              ))}
            </div>
          )}
        </ShowMore>
      )}
      <Make
        assessment={assessment}
        chosen={findings.data.filter(({ id }) => on.has(id))}
        able={able}
        atOnce={able && search.now === "yes" && linked}
        onPlan={onPlan}
      />
    </>
  );
}

/** Whether closing the finding is one of the changes that break the path and that the service can make. */
function breaks(path: AttackPath | undefined, finding: Finding): boolean {
  if (!path?.findingIds.includes(finding.id)) return false;
  return path.breaks.some(({ remediable, checkIds }) => remediable && checkIds.includes(finding.checkId));
}

/** Whether closing the finding is the change, and one that the service can make. */
function makes(change: ChokePoint, { id, checkId, nodeId, resource }: Finding): boolean {
  if (!change.remediable || !change.checkIds.includes(checkId)) return false;
  const places = [nodeId, `finding:${id}`, ...(resource.type === "zone" ? [`zone:${resource.id}`] : [])];
  return change.findingIds.includes(id) || places.includes(change.nodeId);
}

interface RowProps {
  finding: Finding;
  check: CheckInfo | undefined;
  chosen: boolean;
  onToggle: () => void;
}

function Row({ finding, check, chosen, onToggle }: RowProps) {
  return (
    <label className={styles.line}>
      <input type="checkbox" checked={chosen} onChange={onToggle} />
      <SeverityBadge severity={finding.severity} />
      <span>{finding.title}</span>
      <code>{finding.checkId}</code>
      {check?.remedy && <Tag>{check.remedy.risk}-risk change</Tag>}
      {check?.remedy && !check.remedy.reversible && <Tag>cannot be undone</Tag>}
      {check?.remedy && check.remedy.inputs.length > 0 && <Tag>needs a value</Tag>}
    </label>
  );
}

interface MakeProps {
  assessment: Assessment;
  chosen: Finding[];
  able: boolean;
  /** A plan is asked for by the link that led here. */
  atOnce: boolean;
  onPlan: (id: string) => void;
}

/** Makes the plan; the values that a person must choose are asked for beside the changes that want them. */
function Make({ assessment, chosen, able, atOnce, onPlan }: MakeProps) {
  const { pending, error, job, make, take } = usePlan(assessment.id, onPlan);
  const [ai, setAi] = useState(false);
  const settings = useQuery({ ...settingsQuery, enabled: able });
  const planner = settings.data?.settings.aiProvider;
  const checkIds = [...new Set(chosen.map(({ checkId }) => checkId))].sort();
  const plan = () => make({ checkIds, findingIds: chosen.map(({ id }) => id), filled: {}, ai });
  const began = useRef(false);
  useEffect(() => {
    if (!atOnce || began.current || chosen.length === 0) return;
    began.current = true;
    plan();
  });
  return (
    <>
      {Boolean(error) && <ErrorPanel error={error} what="The plan was not made." onRetry={plan} />}
      {job !== undefined && (
        <JobWatch id={job} what="Reading the live values for the plan" onSucceeded={({ result }) => take(result)} />
      )}
      <div className={styles.bar}>
        <span className={styles.grow} role="status">
          {chosen.length === 0
            ? "Choose what is to be closed. A plan changes nothing."
            : `${plural(chosen.length, "finding")} of ${plural(checkIds.length, "check")} chosen. A plan changes nothing.`}
        </span>
        {planner?.configured && planner.value !== "none" && (
          <label className={form.check}>
            <input type="checkbox" checked={ai} onChange={({ target }) => setAi(target.checked)} /> Let the AI planner
            order and annotate it
          </label>
        )}
        <Button look="primary" disabled={!able || chosen.length === 0 || pending} onClick={plan}>
          Make a plan
        </Button>
      </div>
    </>
  );
}
