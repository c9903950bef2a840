// SPDX-License-Identifier: Apache-2.0
/** The verdict as a sentence, with the chain's three figures beneath. */
import type { ReactNode } from "react";
import type { Change, Verdict } from "../../api/types";
import { judgedChain } from "../../logic/run/verdict";
import { change, changeWithInterval, figure, MISSING, said } from "../../logic/text/format";
import { known, ratio } from "../../logic/text/units";
import { MetricName } from "../Help";
import { FixesLink } from "../links/FixesLink";
import { changeOfRun, PriceText } from "./ChangeText";
import { VerdictBadge } from "./VerdictBadge";

interface Props {
  project: string;
  verdict: Verdict | null;
  chain: Change | null;
  /** The run that both sides are of. */
  run?: string | undefined;
  /** Said instead of a reason when there is no verdict. */
  without: string;
  /** Links at the end of the line. */
  children?: ReactNode;
}

export function VerdictBanner({ project, verdict, chain, run, without, children }: Props) {
  const tone =
    verdict === null ? "line-strong" : verdict.display === "broken" ? "broken-back" : verdict.display;
  return (
    <section className="panel banner" aria-label="Verdict" style={{ "--tone": `var(--${tone})` } as never}>
      <div className="banner-line">
        {verdict && <VerdictBadge display={verdict.display} />}
        <p className="banner-sentence">{said(verdict?.reason ?? without)}</p>
      </div>
      {(verdict || children) && (
        <div className="banner-line">
          {verdict && <Extras project={project} verdict={verdict} run={run} />}
          {children}
        </div>
      )}
      {chain && <Tiles chain={chain} verdict={verdict} run={run} />}
    </section>
  );
}

function Extras({ project, verdict, run }: Pick<Props, "project" | "run"> & { verdict: Verdict }) {
  return (
    <>
      {(verdict.features_added ?? []).map((feature) => (
        <span key={feature} className="tag">
          feature added: {feature}
        </span>
      ))}
      {(verdict.features_removed ?? []).map((feature) => (
        <span key={feature} className="tag">
          feature removed: {feature}
        </span>
      ))}
      {verdict.price_cycles_per_packet != null && (
        <span className="tag">
          price{" "}
          <PriceText
            cycles={verdict.price_cycles_per_packet}
            low={verdict.feature_split?.features_low}
            high={verdict.feature_split?.features_high}
            run={run}
          />
        </span>
      )}
      <FixesLink project={project} verdict={verdict} className="tag" />
    </>
  );
}

interface TilesProps {
  chain: Change;
  /** Null: the two did not run side by side, and the page's notes say what is not compared. */
  verdict: Verdict | null;
  run: string | undefined;
}

function Tiles({ chain, verdict, run }: TilesProps) {
  const [base, head, chainName] = [chain.base, chain.head, judgedChain(verdict)];
  const deciding = verdict?.code?.decided ? verdict.code : null;
  const without = verdict === null ? "not compared" : "not counted on both sides";
  const size = deciding ? deciding.changed : { ...chain, ratio: chain.ratio_cpp };
  return (
    <div className="tiles">
      <Tile chainName={chainName} name="cpp" unit="cycles/packet" base={base?.cpp} head={head?.cpp}>
        <span data-quantity={run && changeOfRun(run)}>
          {changeWithInterval(known(size.ratio, ratio), known(size.low, ratio), known(size.high, ratio))}
        </span>
        {deciding && ` by changed code in ${deciding.stages.join(", ")}`}
        {deciding && deciding.shown.length > 0 && `, with the change in ${deciding.shown.join(", ")}`}
      </Tile>
      <Tile chainName={chainName} name="ipp" unit="instructions/packet" base={base?.ipp} head={head?.ipp}>
        {chain.ln_ipp == null ? without : change(known(Math.exp(chain.ln_ipp), ratio))}
      </Tile>
      <Tile
        chainName={chainName}
        name="eipc"
        unit="instructions/cycle"
        base={base?.eipc}
        head={head?.eipc}
        digits={3}
      >
        {chain.ln_eipc == null ? without : change(known(Math.exp(chain.ln_eipc), ratio))}
      </Tile>
    </div>
  );
}

interface TileProps {
  chainName: string | null;
  name: string;
  unit: string;
  base: number | null | undefined;
  head: number | null | undefined;
  digits?: number;
  children: ReactNode;
}

function Tile({ chainName, name, unit, base, head, digits = 4, children }: TileProps) {
  const [from, to] = [figure(base, "", digits), figure(head, "", digits)];
  return (
    <div className="tile">
      <div className="tile-name">
        <MetricName name={name} /> of the chain{chainName && `, ${chainName}`}, {unit}
      </div>
      <div className="tile-value">
        {from === MISSING && to === MISSING ? (
          MISSING
        ) : (
          <>
            {from} <span className="soft">→</span> {to}
          </>
        )}
      </div>
      <div className="tile-note">{children}</div>
    </div>
  );
}
