// SPDX-License-Identifier: Apache-2.0
import { Icon } from "./Icon";
import { ServerText } from "./ServerText";

/** Why what was just tried did not work, beside the button that tried it. */
export function ActionError({ error }: { error: Error | null }) {
  if (error === null) return null;
  return (
    <p className="action-error" role="alert">
      <Icon name="invalid" /> <ServerText>{error.message}</ServerText>
    </p>
  );
}
