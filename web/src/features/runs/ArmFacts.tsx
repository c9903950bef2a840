// SPDX-License-Identifier: Apache-2.0
import type { RunDetail } from "../../shared/api/types";
import { duration } from "../../shared/logic/text/format";
import { Facts } from "../../shared/ui/run/HostFacts";

/** What was built for one arm and how it was started. */
export function ArmFacts({ arm }: { arm: RunDetail["arms"][string] }) {
  const { build, run } = arm;
  const seconds = build.build_seconds ?? null;
  return (
    <Facts
      pairs={[
        ["Commit", <Mono key="c">{build.commit + (build.dirty ? " with changes" : "")}</Mono>],
        ["Features", run.features.join(", ") || "none"],
        [
          "Stages",
          (arm.stages ?? []).map((stage) => stage.name + (stage.apart ? " (apart)" : "")).join(", ") ||
            "not started",
        ],
        ["Compiler", build.compiler],
        ["Options", (build.options ?? []).join(" ") || "none"],
        ["Built in", seconds === null ? "taken from the store" : duration(seconds)],
        ["Code digest", <Mono key="d">{build.code_digest}</Mono>],
        ["Build key", <Mono key="t">{build.tree}</Mono>],
        ["Command", <Mono key="r">{run.command.join(" ")}</Mono>],
        ["Traffic", <Mono key="f">{run.traffic}</Mono>],
      ]}
    />
  );
}

const Mono = ({ children }: { children: string }) => <span className="mono">{children}</span>;
