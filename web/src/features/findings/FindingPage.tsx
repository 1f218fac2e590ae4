import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Finding } from "../../api/types";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { QueryError, QueryStatus } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import { AcceptDialog } from "../exceptions/AcceptDialog";
import { useMay } from "../session/queries";
import { callOf } from "../whatif/search";
import { FindingDetail, Part, PartHeading } from "./FindingDetail";
import { FindingExceptions } from "./FindingExceptions";
import { FindingHistory, FindingState } from "./FindingHistory";
import { FindingIssue } from "./FindingIssue";
import { FindingPaths } from "./FindingPaths";
import { findingNow, findingQuery } from "./queries";
import { selectable } from "./selection";

const route = getRouteApi("/a/$a/r/$r/findings/$id");

/** One finding as a run saw it, and where it stands now. */
export function FindingPage() {
  const { a, id } = route.useParams();
  const assessment = useAssessment();
  const may = useMay();
  const one = useQuery(findingQuery(assessment.id, id));
  const now = useQuery(findingNow(id));
  const [accepting, setAccepting] = useState(false);
  const finding = one.data;
  const closing = finding && callOf(finding);
  const newest = now.data?.assessmentId;
  return (
    <>
      <RunTitle of={finding ? visible(finding.message) : "Finding"} />
      {!finding && <h1>Finding</h1>}
      <QueryStatus query={one} of="finding" rows={10} />
      {finding === null && (
        <Empty
          title="No such finding here"
          action={
            newest && (
              <Link to="/a/$a/r/$r/findings/$id" params={{ a, r: newest, id }}>
                Show it in the last run that holds it
              </Link>
            )
          }
        >
          This assessment has no finding <code>{visible(id)}</code>.
        </Empty>
      )}
      {finding && newest !== undefined && newest !== assessment.id && (
        <Banner
          title="A later run holds this finding."
          actions={
            <Link to="/a/$a/r/$r/findings/$id" params={{ a, r: newest, id }}>
              Show it there
            </Link>
          }
        >
          What follows is as this run saw it; state, history and attack paths are of now.
        </Banner>
      )}
      {finding && (
        <PartHeading value="h2">
          <FindingDetail
            finding={finding}
            assessmentId={assessment.id}
            account={a}
            heading={(message) => <h1>{message}</h1>}
            actions={
              selectable(finding) && may("analyst", a) && <Button onClick={() => setAccepting(true)}>Accept…</Button>
            }
            aside={
              <>
                {now.isPending && <Skeleton label="Loading the history" rows={3} />}
                <QueryError query={now} what="State, history and attack paths could not be loaded." />
                {now.data && <FindingState now={now.data} />}
                <FindingIssue assessmentId={assessment.id} account={a} check={finding.checkId} />
                {finding.resource.zone && (
                  <Part title="Traffic">
                    <Link
                      to="/a/$a/r/$r/explain"
                      params={{ a, r: assessment.id }}
                      search={{ url: addressOf(finding.resource) }}
                    >
                      Explain what happens to a request
                    </Link>
                  </Part>
                )}
                {(finding.result === "FAIL" || finding.result === "WARNING") && (
                  <Part title="What if">
                    <ul>
                      {closing && (
                        <li>
                          <Link
                            to="/a/$a/r/$r/what-if"
                            params={{ a, r: assessment.id }}
                            search={closing}
                            className={table.pick}
                          >
                            Try the change that closes it
                          </Link>
                        </li>
                      )}
                      <li>
                        <Link
                          to="/a/$a/r/$r/what-if"
                          params={{ a, r: assessment.id }}
                          search={{ check: finding.checkId, resource: finding.resource.id }}
                          className={table.pick}
                        >
                          Try a different configuration
                        </Link>
                      </li>
                    </ul>
                  </Part>
                )}
                {now.data && <FindingPaths now={now.data} account={a} />}
                <Part title="Exceptions">
                  <FindingExceptions finding={finding} account={assessment.account.id} />
                </Part>
                {now.data && <FindingHistory now={now.data} account={a} />}
              </>
            }
          />
        </PartHeading>
      )}
      {finding && accepting && (
        <AcceptDialog
          scope={{ ids: [finding.id] }}
          onClose={() => setAccepting(false)}
          onDone={() => setAccepting(false)}
        />
      )}
      {finding === null && <p className="muted">Another assessment of the account may have it.</p>}
    </>
  );
}

/** An address that the resource is about: its host, or the zone. */
function addressOf({ type, name, zone }: Finding["resource"]): string {
  const host = type === "dns_record" && name?.endsWith(zone ?? "") ? name.replace(/^\*\./, "www.") : zone;
  return `https://${host}/`;
}
