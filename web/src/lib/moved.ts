/** The list with one of its members at another place; none goes over its ends. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  return to < 0 || to >= list.length
    ? [...list]
    : list.toSpliced(from, 1).toSpliced(to, 0, ...list.slice(from, from + 1));
}
