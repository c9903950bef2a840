// SPDX-License-Identifier: Apache-2.0
/** Icons as paths on a 16 x 16 grid, drawn in the colour of the text; they stand beside a word, never alone. */

const PATHS = {
  regressed: "M2.5 11.5 6.5 7l2.5 2.5 4.5-5M9.5 4.5h4v4",
  improved: "M2.5 4.5 6.5 9 9 6.5l4.5 5M9.5 11.5h4v-4",
  feature: "M8 2.5v11M2.5 8h11",
  same: "M3 6h10M3 10h10",
  inconclusive: "M5.6 5.7a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1.1.8-1.1 1.6M8 12.4v.1",
  invalid: "M8 2.2 14.3 13H1.7zM8 6.5v3M8 11.2v.1",
  broken: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.5 6.5 12 13 4.5",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.1 1.1M11.9 11.9 13 13M3 13l1.1-1.1M11.9 4.1 13 3",
  moon: "M13.4 9.8A5.8 5.8 0 0 1 6.2 2.6a5.8 5.8 0 1 0 7.2 7.2z",
  swap: "M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13",
  help: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8M6.2 6.3a1.8 1.8 0 1 1 2.5 1.7c-.5.2-.7.6-.7 1.1M8 11.4v.1",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.4 10.4 14 14",
  right: "M6 3l5 5-5 5",
  down: "M3 6l5 5 5-5",
  link: "M6.5 4H4a1.5 1.5 0 0 0-1.5 1.5V12A1.5 1.5 0 0 0 4 13.5h6.500A1.5 1.5 0 0 0 12 12V9.500M9 2.500h4.500V7M13.500 2.500 7.500 8.500",
  fix: "M10.600 2.300a3.600 3.600 0 0 0-4.300 4.700L2.400 10.900a1.500 1.500 0 1 0 2.200 2.200l3.900-3.900a3.600 3.600 0 0 0 4.700-4.300l-2.100 2.100-1.900-.4-.4-1.900z",
  clock: "M8 1.800a6.200 6.200 0 1 1 0 12.400A6.200 6.200 0 0 1 8 1.800M8 4.500V8l2.500 1.500",
} as const;

export type IconName = keyof typeof PATHS;

export const isIconName = (name: string): name is IconName => name in PATHS;

export function Icon({ name, size = 14 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
