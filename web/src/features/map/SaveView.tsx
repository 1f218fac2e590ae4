import { type RefObject, useState } from "react";
import type { Assessment } from "../../api/types";
import { utc } from "../../lib/time";
import { Button } from "../../ui/Button";
import { save } from "../../ui/save";
import { fileName } from "../exports/formats";
import styles from "./Map.module.css";
import type { MapHandle } from "./MapCanvas";

interface Props {
  map: RefObject<MapHandle | null>;
  assessment: Assessment;
  summary: string;
}

/** Saves what is drawn, as it is drawn: the part in view, in the colours of the theme. */
export function SaveView({ map, assessment, summary }: Props) {
  const [failed, setFailed] = useState(false);
  const { account, completedAt } = assessment;
  const name = account.name || account.id;
  const start = async (kind: "png" | "svg") => {
    const title = `${name}, ${utc(completedAt)}. ${summary}`;
    const blob = await (kind === "png" ? map.current?.png() : map.current?.svg(title))?.catch(() => null);
    setFailed(!blob);
    if (blob) save(blob, fileName(name, completedAt, "map", kind));
  };
  return (
    <>
      <Button onClick={() => start("png")}>Save as PNG</Button>
      <Button onClick={() => start("svg")}>Save as SVG</Button>
      <span role="status" className={styles.failure}>
        {failed && "The picture could not be made, try again."}
      </span>
    </>
  );
}
