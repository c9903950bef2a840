// SPDX-License-Identifier: Apache-2.0
import { Button, NumberInput, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { costQuery } from "../../shared/api/predictions";
import type { CostAnswer, CostInput } from "../../shared/api/types";
import { CurvePlot } from "../../shared/charts/CurvePlot";
import type { Point } from "../../shared/charts/curves";
import { table } from "../../shared/logic/text/csv";
import { figure, plain } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { Answered } from "./Answered";
import { designsOf } from "./question";

interface Props {
  project: string;
  designs: string | undefined;
  packets: string | undefined;
  onDesigns: (designs: string, packets: string) => void;
}

/** Lines differ in colour and in dashes. */
export const INKS = [
  { color: "var(--part-instructions)" },
  { color: "var(--part-pipeline)", dash: "7 4" },
  { color: "var(--part-whole)", dash: "2 3" },
  { color: "var(--head-dot)", dash: "10 3 2 3" },
] as const;

/** Compute against delay of designs, over the weight of both. */
export function CostPanel({ project, designs, packets, onDesigns }: Props) {
  const { input, wrong } = designsOf(designs, packets);
  const form = useForm({
    initialValues: { designs: (designs ?? "").replaceAll(";", "\n"), packets: packets ?? "10" },
  });
  const given = form.onSubmit((values) =>
    onDesigns(
      values.designs
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean)
        .join(";"),
      String(values.packets),
    ),
  );
  return (
    <>
      {input && <Costs project={project} input={input} />}
      <SavedPanel title="Designs" name="designs" what="designs" aside={null} rows={undefined}>
        <form className="form" onSubmit={given}>
          <p className="soft">
            Runs do not tell the first packet of a flow apart from later ones; an experiment on flows does.
            Other designs are given by their cycles and delays, to compare their cost over the weight of
            compute against delay.
          </p>
          <Textarea
            label="Designs, one a line"
            description="NAME=cycles of the first packet, of later ones, delay of the first, of later ones; all in cycles"
            placeholder="batch_1=900,800,900,800"
            autosize
            minRows={2}
            error={wrong === null ? undefined : `Not read: ${wrong}`}
            {...form.getInputProps("designs")}
          />
          <NumberInput
            label="Packets of a flow"
            min={1}
            max={1e9}
            w={160}
            {...form.getInputProps("packets")}
          />
          <Button type="submit" variant="default">
            Compare designs
          </Button>
        </form>
      </SavedPanel>
    </>
  );
}

function Costs({ project, input }: { project: string; input: CostInput }) {
  const query = useQuery(costQuery(project, input));
  const { data } = query;
  return (
    <SavedPanel
      title="Cost of designs"
      name="cost"
      what="cost of designs"
      aside={<span className="soft">of a flow of {input.packets} packets</span>}
      rows={
        data &&
        (() =>
          table(Object.entries(data.compute), {
            design: ([name]) => name,
            "compute [cycles]": ([, compute]) => compute,
            "delay [cycles]": ([name]) => data.delay[name],
            pareto: ([name]) => (data.pareto.includes(name) ? "yes" : "no"),
          }))
      }
      pictured
    >
      <Answered query={query}>{(answer) => <CostCurves answer={answer} label="Costs by design" />}</Answered>
    </SavedPanel>
  );
}

/** Cost of each design over the weight, with the Pareto set. */
export function CostCurves({ answer, label }: { answer: CostAnswer; label: string }) {
  const names = Object.keys(answer.costs);
  const most = Math.max(...Object.values(answer.costs).flat());
  return (
    <>
      <CurvePlot
        label={`Cost of ${names.length} designs over the weight of compute`}
        x={{ name: "weight of compute: 0 delay only, 1 compute only", low: 0, high: 1, text: plain }}
        y={{ name: "cycles", low: 0, high: most * 1.05 || 1, text: plain }}
        curves={names.map((name, index) => ({
          name,
          ...(INKS[index % INKS.length] ?? INKS[0]),
          points: answer.weights.map((weight, at): Point => [weight, answer.costs[name]?.[at] ?? 0]),
        }))}
        marks={answer.crossings.map(({ weight, below, above }) => ({
          name: `${below} up to ${figure(weight, "", 3)}, ${above} above`,
          x: weight,
        }))}
      />
      <ScrollTable label={label}>
        <thead>
          <tr>
            <th className="left">Design</th>
            <th>compute, cycles</th>
            <th>delay, cycles</th>
            <th className="left">Pareto set</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row" className="left">
                {name}
              </th>
              <td>{figure(answer.compute[name])}</td>
              <td>{figure(answer.delay[name])}</td>
              <td className="left">
                {answer.pareto.includes(name) ? "no other is better in both" : "beaten"}
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </>
  );
}
