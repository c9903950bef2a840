// SPDX-License-Identifier: Apache-2.0
import { SignInButton } from "./AccountMenu";
import { useSession } from "./hooks/useSession";
import { CenterState } from "./States";

/** A page that needs another role than one has: sign in, or ask. */
export function NoAccess({ title, advice }: { title: string; advice: string }) {
  const stranger = useSession()?.name === null;
  return (
    <CenterState icon="help" title={title}>
      {stranger ? <SignInButton /> : <p>{advice}</p>}
    </CenterState>
  );
}
