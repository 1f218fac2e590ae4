const NAME = "signInProblem";
const LONGEST = 300;

/** Takes out of the address why a provider signed nobody in, so that no reload and no link says it again. */
function taken(): string {
  const url = new URL(window.location.href);
  const said = url.searchParams.get(NAME)?.trim() ?? "";
  if (!url.searchParams.has(NAME)) return "";
  url.searchParams.delete(NAME);
  window.history.replaceState(window.history.state, "", url);
  return said.length > LONGEST ? `${said.slice(0, LONGEST)}…` : said;
}

/** A sentence of whoever made the link: it is shown as text, and as what it is. */
export const signInProblem = taken();
