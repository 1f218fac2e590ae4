/** A name as runs keep it, in ASCII; Cloudflare's pages show the form in Unicode. What is no hostname stays as it is. */
export function asKept(name: string): string {
  if (!/\P{ASCII}/u.test(name) || /[\s/?#:@]/u.test(name)) return name;
  try {
    return new URL(`http://${name}`).hostname;
  } catch {
    return name;
  }
}
