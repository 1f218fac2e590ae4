/** What the map is drawn with. The order of severity is that of the graph's columns. */
export interface Colours {
  page: string;
  surface: string;
  text: string;
  muted: string;
  line: string;
  edge: string;
  accent: string;
  severity: readonly string[];
  font: string;
}

const FILLS: Record<string, string> = { informational: "--info", none: "--hatch" };

/** Asks for every token by its name. The tokens follow the theme, so this is asked again when it changes. */
export function coloursBy(resolve: (token: string) => string, severities: readonly string[], font: string): Colours {
  return {
    page: resolve("--bg"),
    surface: resolve("--surface"),
    text: resolve("--text"),
    muted: resolve("--muted"),
    line: resolve("--line"),
    edge: resolve("--edge"),
    accent: resolve("--accent"),
    severity: severities.map((severity) => resolve(FILLS[severity] ?? `--${severity}`)),
    font,
  };
}

/** The colours in force at an element. A token holds light-dark(), which only a property resolves. */
export function coloursAt(element: HTMLElement, severities: readonly string[]): Colours {
  const before = element.style.color;
  const resolve = (token: string) => {
    element.style.color = `var(${token})`;
    return getComputedStyle(element).color;
  };
  const colours = coloursBy(resolve, severities, getComputedStyle(element).fontFamily);
  element.style.color = before;
  return colours;
}
