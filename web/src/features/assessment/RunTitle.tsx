import { visible } from "../../lib/visible";
import { useAssessment } from "./context";

/** What the tab of a page about a run is called: by what it shows, then whose that is. */
export function RunTitle({ of }: { of: string }) {
  const { account } = useAssessment();
  return <title>{`${of} · ${visible(account.name || account.id)} · Edgeposture`}</title>;
}
