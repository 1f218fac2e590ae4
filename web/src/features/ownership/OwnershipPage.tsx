import { useQuery } from "@tanstack/react-query";
import { PageHead } from "../../ui/PageHead";
import { Panel } from "../../ui/Panel";
import { QueryStatus } from "../../ui/QueryStatus";
import { Needs } from "../session/Needs";
import { useMay } from "../session/queries";
import { OwnershipForm } from "./OwnershipForm";
import { ownershipQuery } from "./queries";
import { Said } from "./Said";

/** Whose issues are and when they are due, unless people said so. */
export function OwnershipPage() {
  const may = useMay();
  const ownership = useQuery(ownershipQuery);
  return (
    <>
      <title>Ownership · Edgeposture</title>
      <PageHead title="Ownership">
        The first matching rule sets the owner; the severity sets the due date. What a person sets takes precedence.
      </PageHead>
      <Needs atLeast="administrator" where="all" what="Changing the rules" />
      <QueryStatus query={ownership} of="rules" rows={5} />
      {ownership.data &&
        (may("administrator", "all") ? (
          <OwnershipForm now={ownership.data} />
        ) : (
          <Panel title="Rules and days">
            <Said ownership={ownership.data} />
          </Panel>
        ))}
    </>
  );
}
