// SPDX-License-Identifier: Apache-2.0
/** Who did what, by whom and by kind, page after page. The filter is in the address. */
import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { fileName } from "../../../shared/logic/text/csv";
import { Panel } from "../../../shared/ui/Panel";
import { Failed, Loading } from "../../../shared/ui/States";
import { ExportButtons } from "../../../shared/ui/save/ExportButtons";
import { auditFile } from "../files";
import { AuditTable } from "./AuditTable";
import { auditQuery } from "./audit";

/** Without a project: the whole server's. */
export function AuditPanel({ project }: { project?: string }) {
  const search = useSearch({ strict: false }) as { who?: string; action?: string };
  const { who, action } = search;
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    auditQuery(project, { who, action }),
  );
  const entries = data?.pages.flat();
  return (
    <Panel
      title="Audit log"
      aside={
        entries && (
          <ExportButtons
            name={fileName("audit", project ?? "server")}
            what="the entries shown"
            rows={() => auditFile(entries)}
          />
        )
      }
    >
      <Filter key={`${who}:${action}`} who={who} action={action} />
      {entries === undefined && (error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={4} />)}
      {entries && <AuditTable entries={entries} ofServer={project === undefined} />}
      {hasNextPage && (
        <Button
          mt="sm"
          size="xs"
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => fetchNextPage()}
        >
          Older ones
        </Button>
      )}
    </Panel>
  );
}

function Filter({ who, action }: { who: string | undefined; action: string | undefined }) {
  const navigate = useNavigate();
  const form = useForm({ initialValues: { who: who ?? "", action: action ?? "" } });
  const submit = (values: typeof form.values): void => {
    navigate({
      to: ".",
      search: {
        part: "audit",
        who: values.who.trim() || undefined,
        action: values.action.trim() || undefined,
      },
      replace: true,
    });
  };
  return (
    <form className="form-line audit-filter" onSubmit={form.onSubmit(submit)}>
      <TextInput label="By whom" {...form.getInputProps("who")} placeholder="anybody" />
      <TextInput label="Action" {...form.getInputProps("action")} placeholder="project, job.cancel" />
      <Button type="submit" variant="default">
        Filter
      </Button>
    </form>
  );
}
