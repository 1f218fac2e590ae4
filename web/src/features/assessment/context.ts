import { createContext, useContext } from "react";
import type { Assessment } from "../../api/types";

export const AssessmentContext = createContext<Assessment | null>(null);

/** The assessment whose pages are shown; there is one on every page below /a/$a/r/$r. */
export function useAssessment(): Assessment {
  const assessment = useContext(AssessmentContext);
  if (!assessment) throw new Error("this page is not below an assessment");
  return assessment;
}
