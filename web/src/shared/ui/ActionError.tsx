// SPDX-License-Identifier: Apache-2.0
import { ApiError } from "../api/client";
import { useSession } from "./hooks/useSession";
import { Icon } from "./Icon";
import { ServerText } from "./ServerText";

/** Why what was just tried did not work, beside the button that tried it. */
export function ActionError({ error }: { error: Error | null }) {
  const signedIn = Boolean(useSession()?.name);
  if (error === null) return null;
  return (
    <p className="action-error" role="alert">
      <Icon name="invalid" />{" "}
      {signedIn && error instanceof ApiError && error.status === 401 ? (
        <>
          Your session has ended.{" "}
          <a href="/sign-in" target="_blank" rel="noreferrer">
            Sign in in another tab
          </a>{" "}
          and try again here. What you typed is kept.
        </>
      ) : (
        <ServerText>{error.message}</ServerText>
      )}
    </p>
  );
}
