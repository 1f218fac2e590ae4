import { type ReactNode, useId } from "react";
import styles from "./Form.module.css";

/** What a control of a field must carry, so that its label, hint and problem belong to it. */
export interface Control {
  id: string;
  name: string;
  "aria-invalid": boolean;
  "aria-describedby": string;
}

interface Props {
  label: string;
  name: string;
  hint?: ReactNode;
  /** Why the value was refused. */
  error?: string | undefined;
  children: (control: Control) => ReactNode;
}

export function Field({ label, name, hint, error, children }: Props) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({ id, name, "aria-invalid": error !== undefined, "aria-describedby": `${id}-hint ${id}-error` })}
      <p id={`${id}-hint`} className={styles.hint} hidden={hint === undefined}>
        {hint}
      </p>
      <p id={`${id}-error`} className={styles.error} role="alert" hidden={error === undefined}>
        {error}
      </p>
    </div>
  );
}
