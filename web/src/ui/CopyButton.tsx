import { useState } from "react";
import { asProblem } from "../api/errors";
import { Button } from "./Button";

interface Props {
  label: string;
  /** What is copied, for who hears the button without what stands beside it. */
  of?: string;
  text: () => string | Promise<string>;
}

/** Copies and says so in its own label; a browser may refuse, which is said too. */
export function CopyButton({ label, of, text }: Props) {
  const [outcome, setOutcome] = useState("");
  const copy = async () => {
    let words: string;
    try {
      words = await text();
    } catch (error) {
      setOutcome(asProblem(error).detail);
      return;
    }
    try {
      await navigator.clipboard.writeText(words);
      setOutcome("copied");
    } catch {
      setOutcome("The browser refused to copy.");
    }
  };
  const failed = outcome !== "" && outcome !== "copied";
  return (
    <>
      <Button onClick={copy} onBlur={() => setOutcome("")}>
        {outcome === "copied" ? "Copied" : label}
        {of && <span className="visually-hidden">: {of}</span>}
      </Button>
      <span role="status" className={failed ? undefined : "visually-hidden"}>
        {failed ? outcome : outcome && `${label}: done`}
      </span>
    </>
  );
}
