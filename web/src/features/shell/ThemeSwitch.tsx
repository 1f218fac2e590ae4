import { useState } from "react";
import styles from "./ThemeSwitch.module.css";
import { chooseTheme, currentTheme, THEMES, type Theme } from "./theme";

const SIGNS: Record<Theme, string> = {
  system: "M2 3h12v8H2ZM6 14h4",
  light: "M8 5a3 3 0 1 0 0 6 3 3 0 1 0 0-6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  dark: "M13.5 9.5A6 6 0 0 1 6.5 2.5 6 6 0 1 0 13.5 9.5Z",
};

export function ThemeSwitch() {
  const [theme, setTheme] = useState(currentTheme);
  return (
    <fieldset className={styles.switch}>
      <legend className="visually-hidden">Theme</legend>
      {THEMES.map((name) => (
        <label key={name} className={styles.choice} title={`${name} theme`}>
          <input
            type="radio"
            name="theme"
            className="visually-hidden"
            checked={theme === name}
            onChange={() => {
              chooseTheme(name);
              setTheme(name);
            }}
          />
          <span className="visually-hidden">{name}</span>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d={SIGNS[name]} />
          </svg>
        </label>
      ))}
    </fieldset>
  );
}
