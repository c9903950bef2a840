// SPDX-License-Identifier: Apache-2.0
import type { HostCost, HostSupply, MeasuredHost } from "../../shared/api/types";
import { fileName, table } from "../../shared/logic/text/csv";
import { figure, MISSING, moment, said } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";

interface Props {
  host: string;
  measured: MeasuredHost | null;
}

const NAMES: Readonly<Record<string, string>> = {
  L1d: "first-level data cache (L1d)",
  L2: "second level (L2)",
  L3: "last level (L3)",
  memory: "memory",
  instructions: "instructions",
};
const LINES: Readonly<Record<string, string>> = {
  clean: "clean line, cache of another core",
  dirty: "dirty line, cache of another core",
  dirty_other_node: "dirty line, cache of another node",
  memory: "line in memory",
  memory_other_node: "line in memory of another node",
};

/** What `nalm doctor` measured there, beside the figures of Wu et al. */
export function HostMeasured({ host, measured }: Props) {
  if (measured === null)
    return (
      <SavedPanel title="Measured by nalm doctor" name={host} what="measured" aside={null} rows={undefined}>
        <p className="soft">
          No run has reported a measurement. Run <code>nalm doctor</code> on the host; its next run carries
          the figures.
        </p>
      </SavedPanel>
    );
  const at = <span className="soft">{moment(measured.at)}</span>;
  return (
    <>
      <Costs host={host} title="Loads" what="loads" costs={measured.loads} names={NAMES} aside={at} />
      <Costs
        host={host}
        title="Lines that another CPU had"
        what="lines"
        costs={measured.lines}
        names={LINES}
        aside={at}
      />
      <Supply host={host} supply={measured.supply} aside={at} />
    </>
  );
}

interface CostsProps {
  host: string;
  title: string;
  what: string;
  costs: readonly HostCost[];
  names: Readonly<Record<string, string>>;
  aside: React.ReactNode;
}

/** Time of one dependent load, here and in the paper. */
function Costs({ host, title, what, costs, names, aside }: CostsProps) {
  return (
    <SavedPanel
      title={title}
      name={fileName(host, what)}
      what={what}
      aside={aside}
      rows={() =>
        table(costs, {
          from: (one) => one.name,
          "time [ns]": (one) => one.ns,
          "core_cycles [cycles]": (one) => one.cycles,
          "published [cycles]": (one) => one.published_cycles,
          missing: (one) => one.missing,
        })
      }
    >
      <ScrollTable label={`${title}, time of each`}>
        <thead>
          <tr>
            <th className="left">One dependent load from</th>
            <th>ns</th>
            <th>core cycles</th>
            <th>Wu et al., cycles at 2 GHz</th>
          </tr>
        </thead>
        <tbody>
          {costs.map((one) => (
            <tr key={one.name}>
              <th scope="row" className="left">
                {names[one.name] ?? one.name}
                {one.missing !== null && <span className="under wrap-text">{said(one.missing)}</span>}
              </th>
              <td>{figure(one.ns, "", 3)}</td>
              <td>{figure(one.cycles, "", 3)}</td>
              <td>{one.published_cycles}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </SavedPanel>
  );
}

/** Without these, a row says why. */
const RESOURCES = ["instructions", "L1d", "L2", "L3", "memory"];

interface SupplyProps {
  host: string;
  supply: HostSupply | null;
  aside: React.ReactNode;
}

/** What the host delivers per second: the supply of the capacity model. */
function Supply({ host, supply, aside }: SupplyProps) {
  if (supply === null)
    return (
      <SavedPanel title="Supply" name={host} what="supply" aside={aside} rows={undefined}>
        <p className="soft">
          An older nalm measured this host: run <code>nalm doctor</code> there again.
        </p>
      </SavedPanel>
    );
  const rows = RESOURCES.map((name) => ({
    name,
    one: supply.one[name] ?? null,
    together: supply.together[name] ?? null,
  })).filter(
    ({ name, one, together }) => one !== null || together !== null || name in (supply.missing ?? {}),
  );
  return (
    <SavedPanel
      title="Supply"
      name={fileName(host, "supply")}
      what="supply"
      aside={aside}
      rows={() =>
        table(rows, {
          resource: (row) => row.name,
          "one_cpu [1/s]": (row) => row.one,
          "together [1/s]": (row) => row.together,
        })
      }
    >
      <ScrollTable label="Supply per second">
        <thead>
          <tr>
            <th className="left">Instructions, or lines from</th>
            <th>one CPU</th>
            <th>{supply.cpus} CPUs together</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, one, together }) => (
            <tr key={name}>
              <th scope="row" className="left">
                {NAMES[name] ?? name}
                {one === null && (
                  <span className="under wrap-text">{said(supply.missing?.[name] ?? "not measured")}</span>
                )}
              </th>
              <td>{figure(one, "/s", 3)}</td>
              <td>{figure(together, "/s", 3)}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
      <p className="soft">
        Power while all CPUs work:{" "}
        {supply.watts === null || supply.watts === undefined
          ? `${MISSING} (${said(supply.missing?.watts ?? "not measured")})`
          : figure(supply.watts, "W", 3)}
        . Core clock: {figure(supply.core_hz, "Hz", 3)}.
      </p>
    </SavedPanel>
  );
}
