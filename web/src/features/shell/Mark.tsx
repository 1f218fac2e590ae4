/** The mark of the product, as in public/favicon.svg: a request that meets an edge. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden>
      <rect width="32" height="32" rx="8" fill="var(--brand)" />
      <path
        d="M8 23V9h15M8 16h10M8 23h15"
        fill="none"
        stroke="var(--on-brand)"
        strokeWidth="3.2"
        strokeLinecap="round"
      />
      <circle cx="24.5" cy="16" r="2.4" fill="var(--on-brand)" />
    </svg>
  );
}
