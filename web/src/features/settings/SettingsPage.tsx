// SPDX-License-Identifier: Apache-2.0
/** What maintainers set of a project, in parts. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { projectQuery } from "../../shared/api/queries";
import { useMay, useSession } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { FirstStepsLink } from "../../shared/ui/links/FirstStepsLink";
import { NoAccess } from "../../shared/ui/NoAccess";
import { PageHead } from "../../shared/ui/PageHead";
import { Failed, Loading } from "../../shared/ui/States";
import { PartTabs } from "./PartTabs";
import { SETTINGS_PANELS } from "./SettingsPanels";
import type { SettingsPart } from "./search";

const route = getRouteApi("/p/$project/settings");

const WORDS: Record<SettingsPart, string> = {
  project: "Project",
  repository: "Repository",
  notifications: "Notifications",
  judgement: "Judgement",
  access: "People and tokens",
  storage: "Storage",
  audit: "Audit log",
};

export function SettingsPage() {
  const { project } = route.useParams();
  const { part = "project" } = route.useSearch();
  const session = useSession();
  const allowed = useMay(project, "maintainer");
  useTitle("Settings", project);
  const about = useQuery(projectQuery(project));
  const Shown = SETTINGS_PANELS[part];
  return (
    <>
      <PageHead title="Settings">{allowed && <FirstStepsLink project={project} />}</PageHead>
      {(session === undefined || (allowed && about.isPending)) && <Loading />}
      {session !== undefined && !allowed && (
        <NoAccess
          title="Only maintainers of the project can see this page"
          advice="Ask a maintainer or an administrator for the role."
        />
      )}
      {allowed && about.data === undefined && about.error && (
        <Failed error={about.error} onRetry={about.refetch} />
      )}
      {allowed && about.data && (
        <>
          <PartTabs label="Settings" words={WORDS} current={part} first="project" />
          <Shown project={project} />
        </>
      )}
    </>
  );
}
