import { useQueryClient } from "@tanstack/react-query";
import type { Change } from "../../api/types";
import { findingMarkdown } from "../../lib/markdown";
import { stepWord } from "../../lib/step";
import { visible } from "../../lib/visible";
import { CopyButton } from "../../ui/CopyButton";
import { findingQuery } from "../findings/queries";
import styles from "./RemediationPage.module.css";

interface Props {
  assessmentId: string;
  item: Pick<Change, "findingId" | "checkId" | "resource">;
}

/** The same fix for another tool: as a call, as Terraform or as the text of a ticket. Read only when it is copied. */
export function CopyAs({ assessmentId, item }: Props) {
  const client = useQueryClient();
  const finding = async () => {
    const found = await client.fetchQuery(findingQuery(assessmentId, item.findingId));
    if (!found) throw new Error("This run no longer holds the finding.");
    return found;
  };
  const code = (where: "api" | "terraform") => async () => {
    const step = (await finding()).steps.find((one) => one.where === where);
    if (!step) throw new Error(`There is no way to close this ${stepWord(where).toLowerCase()}.`);
    return step.code ?? step.text;
  };
  const ticket = async () => {
    const found = await finding();
    return findingMarkdown(found, `${window.location.origin}/assessments/${assessmentId}?finding=${found.id}`);
  };
  const of = `${item.checkId}, ${visible(item.resource.name)}`;
  return (
    <div className={styles.copies}>
      <span>Copy as</span>
      <CopyButton label="API call" of={of} text={code("api")} />
      <CopyButton label="Terraform" of={of} text={code("terraform")} />
      <CopyButton label="Ticket" of={of} text={ticket} />
    </div>
  );
}
