// SPDX-License-Identifier: Apache-2.0
import type { CodeComparison, FunctionCosts } from "../../shared/api/types";
import { functionKey, hasLines } from "../../shared/logic/code/codeRows";
import {
  type Judged,
  judgedByKey,
  outcomeNotes,
  outcomeText,
} from "../../shared/logic/code/functionOutcomes";
import { fromTo, MISSING, signed, significant } from "../../shared/logic/text/format";
import { FunctionHistoryLink } from "../../shared/ui/links/FunctionHistoryLink";
import { OpenFunction } from "../../shared/ui/links/OpenFunction";
import { SourceLink } from "../../shared/ui/links/SourceLink";

interface Props {
  project: string;
  /** Head's; undefined: none was chosen. */
  scenario: string | undefined;
  of: CodeComparison;
  /** Stage and name of the one whose lines are shown. */
  open: string | undefined;
  onOpen: (key: string | undefined) => void;
}

/** What each function costs by itself on both sides; one with lines is opened below the table. */
export function FunctionTable({ project, scenario, of, open, onOpen }: Props) {
  const timed = of.functions.some(({ base, head }) => (base?.cpp ?? head?.cpp) != null);
  const counted = of.functions.some(({ base, head }) => (base?.ipp ?? head?.ipp) != null);
  const judged = judgedByKey(of.judged);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroll-x tall-table" tabIndex={0} aria-label="Cost per function">
      <table className="table pinned">
        <thead>
          <tr>
            <th className="left">Function</th>
            <th className="left">Stage</th>
            {judged.size > 0 && <th className="left">Outcome</th>}
            {counted && <th>Instructions base → head</th>}
            {counted && <th>Change</th>}
            {counted && <th>Calls base → head</th>}
            {timed && <th>Cycles base → head</th>}
            {timed && <th>Change, ± error</th>}
          </tr>
        </thead>
        <tbody>
          {of.functions.map((one) => {
            const key = functionKey(one);
            return (
              <tr key={key} className={open === key ? "marked" : undefined}>
                <FunctionName
                  of={of}
                  one={one}
                  opened={open === key}
                  onOpen={() => onOpen(open === key ? undefined : key)}
                />
                <td className="left">
                  {one.stage ?? "outside stages"}
                  {counted && scenario && one.stage && (
                    <span className="function-history">
                      <FunctionHistoryLink
                        project={project}
                        scenario={scenario}
                        stage={one.stage}
                        name={one.name}
                      />
                    </span>
                  )}
                </td>
                {judged.size > 0 && <FunctionOutcome of={judged.get(key)} />}
                {counted && <Both a={one.base?.ipp} b={one.head?.ipp} />}
                {counted && <td>{difference(one.base?.ipp, one.head?.ipp)}</td>}
                {counted && <Both a={one.base?.calls} b={one.head?.calls} />}
                {timed && <Both a={one.base?.cpp} b={one.head?.cpp} />}
                {timed && (
                  <td>
                    {difference(one.base?.cpp, one.head?.cpp)}
                    {errorOf(one) > 0 && <span className="under">± {significant(errorOf(one), 2)}</span>}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function FunctionOutcome({ of }: { of: Judged | undefined }) {
  return (
    <td className="left wrap">
      <span className={`outcome-${of?.outcome ?? "none"}`}>{outcomeText(of)}</span>
      {outcomeNotes(of).map((note) => (
        <span key={note} className="under">
          {note}
        </span>
      ))}
    </td>
  );
}

const errorOf = ({ base, head }: FunctionCosts): number => Math.hypot(base?.error ?? 0, head?.error ?? 0);

interface NameProps {
  of: CodeComparison;
  one: FunctionCosts;
  opened: boolean;
  onOpen: () => void;
}

function FunctionName({ of, one, opened, onOpen }: NameProps) {
  const [side, sha] = one.head?.file ? [one.head, of.head_sha] : [one.base, of.base_sha];
  return (
    <th scope="row" className="wrap">
      <OpenFunction name={one.name} opens={hasLines(one)} opened={opened} onOpen={onOpen} />
      <span className="under">
        {one.base === null
          ? "new or not among the most expensive of base"
          : one.head === null
            ? "gone or not among the most expensive of head"
            : ""}{" "}
        {side?.file && <SourceLink of={of} sha={sha} file={side.file} line={side.line} />}
      </span>
    </th>
  );
}

interface BothProps {
  a: number | null | undefined;
  b: number | null | undefined;
}

const shown = (value: number | null | undefined): string => (value == null ? MISSING : significant(value, 3));

const Both = ({ a, b }: BothProps) => <td>{fromTo(shown(a), shown(b))}</td>;

const difference = (a: number | null | undefined, b: number | null | undefined): string =>
  a == null && b == null ? MISSING : signed((b ?? 0) - (a ?? 0), 2);
