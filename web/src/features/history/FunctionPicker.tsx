// SPDX-License-Identifier: Apache-2.0
/** Which C functions' histories stand beside the stages': searched by name or stage, most expensive first. */
import { MultiSelect } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { functionsQuery } from "../../shared/api/queries";
import { type Choice, functionChoices } from "../../shared/logic/code/functions";
import { significant } from "../../shared/logic/text/format";

/** Options drawn at once; a search reaches the others. */
const MOST_DRAWN = 100;
/** Series are told apart up to here. */
const MOST_CHOSEN = 8;

interface Props {
  project: string;
  scenarios: readonly string[];
  hostClass: string | undefined;
  value: readonly string[];
  onChange: (keys: string[]) => void;
}

export function FunctionPicker({ project, scenarios, hostClass, value, onChange }: Props) {
  const found = useQueries({
    queries: scenarios.map((scenario) => functionsQuery(project, scenario, hostClass)),
  });
  const choices = functionChoices(
    found.map((one) => one.data ?? []),
    value,
  );
  const known = new Map(choices.flatMap(({ items }) => items.map((one) => [one.value, one])));
  const none = choices.length === 0;
  return (
    <MultiSelect
      label="Functions"
      className="function-picker"
      size="xs"
      searchable
      clearable
      hidePickedOptions
      limit={MOST_DRAWN}
      maxDropdownHeight={360}
      maxValues={MOST_CHOSEN}
      disabled={none && found.every((one) => one.isSuccess)}
      placeholder={value.length > 0 ? "" : none ? NONE[stateOf(found)] : "Stage or function"}
      nothingFoundMessage="No function with a history has this in its name."
      comboboxProps={{ width: 340, position: "bottom-start" }}
      data={choices}
      value={[...value]}
      onChange={onChange}
      renderOption={({ option }) => <Offered one={known.get(option.value)} />}
    />
  );
}

const NONE = { failed: "Could not be read", loading: "Loading", read: "None counted yet" };
const stateOf = (found: readonly { isError: boolean; isSuccess: boolean }[]): keyof typeof NONE =>
  found.some((one) => one.isError) ? "failed" : found.every((one) => one.isSuccess) ? "read" : "loading";

function Offered({ one }: { one: Choice | undefined }) {
  if (one === undefined) return null;
  return (
    <span className="function-choice">
      <span className="mono">{one.name}</span>
      <span className="soft">
        {one.ipp === undefined ? "no history" : `${significant(one.ipp)} IPP${one.gone ? ", no more" : ""}`}
      </span>
    </span>
  );
}
