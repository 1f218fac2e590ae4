import { getRouteApi, Link } from "@tanstack/react-router";
import { visible } from "../../lib/visible";
import styles from "./Map.module.css";
import type { MapSearch } from "./search";

const route = getRouteApi("/a/$a/r/$r/map");

interface Props {
  label: string | undefined;
  /** What of the address changes. */
  part: MapSearch;
  replace?: boolean;
}

/** A resource by its name: a link, so that it can be opened in a new tab and copied. */
export function NodeLink({ label = "", part, replace = false }: Props) {
  return (
    <Link
      from={route.id}
      to="."
      search={(before) => ({ ...before, ...part })}
      replace={replace}
      resetScroll={false}
      className={styles.link}
    >
      {visible(label)}
    </Link>
  );
}
