// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import type { CodeComparison } from "../../shared/api/types";
import { firefoxProfile } from "../../shared/logic/code/firefoxProfile";
import { fileName } from "../../shared/logic/text/csv";
import { shortSha } from "../../shared/logic/text/format";
import { save } from "../../shared/ui/save/savePicture";

/** Saves both sides' call trees, cycles where they were sampled, to be opened at profiler.firefox.com. */
export function ProfileExport({ of }: { of: CodeComparison }) {
  const saveProfile = (): void => {
    const root = of.cycle_flame ?? of.instruction_flame;
    if (root === null) return;
    const unit = of.cycle_flame ? "cycles/packet" : "instructions/packet";
    const [base, head] = [shortSha(of.base_sha), shortSha(of.head_sha)];
    const profile = firefoxProfile(root, unit, { base: `base ${base}`, head: `head ${head}` }, Date.now());
    save(
      `${fileName("profile", base, head)}.json`,
      new Blob([JSON.stringify(profile)], { type: "application/json" }),
    );
  };
  return (
    <Button
      size="compact-xs"
      variant="default"
      title="Open the file at profiler.firefox.com: a thread for each side"
      onClick={saveProfile}
    >
      Firefox Profiler
    </Button>
  );
}
