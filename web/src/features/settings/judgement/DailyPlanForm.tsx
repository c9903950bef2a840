// SPDX-License-Identifier: Apache-2.0
/** A standing plan of work for idle hosts: what it does, how much of it a day, when the next one is due. */
import { Button } from "@mantine/core";
import type { FormEventHandler, ReactNode } from "react";
import { moment } from "../../../shared/logic/text/format";
import { SaveState } from "../../../shared/ui/SaveState";

interface Props {
  /** What hosts without other work do. */
  does: string;
  /** Null: nothing is planned. */
  nextAt: string | null;
  /** What it takes, if that is known. */
  costs?: string;
  save: { isPending: boolean; isSuccess: boolean; error: Error | null };
  of: { changed: object; overtaken: boolean };
  onSubmit: FormEventHandler<HTMLFormElement>;
  /** Its fields. */
  children: ReactNode;
}

export function DailyPlanForm({ does, nextAt, costs, save, of, onSubmit, children }: Props) {
  return (
    <form className="form" onSubmit={onSubmit}>
      <p className="soft">{does}</p>
      {children}
      <p className="soft">
        {nextAt === null ? "None is planned." : `The next ones are planned from ${moment(nextAt)}.`}
        {costs && ` ${costs}`}
      </p>
      <SaveState save={save} of={of} />
      <Button type="submit" loading={save.isPending}>
        Save
      </Button>
    </form>
  );
}
