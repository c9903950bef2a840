// SPDX-License-Identifier: Apache-2.0
/** A JSON document as a tree that opens branch by branch: what is closed is not made. */
import { useState } from "react";

interface Props {
  name: string;
  value: unknown;
  open?: boolean;
}

/** Members shown of one branch at first: a report has thousands of rounds. */
const FIRST = 50;

export function JsonTree({ name, value, open = false }: Props) {
  const [opened, setOpened] = useState(open);
  const [most, setMost] = useState(FIRST);
  if (value === null || typeof value !== "object") return <Leaf name={name} value={value} />;
  const members = Object.entries(value);
  if (members.length === 0) return <Leaf name={name} value={Array.isArray(value) ? "[ ]" : "{ }"} />;
  return (
    <details className="json" open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>
        <span className="mono">{name}</span>{" "}
        <span className="soft">
          {members.length} {Array.isArray(value) ? "items" : "members"}
        </span>
      </summary>
      {opened && (
        <div className="json-members">
          {members.slice(0, most).map(([key, member]) => (
            <JsonTree key={key} name={key} value={member} />
          ))}
          {members.length > most && (
            <button type="button" className="link-button" onClick={() => setMost(most * 4)}>
              {members.length - most} more
            </button>
          )}
        </div>
      )}
    </details>
  );
}

const Leaf = ({ name, value }: { name: string; value: unknown }) => (
  <div className="json-leaf">
    <span className="mono">{name}</span> <span className="mono soft">{String(value)}</span>
  </div>
);
