import { useState } from "react";
import { Button } from "./Button";

/** Copies and says so in its own label; a browser may refuse, which is said too. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [outcome, setOutcome] = useState<"" | "copied" | "refused">("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setOutcome("copied");
    } catch {
      setOutcome("refused");
    }
  };
  return (
    <>
      <Button onClick={copy} onBlur={() => setOutcome("")}>
        {outcome === "copied" ? "Copied" : label}
      </Button>
      <span role="status" className={outcome === "refused" ? undefined : "visually-hidden"}>
        {outcome === "copied" && `${label}: done`}
        {outcome === "refused" && "The browser refused to copy."}
      </span>
    </>
  );
}
