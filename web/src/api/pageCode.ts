import { unreachable } from "./errors";

/** Whether the service gives the page out, so that loading it again shows it and not the browser's own page of errors. */
export const servesPages = (): Promise<boolean> =>
  fetch("/", { method: "HEAD", cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Loads the code of a page. The router answers code that is gone, as after an upgrade, by loading the whole page again;
 * while nothing answers that would leave the reader with the browser's own page.
 */
export function pageCode<T>(load: () => Promise<T>): () => Promise<T> {
  return () =>
    load().catch(async (cause: unknown) => {
      throw (await servesPages()) ? cause : unreachable();
    });
}
