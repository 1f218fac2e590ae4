import { type RefObject, useState } from "react";
import type { Assessment } from "../../api/types";
import { utc } from "../../lib/time";
import { Button } from "../../ui/Button";
import { save } from "../../ui/save";
import { fileName } from "../exports/formats";

interface Props {
  /** What holds the drawing. */
  drawing: RefObject<HTMLElement | null>;
  assessment: Assessment;
  summary: string;
}

/** Saves what is drawn, as it is drawn, in the colours of the theme. */
export function SaveView({ drawing, assessment, summary }: Props) {
  const [failed, setFailed] = useState(false);
  const { account, completedAt } = assessment;
  const name = account.name || account.id;
  const start = async (kind: "png" | "svg") => {
    // Few save a map, so what writes it is not a part of the page.
    const blob = await import("./picture")
      .then(({ svgOf, pngOf }) => {
        const box = drawing.current;
        const svg = box ? svgOf(box, `${name}, ${utc(completedAt)}. ${summary}`) : "";
        return kind === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : pngOf(svg);
      })
      .catch(() => null);
    setFailed(!blob);
    if (blob) save(blob, fileName(name, completedAt, "map", kind));
  };
  return (
    <>
      <Button onClick={() => start("png")}>Save as PNG</Button>
      <Button onClick={() => start("svg")}>Save as SVG</Button>
      <span role="status">{failed && "The picture could not be made, try again."}</span>
    </>
  );
}
