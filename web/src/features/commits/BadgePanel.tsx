// SPDX-License-Identifier: Apache-2.0
/** Badges for a README: as they look now, and the Markdown to copy. */
import { Button } from "@mantine/core";
import { ActionError } from "../../shared/ui/ActionError";
import { Command } from "../../shared/ui/Command";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useMay } from "../../shared/ui/hooks/useSession";
import { Panel } from "../../shared/ui/Panel";
import { SecretOnce } from "../../shared/ui/SecretOnce";
import { badgeAddress, badgeMarkdown, SHOWN, type Shown } from "./weeks";
import { newBadgeAddress } from "./weeksApi";

const SAYS: Record<Shown, string> = { week: "The change of this week", alerts: "Open alerts" };

export function BadgePanel({ project, isPublic }: { project: string; isPublic: boolean }) {
  const { origin } = window.location;
  const address = `${origin}/api/v1/projects/${encodeURIComponent(project)}/badge.svg`;
  return (
    <Panel title="Badge for a README" aside={<span className="soft">of the default branch</span>}>
      {SHOWN.map((shown) => (
        <div key={shown} className="badge-line">
          <img src={badgeAddress(address, shown)} alt={`Badge: ${SAYS[shown].toLowerCase()}`} height={20} />
          {isPublic && <Command text={badgeMarkdown(address, `${origin}/p/${project}`, shown)} />}
        </div>
      ))}
      {!isPublic && <PrivateBadge project={project} />}
    </Panel>
  );
}

/** Forges fetch pictures without a sign-in, so the address has a token. */
function PrivateBadge({ project }: { project: string }) {
  const maintains = useMay(project, "maintainer");
  const make = useAction(() => newBadgeAddress(project));
  const page = `${window.location.origin}/p/${project}`;
  if (!maintains)
    return <p className="soft">The project is private: a maintainer makes an address for the badge.</p>;
  return (
    <div className="form-line">
      <Button size="xs" variant="default" loading={make.isPending} onClick={() => make.mutate(undefined)}>
        Create a badge address
      </Button>
      <span className="soft">
        The project is private. Whoever has the address sees the badge and nothing else; the address before it
        becomes worthless.
      </span>
      <ActionError error={make.error} />
      {make.data && (
        <SecretOnce
          title="The Markdown"
          text={SHOWN.map((shown) => badgeMarkdown(make.data.url, page, shown)).join("\n")}
        />
      )}
    </div>
  );
}
