export const SEVERITIES = ["critical", "high", "medium", "low", "informational"] as const;
export type Severity = (typeof SEVERITIES)[number];

const WORDS: Record<Severity, string> = {
  critical: "Critical",
  high: "High",
  medium: "Medium",
  low: "Low",
  informational: "Info",
};

export type Shape = "octagon" | "triangle" | "diamond" | "circle" | "bar";

const SHAPES: Record<Severity, Shape> = {
  critical: "octagon",
  high: "triangle",
  medium: "diamond",
  low: "circle",
  informational: "bar",
};

function isSeverity(value: string): value is Severity {
  return (SEVERITIES as readonly string[]).includes(value);
}

/** A severity this build does not know is shown by its own word and the least shape. */
export function severityWord(value: string): string {
  return isSeverity(value) ? WORDS[value] : value;
}

export function severityShape(value: string): Shape {
  return isSeverity(value) ? SHAPES[value] : "bar";
}

/** The place of a severity, the worst first. */
export function severityRank(value: string): number {
  return isSeverity(value) ? SEVERITIES.indexOf(value) : SEVERITIES.length;
}
