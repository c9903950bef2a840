// SPDX-License-Identifier: Apache-2.0

interface Props {
  name: string;
  /** It has lines to show. */
  opens: boolean;
  opened: boolean;
  onOpen: () => void;
}

/** A function's name; pressing it shows its lines, or puts them away. */
export function OpenFunction({ name, opens, opened, onOpen }: Props) {
  if (!opens) return <span className="mono">{name}</span>;
  return (
    <button type="button" className="link-button mono" aria-expanded={opened} onClick={onOpen}>
      {name}
    </button>
  );
}
