import { useRouter } from "@tanstack/react-router";

/** Of all accounts, of the account that is looked at, and of the service. */
export type Menu = "accounts" | "account" | "service";

/** Where a link of the menu leads; `params` of an account's page are those of usePlace. */
type To = "/jobs";

/** The pages that name themselves in the route's `staticData`, in the order of the route tree. */
export function useMenu(menu: Menu): [to: To, name: string][] {
  return Object.values(useRouter().routesById).flatMap(({ options, to }) => {
    const [under, name] = options.staticData?.menu ?? [];
    return under === menu && name !== undefined ? [[to as To, name]] : [];
  });
}
