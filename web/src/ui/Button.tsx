import type { ComponentProps } from "react";
import styles from "./Button.module.css";

interface Props extends ComponentProps<"button"> {
  look?: "plain" | "primary" | "quiet";
}

export function Button({ look = "plain", className = "", type = "button", ...rest }: Props) {
  return <button type={type} className={`${styles.button} ${styles[look]} ${className}`} {...rest} />;
}
