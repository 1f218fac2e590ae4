import { visible } from "../../lib/visible";
import { useAssessment } from "../assessment/context";
import { Findings } from "./Findings";

export function FindingsPage() {
  const assessment = useAssessment();
  const { account } = assessment;
  return (
    <>
      <title>{`Findings of ${visible(account.name || account.id)} · Edgeposture`}</title>
      <Findings assessment={assessment} />
    </>
  );
}
