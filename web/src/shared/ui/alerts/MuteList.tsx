// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { endMute } from "../../api/alerts";
import type { Mute } from "../../api/types";
import { moment } from "../../logic/text/format";
import { ActionError } from "../ActionError";
import { useAction } from "../hooks/useAction";
import { useMay } from "../hooks/useSession";
import { Rows } from "../lists/Rows";

/** Mutes that hold now: of what, until when, why, by whom. */
export function MuteList({ project, mutes }: { project: string; mutes: readonly Mute[] }) {
  const allowed = useMay(project, "developer");
  const end = useAction((number: number) => endMute(project, number), {
    renews: ["mutes", "alerts", "alert", "project"],
  });
  return (
    <>
      <Rows>
        {mutes.map((one) => (
          <li key={one.id} className="row">
            <span className="row-main">
              <strong className="mono">{one.scenario}</strong>{" "}
              {one.until ? `until ${moment(one.until)}` : "until somebody ends it"}
              <span className="below">
                {one.why} ({one.who})
              </span>
            </span>
            {allowed && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`End the mute of ${one.scenario}`}
                loading={end.isPending && end.variables === one.id}
                onClick={() => end.mutate(one.id)}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </Rows>
      <ActionError error={end.error} />
    </>
  );
}
