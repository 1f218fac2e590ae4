import { Banner } from "../../ui/Banner";
import type { Role } from "./may";
import { useMay } from "./queries";

interface Props {
  atLeast: Role;
  where: string;
  /** What takes the role. */
  what: string;
}

/** Says why the controls of a page are not there for this reader. */
export function Needs({ atLeast, where, what }: Props) {
  if (useMay()(atLeast, where)) return null;
  const place = { some: "", all: " for all accounts" }[where] ?? " for this account";
  return (
    <Banner title="You may read this, not change it.">
      {what} takes the role {atLeast}
      {place}. Ask an administrator for it.
    </Banner>
  );
}
