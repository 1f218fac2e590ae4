import { type ComponentProps, useState } from "react";
import styles from "./Button.module.css";

interface Props extends ComponentProps<"button"> {
  look?: "plain" | "primary" | "quiet";
}

/**
 * Switched off while it has the focus, as by its own press, it keeps the focus and does nothing: the browser would drop
 * the focus, and the next Tab would start at the top of the page.
 */
export function Button({ look = "plain", className = "", type = "button", disabled = false, ...rest }: Props) {
  const [focused, setFocused] = useState(false);
  const held = disabled && focused;
  return (
    <button
      {...rest}
      type={type}
      className={`${styles.button} ${styles[look]} ${className}`}
      disabled={disabled && !focused}
      aria-disabled={held || rest["aria-disabled"]}
      onClick={(event) => (held ? event.preventDefault() : rest.onClick?.(event))}
      onFocus={(event) => {
        setFocused(true);
        rest.onFocus?.(event);
      }}
      onBlur={(event) => {
        setFocused(false);
        rest.onBlur?.(event);
      }}
    />
  );
}
