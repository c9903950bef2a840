// SPDX-License-Identifier: Apache-2.0
/** The page of a campaign: its head with the way back and Cancel, then what it shows once it is loaded. */
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useMay } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { LiveMark } from "../../shared/ui/LiveMark";
import { PageHead } from "../../shared/ui/PageHead";
import { Failed, Loading } from "../../shared/ui/States";
import { isSearching } from "./campaigns";

interface Campaign {
  readonly id: number;
  readonly project: string;
  readonly state: string;
}

interface Props<T extends Campaign> {
  readonly project: string;
  readonly title: string;
  readonly campaign: T | undefined;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly live: boolean;
  /** Below the title. */
  readonly state: (campaign: T) => string;
  readonly cancel: (id: number) => Promise<unknown>;
  /** Keys of the queries that a cancellation makes stale. */
  readonly renews: readonly string[];
  readonly children: (campaign: T) => ReactNode;
}

export function CampaignFrame<T extends Campaign>(props: Props<T>) {
  const { project, title, campaign, error, onRetry, live } = props;
  useTitle(title, project);
  return (
    <>
      <PageHead
        title={title}
        up={
          <Link to="/p/$project/queue" params={{ project }}>
            Queue
          </Link>
        }
        under={campaign && props.state(campaign)}
      >
        {campaign && isSearching(campaign) && (
          <>
            <LiveMark live={live} />
            <Cancel campaign={campaign} cancel={props.cancel} renews={props.renews} />
          </>
        )}
      </PageHead>
      {campaign === undefined && (error ? <Failed error={error} onRetry={onRetry} /> : <Loading />)}
      {campaign && props.children(campaign)}
    </>
  );
}

function Cancel({
  campaign,
  cancel,
  renews,
}: Pick<Props<Campaign>, "cancel" | "renews"> & { readonly campaign: Campaign }) {
  const allowed = useMay(campaign.project, "developer");
  const action = useAction(() => cancel(campaign.id), { renews: [...renews, "jobs"] });
  if (!allowed) return null;
  return (
    <>
      <Button size="xs" variant="default" loading={action.isPending} onClick={() => action.mutate(undefined)}>
        Cancel
      </Button>
      <ActionError error={action.error} />
    </>
  );
}
