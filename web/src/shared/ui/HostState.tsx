// SPDX-License-Identifier: Apache-2.0
import type { BenchHost } from "../api/types";
import { Icon, type IconName } from "./Icon";

const LOOKS: Record<BenchHost["state"], { word: string; icon: IconName; tone: string }> = {
  online: { word: "Online", icon: "check", tone: "verdict-improved" },
  draining: { word: "Draining", icon: "clock", tone: "verdict-inconclusive" },
  offline: { word: "Offline", icon: "inconclusive", tone: "" },
  revoked: { word: "Revoked", icon: "broken", tone: "" },
  sick: { word: "Sick", icon: "invalid", tone: "verdict-invalid" },
};

/** State of a bench host as icon and word in its colour. */
export function HostState({ state }: { state: BenchHost["state"] }) {
  const look = LOOKS[state];
  return (
    <span className={`verdict host-state ${look.tone}`}>
      <Icon name={look.icon} /> {look.word}
    </span>
  );
}
