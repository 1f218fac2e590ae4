import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import styles from "./Button.module.css";

interface Props extends ComponentProps<"a"> {
  look?: "plain" | "primary";
}

function Anchor({ look = "plain", className = "", ...rest }: Props) {
  return <a className={`${styles.button} ${styles[look]} ${className}`} {...rest} />;
}

/** A link for what one does here, such as to plan a fix. */
export const ButtonLink = createLink(Anchor);
