// SPDX-License-Identifier: Apache-2.0

/** Whether what one sees follows the server by itself, or is asked for now and then. */
export function LiveMark({ live }: { live: boolean }) {
  return (
    <span className={`verdict state-pill${live ? " active" : ""}`}>
      {live && <span className="pulse" />}
      {live ? "Live" : "Polling"}
    </span>
  );
}
