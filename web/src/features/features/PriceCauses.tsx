// SPDX-License-Identifier: Apache-2.0
import type { PriceLine } from "../../shared/api/types";
import { MISSING } from "../../shared/logic/text/format";
import { CommitLink } from "../../shared/ui/links/CommitLink";

/** Commits judged as regressions that the feature's own stage pays for, with the function where it is known. */
export function PriceCauses({ project, grown }: { project: string; grown: PriceLine["grown_by"] }) {
  if (grown.length === 0) return MISSING;
  return grown.map((one) => (
    <span key={one.run_id} className="line">
      <CommitLink project={project} commit={one.commit} short />{" "}
      <span className="soft">
        {one.stage}
        {one.function && (
          <>
            , <span className="mono">{one.function}</span>
          </>
        )}
      </span>
    </span>
  ));
}
