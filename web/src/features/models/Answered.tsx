// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { ApiError } from "../../shared/api/client";
import { said } from "../../shared/logic/text/format";
import { ServerText } from "../../shared/ui/ServerText";
import { FailedPart } from "../../shared/ui/States";

const CANNOT_CARRY = 422;

interface Props<T> {
  query: { data: T | undefined; error: Error | null; refetch: () => void };
  /** Below the reason why the model has no answer. */
  advice?: ReactNode;
  children: (answer: T) => ReactNode;
}

/** An answer of a model with what it assumes, or why the model cannot give one. */
export function Answered<T extends { assumes: string; notes: string[] }>({
  query,
  advice,
  children,
}: Props<T>) {
  const { data, error, refetch } = query;
  if (error instanceof ApiError && error.status === CANNOT_CARRY)
    return (
      <div className="answer">
        <p className="held">
          No answer: <ServerText>{error.message}</ServerText>
        </p>
        {advice && <p className="soft">{advice}</p>}
      </div>
    );
  if (error) return <FailedPart error={error} onRetry={refetch} />;
  if (data === undefined) return <div className="answer" role="status" aria-label="Loading" />;
  return (
    <div className="answer">
      {children(data)}
      <p className="assumes">Assumes: {said(data.assumes)}</p>
      {data.notes.map((note) => (
        <p className="assumes" key={note}>
          Note: <ServerText>{note}</ServerText>
        </p>
      ))}
    </div>
  );
}

/** Stands beside a figure that is outside what was measured. */
export const Extrapolated = ({ when }: { when: boolean }) =>
  when ? <span className="tag">extrapolated</span> : null;
