// SPDX-License-Identifier: Apache-2.0
/** What maintainers set of a project, in parts. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { projectQuery } from "../api/queries";
import { FirstStepsLink } from "../components/FirstStepsLink";
import { NotForYou } from "../components/NotForYou";
import { PageHead } from "../components/PageHead";
import { PartTabs } from "../components/PartTabs";
import { SETTINGS_PANELS } from "../components/SettingsPanels";
import { Failed, Loading } from "../components/States";
import { useMay, useSession } from "../components/useSession";
import { useTitle } from "../components/useTitle";
import type { SettingsPart } from "../logic/search";

const route = getRouteApi("/p/$project/settings");

const WORDS: Record<SettingsPart, string> = {
  project: "Project",
  repository: "Repository",
  telling: "Notifications",
  judging: "Judgement",
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
        <NotForYou
          title="This is for maintainers of the project"
          advice="Ask one of them, or an administrator, for the role."
        />
      )}
      {allowed && about.data === undefined && about.error && (
        <Failed error={about.error} onRetry={about.refetch} />
      )}
      {allowed && about.data && (
        <>
          <PartTabs label="Settings" words={WORDS} current={part} first="project" />
          <Shown key={project} project={project} />
        </>
      )}
    </>
  );
}
