// SPDX-License-Identifier: Apache-2.0
import type { PriceList } from "../../shared/api/types";
import { fileName } from "../../shared/logic/text/csv";
import { priceFile } from "../../shared/logic/text/tableFiles";
import { CommitLink } from "../../shared/ui/links/CommitLink";
import { Panel } from "../../shared/ui/Panel";
import { ExportButtons } from "../../shared/ui/save/ExportButtons";
import { PriceTable } from "./PriceTable";

interface Props {
  project: string;
  prices: PriceList;
  chosen: string | undefined;
  onChoose: (feature: string | undefined) => void;
}

/** What each feature costs now, since when it is slower, and where. */
export function PricePanel({ project, prices, chosen, onChoose }: Props) {
  return (
    <Panel
      title="Prices"
      aside={
        <span className="panel-tools">
          <Since project={project} prices={prices} />
          {prices.features.length > 0 && (
            <ExportButtons
              name={fileName(project, "prices")}
              what="the prices"
              rows={() => priceFile(prices.features)}
            />
          )}
        </span>
      }
    >
      {prices.features.length > 0 ? (
        <PriceTable project={project} prices={prices} chosen={chosen} onChoose={onChoose} />
      ) : (
        <p className="soft">
          No price of a feature has been measured yet. An experiment measures one, as does a commit that adds
          or removes one alone, and a stage that has the feature's name.
        </p>
      )}
    </Panel>
  );
}

function Since({ project, prices: { reference, release } }: { project: string; prices: PriceList }) {
  if (reference === null && release === null) return null;
  return (
    <span className="soft">
      {reference && (
        <>
          reference <CommitLink project={project} commit={reference} short />
        </>
      )}
      {reference && release && ", "}
      {release && (
        <>
          release {release.name} <CommitLink project={project} commit={release.commit} short />
        </>
      )}
    </span>
  );
}
