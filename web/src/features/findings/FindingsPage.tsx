import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import { Findings } from "./Findings";

export function FindingsPage() {
  const assessment = useAssessment();
  return (
    <>
      <RunTitle of="Findings" />
      <Findings assessment={assessment} />
    </>
  );
}
