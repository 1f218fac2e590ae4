const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

export function integer(n: number): string {
  return Number.isFinite(n) ? whole.format(n) : "unknown";
}

/** A share to one decimal. It is cut, not rounded, because 99.96 % is not all. */
export function percent(n: number): string {
  return Number.isFinite(n) ? `${tenth.format(Math.floor(n * 10 + 1e-9) / 10)} %` : "unknown";
}

/** A difference with its sign: "+3", "-2", "no change". */
export function change(n: number): string {
  if (!Number.isFinite(n)) return "unknown";
  return n === 0 ? "no change" : `${n > 0 ? "+" : "-"}${whole.format(Math.abs(n))}`;
}

/** "1 check", "2 checks". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${integer(n)} ${n === 1 ? one : many}`;
}
