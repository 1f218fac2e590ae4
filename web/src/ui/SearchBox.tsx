import { type InputHTMLAttributes, useState } from "react";
import filter from "./Filter.module.css";

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange"> {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Text that lives in the address, which follows a keystroke later; a change from elsewhere replaces what was typed. */
export function SearchBox({ label, placeholder, value = "", onChange, ...rest }: Props) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  const [sent, setSent] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== sent) {
      setSent(value);
      setText(value);
    }
  }
  return (
    <input
      {...rest}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      className={filter.text}
      value={text}
      maxLength={200}
      onChange={({ target }) => {
        setText(target.value);
        setSent(target.value.trim());
        onChange(target.value.trim() || undefined);
      }}
    />
  );
}
