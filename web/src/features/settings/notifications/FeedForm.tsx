// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { SecretOnce } from "../../../shared/ui/SecretOnce";
import { newFeedAddress } from "./notifications";

/** Findings for feed readers, which send no password: the address has a token of its own. */
export function FeedForm({ project }: { project: string }) {
  const make = useAction(() => newFeedAddress(project));
  return (
    <div className="form-line">
      <Button size="xs" variant="default" loading={make.isPending} onClick={() => make.mutate(undefined)}>
        Create a feed address
      </Button>
      <span className="soft">Atom. The address before it becomes worthless.</span>
      <ActionError error={make.error} />
      {make.data && <SecretOnce title="The address" text={make.data.url} />}
    </div>
  );
}
