// SPDX-License-Identifier: Apache-2.0
/** Goes to a page, project, scenario, host, commit, tag or branch by a few letters of its name. */
import { Combobox, Modal, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { revisionsQuery } from "../shared/api/compare";
import { hostsQuery } from "../shared/api/hosts";
import { projectsQuery, scenariosQuery } from "../shared/api/queries";
import { matching, type Place, PROJECT_PAGES, SERVER_PAGES } from "../shared/logic/places";
import { useSession } from "../shared/ui/hooks/useSession";

const TYPING_MS = 150;

interface Props {
  project: string | undefined;
  opened: boolean;
  onClose: () => void;
}

export default function GoTo({ project, opened, onClose }: Props) {
  // A dialog that is open from the first cannot give the focus back.
  const [shown, setShown] = useState(false);
  useEffect(() => setShown(opened), [opened]);
  return (
    <Modal
      opened={shown}
      onClose={onClose}
      title="Go to"
      closeButtonProps={{ "aria-label": "Close" }}
      attributes={{ header: { role: "presentation" } }}
    >
      <Search project={project} onClose={onClose} />
    </Modal>
  );
}

function Search({ project, onClose }: Omit<Props, "opened">) {
  const [typed, setTyped] = useState("");
  const navigate = useNavigate();
  const places = usePlaces(project, typed);
  const list = useCombobox({ opened: true });
  const { selectFirstOption } = list;
  const shown = places.map((one) => one.href).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first of other places is the first choice
  useEffect(() => {
    selectFirstOption();
  }, [shown]);
  const go = (href: string): void => {
    onClose();
    navigate({ href });
  };
  return (
    <Combobox store={list} onOptionSubmit={go}>
      <Combobox.EventsTarget>
        <TextInput
          aria-label="Page, project, scenario, host or commit"
          placeholder="Page, project, scenario, host or commit"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Combobox.EventsTarget>
      <Combobox.Options aria-label="Places" mah={360} className="places">
        {places.map((one) => (
          <Combobox.Option key={one.href} value={one.href}>
            {one.name} <span className="soft">{one.kind}</span>
          </Combobox.Option>
        ))}
        {places.length === 0 && <Combobox.Empty>Nothing has that name</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  );
}

function usePlaces(project: string | undefined, typed: string): Place[] {
  const [searched] = useDebouncedValue(typed.trim(), TYPING_MS);
  const known = Boolean(useSession()?.name);
  const of = project ?? "";
  const inProject = project !== undefined;
  const { data: projects = [] } = useQuery(projectsQuery());
  const { data: scenarios = [] } = useQuery({ ...scenariosQuery(of), enabled: inProject });
  const { data: hosts = [] } = useQuery({ ...hostsQuery(), enabled: known });
  const { data: revisions = [] } = useQuery({
    ...revisionsQuery(of, searched),
    enabled: inProject && searched !== "",
  });
  const p = `/p/${encodeURIComponent(of)}`;
  const places: Place[] = [
    ...(inProject ? PROJECT_PAGES.map(([name, path]) => ({ name, kind: "page", href: p + path })) : []),
    ...SERVER_PAGES.map(([name, href]) => ({ name, kind: "page", href })),
    ...projects
      .filter(({ name }) => name !== project) // its address is that of the page "Commits"
      .map(({ name }) => ({ name, kind: "project", href: `/p/${encodeURIComponent(name)}` })),
    ...scenarios.map(({ name }) => ({
      name,
      kind: "history of a scenario",
      href: `${p}/history?scenario=${encodeURIComponent(name)}`,
    })),
    ...hosts.map(({ name }) => ({ name, kind: "host", href: `/hosts/${encodeURIComponent(name)}` })),
  ];
  // The server found these by subject and author, too.
  const commits = revisions.map((one) => ({
    name: [one.name, one.kind === "commit" ? one.subject : null].filter(Boolean).join(" "),
    kind: one.kind,
    href: `${p}/compare?head=${encodeURIComponent(one.kind === "commit" ? one.sha : one.name)}`,
  }));
  return [...matching(places, typed), ...commits];
}
